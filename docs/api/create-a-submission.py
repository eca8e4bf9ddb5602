answer = session.post(f"{filing}/submissions")
answer.raise_for_status()
submission = f"{filing}/submissions/{answer.json()['id']['sequenceNumber']}"
print(submission)
