answer = session.get(f"{submission}/receipt")
answer.raise_for_status()
with open("receipt.json", "wb") as file:
    file.write(answer.content)
