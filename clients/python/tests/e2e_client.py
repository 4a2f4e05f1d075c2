"""The client, by the client protocol of x402's end-to-end tests. `LIBRARY` is httpx or requests; `ALLOWED_ASSET` is a token to pay with."""

import json
import os

import httpx
import requests

from turnpike_client import Payer, PayingTransport
from turnpike_client._challenge import decode_header
from turnpike_client.requests_adapter import PayingAdapter

url = os.environ["RESOURCE_SERVER_URL"] + os.environ["ENDPOINT_PATH"]
payer = Payer(os.environ["EVM_PRIVATE_KEY"], allow_assets=[os.environ["ALLOWED_ASSET"]], permit2=True)
response: httpx.Response | requests.Response
if os.environ["LIBRARY"] == "httpx":
    with httpx.Client(transport=PayingTransport(payer), timeout=600) as client:
        response = client.get(url)
else:
    with requests.Session() as session:
        session.mount("http://", PayingAdapter(payer))
        response = session.get(url)
receipt = decode_header(response.headers.get("payment-response", ""))
success = response.status_code == 200
print(json.dumps({"success": success, "data": response.json(), "status_code": response.status_code, "payment_response": receipt}))
