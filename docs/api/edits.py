print(session.get(f"{submission}/edits").text)
print(session.get(f"{submission}/edits/Q613", params={"page": 1}).text)
with open("edits.csv", "wb") as file:
    file.write(session.get(f"{submission}/edits/csv", params={"detail": "true"}).content)
