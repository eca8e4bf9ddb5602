answer = session.get(f"{submission}/parseErrors", params={"page": 1})
print(answer.text)
with open("formatting-errors.csv", "wb") as file:
    file.write(session.get(f"{submission}/parseErrors/csv").content)
