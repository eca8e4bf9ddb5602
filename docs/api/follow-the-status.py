import time

answer = session.get(submission)
while "Retry-After" in answer.headers:
    time.sleep(int(answer.headers["Retry-After"]))
    answer = session.get(submission)
answer.raise_for_status()
print(answer.text)
