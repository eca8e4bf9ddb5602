with open("receipt.json", "rb") as file:
    answer = requests.post(f"{site}/v2/public/receipts/check", data=file.read())
print(answer.text)
