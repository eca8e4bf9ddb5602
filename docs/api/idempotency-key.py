import uuid

key = {"Idempotency-Key": str(uuid.uuid4())}
first = session.post(f"{filing}/submissions", headers=key)
again = session.post(f"{filing}/submissions", headers=key)
print(first.text)
print(again.text)
print(again.headers["Idempotency-Replayed"])
