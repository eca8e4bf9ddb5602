import os

import requests

site, lei, year = os.environ["SITE"], os.environ["LEI"], os.environ["YEAR"]
filing = f"{site}/v2/filing/institutions/{lei}/filings/{year}"
session = requests.Session()
session.headers["Authorization"] = f"Bearer {os.environ['TOKEN']}"

answer = session.post(filing)
print(answer.status_code, answer.text)
