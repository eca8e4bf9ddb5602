answer = session.post(f"{submission}/sign", json={"signed": True})
print(answer.text)
