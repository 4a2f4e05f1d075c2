"""The transports of httpx and requests against a server that breaks the rules."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import requests

from turnpike_client import (
    AsyncPayingTransport,
    Payer,
    Payment,
    PaymentDeclined,
    PaymentOutcomeUnknown,
    PayingTransport,
    PriceTooHigh,
    TotalTooHigh,
)
from turnpike_client.requests_adapter import PayingAdapter

from .server import PAYER, PRIVATE_KEY, REQUIREMENTS, Answer, Server, challenge, problem, sold

Call = Callable[..., tuple[int, bytes]]


class Calls:
    """One request by each library, with the waits that it made."""

    def __init__(self, payer: Payer) -> None:
        self.payer = payer
        self.waits: list[float] = []

    def httpx(self, url: str, method: str = "POST", **options: Any) -> tuple[int, bytes]:
        with httpx.Client(transport=PayingTransport(self.payer, sleep=self.waits.append), timeout=600) as client:
            follow = options.pop("follow", False)
            response = client.request(method, url, follow_redirects=follow, **options)
            return response.status_code, response.content

    def async_httpx(self, url: str, method: str = "POST", **options: Any) -> tuple[int, bytes]:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        async def call() -> tuple[int, bytes]:
            async with httpx.AsyncClient(transport=AsyncPayingTransport(self.payer, sleep=sleep), timeout=600) as client:
                follow = options.pop("follow", False)
                response = await client.request(method, url, follow_redirects=follow, **options)
                return response.status_code, response.content

        return asyncio.run(call())

    def requests(self, url: str, method: str = "POST", **options: Any) -> tuple[int, bytes]:
        with requests.Session() as session:
            session.mount("http://", PayingAdapter(self.payer, sleep=self.waits.append))
            follow = options.pop("follow", False)
            if "content" in options:
                options["data"] = options.pop("content")
            response = session.request(method, url, allow_redirects=follow, **options)
            return response.status_code, response.content

    def each(self) -> list[tuple[str, Call]]:
        return [("httpx", self.httpx), ("httpx, async", self.async_httpx), ("requests", self.requests)]


class TransportsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)
        self.payments: list[Payment] = []

    def each(self, **options: Any) -> list[tuple[str, Call, Calls]]:
        found = []
        for name in ("httpx", "httpx, async", "requests"):
            calls = Calls(Payer(PRIVATE_KEY, on_payment=self.payments.append, **options))
            found.append((name, dict(calls.each())[name], calls))
        return found

    def test_a_request_pays_with_the_same_body_and_reports_the_payment(self) -> None:
        for name, call, _ in self.each():
            with self.subTest(name):
                self.server.seen.clear()
                self.payments.clear()
                self.assertEqual(call(f"{self.server.url}/order", content=b"an order"), (200, b"the goods"))
                self.assertEqual([seen.body for seen in self.server.seen], [b"an order"] * 2)
                payment = self.server.paid[0].payment
                self.assertEqual(payment["accepted"], REQUIREMENTS)
                self.assertEqual(payment["payload"]["authorization"]["from"], PAYER)
                expected = Payment(f"{self.server.url}/order", "$0.01", "eip155:84532", "0xabc")
                self.assertEqual(self.payments, [expected])

    def test_a_file_is_sent_twice_and_a_free_response_costs_nothing(self) -> None:
        for name, call, _ in self.each():
            with self.subTest(name):
                self.server.seen.clear()
                upload = {"upload": ("a.txt", io.BytesIO(b"some text"), "text/plain")}
                self.assertEqual(call(self.server.url, files=upload)[0], 200)
                first, second = self.server.seen
                self.assertIn(b"some text", first.body)
                self.assertEqual(first.body, second.body)
        self.server.unpaid = lambda _: Answer(200, body=b"free")
        self.payments.clear()
        for name, call, _ in self.each():
            self.assertEqual(call(self.server.url, method="GET"), (200, b"free"), name)
        self.assertEqual(self.payments, [])

    def test_after_a_lost_reply_the_same_payment_is_sent_again(self) -> None:
        for name, call, calls in self.each():
            with self.subTest(name):
                self.server.seen.clear()
                busy = problem(409, "payment-in-use", **{"retry-after": "2"})
                pending = problem(503, "settlement-pending", **{"retry-after": "60"})
                self.server.replies = [lambda _: Answer(cut=-1), lambda _: busy, lambda _: pending, lambda _: sold()]
                self.assertEqual(call(self.server.url, content=b"x"), (200, b"the goods"))
                self.assertEqual(len(self.server.paid), 4)
                self.assertEqual(len({seen.headers["payment-signature"] for seen in self.server.paid}), 1)
                self.assertEqual(calls.waits, [1.0, 2.0, 10.0])

    def test_without_any_reply_the_outcome_is_unknown_and_counts(self) -> None:
        self.server.replies = [lambda _: Answer(cut=-1)]
        for name, call, calls in self.each(max_total="$1"):
            with self.subTest(name):
                with self.assertRaises(PaymentOutcomeUnknown) as caught:
                    call(self.server.url, content=b"x")
                self.assertTrue(caught.exception.maybe_charged)
                self.assertEqual(len(calls.waits), 5)
                self.assertEqual(calls.payer.today().counted, 10**34)

    def test_a_price_above_the_limit_is_not_signed(self) -> None:
        for name, call, _ in self.each(max_price="$0.005"):
            with self.subTest(name), self.assertRaisesRegex(PriceTooHigh, r"Cannot pay \$0.01: the limit is \$0.005"):
                call(self.server.url, content=b"x")
        poor = Calls(Payer())
        for name, call in poor.each():
            with self.subTest(name), self.assertRaisesRegex(PaymentDeclined, "there is no private_key and no wallet"):
                call(self.server.url, content=b"x")
        self.assertEqual(self.server.paid, [])

    def test_a_request_can_have_its_own_limit(self) -> None:
        with httpx.Client(transport=PayingTransport(Payer(PRIVATE_KEY, max_price="$1")), timeout=600) as client:
            with self.assertRaises(PriceTooHigh):
                client.get(self.server.url, extensions={"turnpike_price_limit": "0.009"})

    def test_the_limit_of_the_day_holds_over_requests_and_processes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spending.db"
            for name, call, _ in self.each(max_total="$0.03", spending=path):
                self.assertEqual(call(self.server.url, content=b"x")[0], 200, name)
            for name, call, _ in self.each(max_total="$0.03", spending=path):
                with self.subTest(name), self.assertRaisesRegex(TotalTooHigh, r"\$0.03 of today's limit of \$0.03"):
                    call(self.server.url, content=b"x")
        self.assertEqual(len(self.server.paid), 3)

    def test_a_failed_call_is_held_until_its_signature_expires(self) -> None:
        self.server.replies = [lambda _: problem(500, "internal")]
        for name, call, calls in self.each(max_total="$1"):
            with self.subTest(name):
                self.assertEqual(call(self.server.url, content=b"x")[0], 500)
                total = calls.payer.today()
                self.assertEqual((total.signed, total.held), (10**34, 10**34))
        self.assertEqual(self.payments, [])

    def test_a_price_behind_a_redirect_is_not_paid(self) -> None:
        other = Server()
        self.addCleanup(other.close)
        self.server.unpaid = lambda _: Answer(307, {"location": f"{other.url}/there"})
        for name, call, _ in self.each():
            with self.subTest(name), self.assertRaisesRegex(PaymentDeclined, "redirect"):
                call(self.server.url, content=b"x", follow=True)
        self.assertEqual(len(other.seen), 3)
        self.assertEqual(other.paid, [])

    def test_a_redirect_of_a_paid_request_gets_no_payment(self) -> None:
        other = Server()
        self.addCleanup(other.close)
        other.unpaid = lambda _: Answer(200, body=b"elsewhere")
        self.server.replies = [lambda _: Answer(307, {"location": other.url})]
        for name, call, _ in self.each():
            with self.subTest(name):
                self.assertEqual(call(self.server.url, content=b"x", follow=True), (200, b"elsewhere"))
        self.assertEqual(other.paid, [])

    def test_version_1_is_paid_from_the_body(self) -> None:
        requirements = {
            **{name: REQUIREMENTS[name] for name in ("scheme", "asset", "payTo", "maxTimeoutSeconds", "extra")},
            "network": "base-sepolia",
            "maxAmountRequired": "10000",
        }
        body = json.dumps({"x402Version": 1, "error": "pay", "accepts": [7, {"network": "solana"}, requirements]}).encode()
        for encoding in (None, "gzip"):
            headers = {"content-encoding": "gzip"} if encoding else {}
            sent = gzip.compress(body) if encoding else body
            self.server.unpaid = lambda _, headers=headers, sent=sent: Answer(402, headers, sent)
            for name, call, _ in self.each():
                with self.subTest(name, encoding=encoding):
                    self.server.seen.clear()
                    self.assertEqual(call(self.server.url, content=b"x")[0], 200)
                    payment = self.server.paid[0].payment
                    self.assertEqual((payment["x402Version"], payment["network"]), (1, "base-sepolia"))
                    self.assertNotIn("payment-signature", self.server.paid[0].headers)

    def test_a_402_without_a_price_is_declined(self) -> None:
        bomb = gzip.compress(b" " * 50_000_000)
        for answer in (
            Answer(402, body=b"pay!"),
            Answer(402, body=b"[" * 100_000),
            Answer(402, {"payment-required": "not base64!"}),
            Answer(402, {"content-encoding": "gzip"}, bomb),
            Answer(402, {"content-encoding": "gzip"}, b"no gzip"),
        ):
            self.server.unpaid = lambda _, answer=answer: answer
            for name, call, _ in self.each():
                with self.subTest(name, answer=answer.body[:9]), self.assertRaisesRegex(PaymentDeclined, "Cannot pay"):
                    call(self.server.url, content=b"x")
        self.assertEqual(self.server.paid, [])

    def test_an_error_keeps_its_whole_body(self) -> None:
        long = json.dumps({"type": "about:blank", "filler": "x" * 1_000_000}).encode()
        self.server.unpaid = lambda _: Answer(503, body=long)
        for name, call, _ in self.each():
            with self.subTest(name):
                self.assertEqual(call(self.server.url, content=b"x"), (503, long))
                self.assertEqual(call(self.server.url, method="GET"), (503, long))

    def test_a_receipt_for_another_payer_or_amount_is_not_reported(self) -> None:
        stranger = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
        for receipt in ({"payer": stranger}, {"network": "eip155:1"}, {"amount": "10001"}, {"transaction": "<b>"}):
            self.server.replies = [lambda _, receipt=receipt: sold(**receipt)]
            for name, call, _ in self.each():
                with self.subTest(name, receipt=receipt):
                    self.assertEqual(call(self.server.url, content=b"x")[0], 200)
        self.assertEqual(self.payments, [])

    def test_the_extensions_are_repeated_with_a_new_identifier_for_each_payment(self) -> None:
        extensions = {"payment-identifier": {"info": {"required": False}}, "bazaar": {"info": {}}}
        self.server.unpaid = lambda _: challenge(extensions=extensions)
        for _, call, _ in self.each():
            call(self.server.url, content=b"x")
        sent = [seen.payment["extensions"] for seen in self.server.paid]
        self.assertEqual(len({one["payment-identifier"]["info"]["id"] for one in sent}), 3)
        self.assertEqual(sent[0]["bazaar"], {"info": {}})

    def test_an_async_call_that_is_cancelled_is_not_paid_twice(self) -> None:
        async def call() -> None:
            payer = Payer(PRIVATE_KEY)
            async with httpx.AsyncClient(transport=AsyncPayingTransport(payer), timeout=600) as client:
                task = asyncio.create_task(client.get(self.server.url))
                while not self.server.paid:
                    await asyncio.sleep(0.01)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        self.server.replies = [lambda _: Answer(cut=-1)]
        asyncio.run(call())
        self.assertEqual(len(self.server.paid), 1)


if __name__ == "__main__":
    unittest.main()
