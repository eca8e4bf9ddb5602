with open(os.environ["FILE"], "rb") as file:
    answer = session.post(submission, files={"file": file})
print(answer.status_code, answer.text)
