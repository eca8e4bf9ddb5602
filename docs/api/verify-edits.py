for kind in ("quality", "macro"):
    answer = session.post(f"{submission}/edits/{kind}", json={"verified": True})
    print(answer.text)
