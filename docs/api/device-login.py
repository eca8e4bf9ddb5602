import os
import time

import requests

provider = requests.get(f"{os.environ['ISSUER']}/.well-known/openid-configuration").json()
client = {"client_id": os.environ["CLIENT"]}
address = provider["device_authorization_endpoint"]
device = requests.post(address, data={**client, "scope": "openid"}).json()
print("Open", device["verification_uri"], "and enter", device["user_code"], flush=True)

grant = "urn:ietf:params:oauth:grant-type:device_code"
form = {**client, "grant_type": grant, "device_code": device["device_code"]}
seconds = device.get("interval", 5)
while "access_token" not in (token := requests.post(provider["token_endpoint"], data=form).json()):
    if token["error"] not in {"authorization_pending", "slow_down"}:
        raise SystemExit(token["error"])
    seconds += 5 if token["error"] == "slow_down" else 0
    time.sleep(seconds)
os.environ["TOKEN"] = token["access_token"]
