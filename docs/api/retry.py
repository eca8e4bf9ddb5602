def get(address: str, attempts: int = 5) -> requests.Response:
    seconds = 1
    while True:
        attempts -= 1
        try:
            answer = session.get(address, timeout=60)
        except requests.ConnectionError:
            if not attempts:
                raise
            wait = seconds
        else:
            if answer.status_code not in {429, 503} or not attempts:
                return answer
            wait = int(answer.headers.get("Retry-After", seconds))
        time.sleep(wait)
        seconds = min(2 * seconds, 60)


print(get(submission).text)
