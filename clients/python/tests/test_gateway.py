"""
The client against running gateways, which test/packages/python.test.ts starts: one in test mode, one that settles on a chain.
Without them, these tests are skipped.
"""

from __future__ import annotations

import asyncio
import json
import os
import unittest
from typing import Any

import httpx
import requests

from turnpike_client import (
    AsyncPayingTransport,
    AsyncTurnpike,
    Payer,
    Payment,
    PaymentDeclined,
    PayingTransport,
    Turnpike,
)
from turnpike_client.requests_adapter import PayingAdapter

from .server import PRIVATE_KEY

GATEWAYS: dict[str, Any] = json.loads(os.environ.get("TURNPIKE_TEST_GATEWAYS", "{}"))


class Losing(httpx.BaseTransport):
    """Loses the next reply to a request that can be paid for."""

    def __init__(self) -> None:
        self._inner = httpx.HTTPTransport()
        self.losses = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = self._inner.handle_request(request)
        is_paid = "payment-signature" in request.headers or "authorization" in request.headers
        if is_paid and self.losses > 0:
            self.losses -= 1
            response.read()
            response.close()
            raise httpx.ReadError("the reply is lost")
        return response

    def close(self) -> None:
        self._inner.close()


def no_sleep(_: float) -> None:
    pass


@unittest.skipUnless("test" in GATEWAYS, "no gateway: test/packages/python.test.ts starts one")
class GatewayTest(unittest.TestCase):
    def setUp(self) -> None:
        self.url = GATEWAYS["test"]
        self.payments: list[Payment] = []
        self.payer = Payer(PRIVATE_KEY, on_payment=self.payments.append)

    def test_each_library_pays(self) -> None:
        with httpx.Client(transport=PayingTransport(self.payer), timeout=600) as client:
            self.assertEqual(client.post(f"{self.url}/paid", content=b"order").text.split()[0], "goods")
        with requests.Session() as session:
            session.mount("http://", PayingAdapter(self.payer))
            self.assertEqual(session.post(f"{self.url}/paid", data=b"order").text.split()[0], "goods")

        async def call() -> str:
            async with httpx.AsyncClient(transport=AsyncPayingTransport(self.payer), timeout=600) as client:
                return (await client.post(f"{self.url}/paid", content=b"order")).text

        self.assertEqual(asyncio.run(call()).split()[0], "goods")
        self.assertEqual([(payment.price, payment.network) for payment in self.payments], [("$0.01", "eip155:84532")] * 3)

    def test_a_lost_reply_is_repeated_for_the_same_payment(self) -> None:
        losing = Losing()
        losing.losses = 2
        with httpx.Client(transport=PayingTransport(self.payer, losing, no_sleep), timeout=600) as client:
            first = client.get(f"{self.url}/paid")
            second = client.get(f"{self.url}/paid")
        # The upstream numbers its responses.
        self.assertEqual(int(second.text.split()[1]) - int(first.text.split()[1]), 1)
        self.assertEqual(len(self.payments), 2)
        self.assertEqual(self.payer.today().signed, 2 * 10**34)

    def test_under_upto_only_the_delivered_amount_is_charged(self) -> None:
        with httpx.Client(transport=PayingTransport(self.payer), timeout=600) as client:
            self.assertEqual(client.get(f"{self.url}/upto").status_code, 200)
        self.assertEqual([payment.price for payment in self.payments], ["$0.005"])
        # The rest counts until the signature has expired.
        self.assertEqual(self.payer.today().held, 5 * 10**33)

    def test_a_failed_request_costs_nothing(self) -> None:
        with httpx.Client(transport=PayingTransport(self.payer), timeout=600) as client:
            self.assertEqual(client.get(f"{self.url}/paid/fails").status_code, 500)
        self.assertEqual(self.payments, [])

    def test_prepaid_credit(self) -> None:
        with Turnpike(self.url, self.payer) as buyer:
            sold = buyer.buy_credit(amount="$0.05")
            losing = Losing()
            with Turnpike(self.url, token=sold["token"], transport=losing) as holder:
                self.assertEqual(holder.credit()["credit"]["balance"], "50000")
                losing.losses = 1
                self.assertEqual(holder.qr("x").content[:5], b"goods")
                self.assertEqual(holder.credit()["credit"]["balance"], "40000")
            with Turnpike(self.url, self.payer, token=sold["token"]) as both:
                both.buy_credit(amount="$0.02")
                self.assertEqual(both.credit()["credit"]["balance"], "60000")
            token = buyer.sign_in_to_credit(sold["credit"]["id"])["token"]
            self.assertNotEqual(token, sold["token"])
            with Turnpike(self.url, token=token) as holder:
                holder.revoke_credit()
                with self.assertRaises(PaymentDeclined) as caught:
                    holder.qr("x")
                self.assertEqual(caught.exception.__notes__, ["The server says: credit_revoked"])
        self.assertEqual([payment.price for payment in self.payments], ["$0.05", "$0.02"])

    def test_prepaid_credit_without_blocking(self) -> None:
        async def use() -> None:
            async with AsyncTurnpike(self.url, self.payer) as buyer:
                sold = await buyer.buy_credit(pass_name="three")
                renewed = await buyer.sign_in_to_credit(sold["credit"]["id"])
            async with AsyncTurnpike(self.url, token=renewed["token"]) as holder:
                goods = await asyncio.gather(*(holder.qr("x") for _ in range(3)))
                self.assertEqual({one.content[:5] for one in goods}, {b"goods"})
                self.assertEqual((await holder.credit())["credit"]["balance"], "0")
                await holder.revoke_credit()
                self.assertEqual((await holder.credit())["credit"]["state"], "revoked")

        asyncio.run(use())


@unittest.skipUnless("chain" in GATEWAYS, "no chain")
class ChainTest(unittest.TestCase):
    def test_each_library_pays_on_the_chain(self) -> None:
        payments: list[Payment] = []
        chain = GATEWAYS["chain"]
        payer = Payer(PRIVATE_KEY, allow_assets=[chain["asset"]], max_total="$0.03", on_payment=payments.append)
        with httpx.Client(transport=PayingTransport(payer), timeout=600) as client:
            self.assertEqual(client.post(chain["url"], content=b"order").status_code, 200)
        with requests.Session() as session:
            session.mount("http://", PayingAdapter(payer))
            self.assertEqual(session.post(chain["url"], data=b"order").status_code, 200)

        async def call() -> int:
            async with httpx.AsyncClient(transport=AsyncPayingTransport(payer), timeout=600) as client:
                return (await client.post(chain["url"], content=b"order")).status_code

        self.assertEqual(asyncio.run(call()), 200)
        self.assertEqual({payment.price for payment in payments}, {"$0.01"})
        self.assertEqual(len({payment.transaction for payment in payments}), 3)
        for payment in payments:
            self.assertRegex(payment.transaction, r"^0x[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main()
