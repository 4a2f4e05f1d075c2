"""Jobs, problems and sign-ins against a server whose connections break."""

from __future__ import annotations

import asyncio
import json
import unittest
from typing import Any, cast

import httpx

from turnpike_client import AsyncJob, AsyncTurnpike, Job, Payer, PaymentDeclined, PaymentOutcomeUnknown, Problem, Turnpike
from turnpike_client.types import StartedJob

from .server import PRIVATE_KEY, Answer, Seen, Server, challenge, problem, sold

STARTED = cast(StartedJob, {"id": "j1", "secret": "s1", "status": "/crawl/j1", "results": "/crawl/j1/results"})
MOST = 8


def line(value: Any) -> bytes:
    # U+2028 is a line end for str.splitlines, but not in NDJSON.
    return json.dumps({**value, "text": "a\u2028b"}, ensure_ascii=False).encode() + b"\n"


def results(first: int, last: int) -> bytes:
    return b"".join(line({"number": number, "url": "u", "depth": 0}) for number in range(first, last + 1))


def event(number: int, kind: str) -> bytes:
    data = json.dumps({"number": number, "type": kind, "job": "j1", "data": {}})
    return f"id: {number}\nevent: {kind}\ndata: {data}\n\n".encode()


END = line({"job": {"id": "j1", "state": "completed"}})


class JobsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = Server()
        self.addCleanup(self.server.close)
        self.waits: list[float] = []
        self.answers: list[Any] = []
        self.server.unpaid = lambda seen: (self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])(seen)

    def sync_read(self, kind: str, after: int) -> list[int]:
        with httpx.Client(timeout=600) as http:
            job = Job(STARTED, self.server.url, http, self.waits.append, lambda: 0.0)
            return [item["number"] for item in (job.results(after) if kind == "results" else job.watch(after))]

    def async_read(self, kind: str, after: int) -> list[int]:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        async def run() -> list[int]:
            async with httpx.AsyncClient(timeout=600) as http:
                job = AsyncJob(STARTED, self.server.url, http, sleep, lambda: 0.0)
                items = job.results(after) if kind == "results" else job.watch(after)
                return [item["number"] async for item in items]

        return asyncio.run(run())

    def test_every_result_comes_once_and_in_order_however_often_the_connection_breaks(self) -> None:
        def breaks(seen: Seen) -> Answer:
            after = int(seen.path.split("after=")[1])
            return Answer(body=results(max(after, 1), after + 2) + b'{"num' + b" " * 100, cut=len(results(max(after, 1), after + 2)) + 5)

        def ends(seen: Seen) -> Answer:
            return Answer(body=results(int(seen.path.split("after=")[1]), MOST) + END)

        for read in (self.sync_read, self.async_read):
            with self.subTest(read.__name__):
                self.server.seen.clear()
                self.waits.clear()
                self.answers = [breaks, breaks, lambda _: problem(503, "busy", **{"retry-after": "7"}), breaks, ends]
                self.assertEqual(read("results", 0), list(range(1, MOST + 1)))
                self.assertEqual(self.waits, [0.5, 0.5, 7.0, 0.5])
                self.assertEqual({seen.headers["x-job-secret"] for seen in self.server.seen}, {"s1"})

    def test_events_continue_after_the_last_one_until_the_end(self) -> None:
        for read in (self.sync_read, self.async_read):
            with self.subTest(read.__name__):
                self.server.seen.clear()
                first = b"retry: 1000\n\n" + event(0, "started") + b":\n\n" + event(1, "page")
                self.answers = [
                    lambda _: Answer(body=first),
                    lambda _: Answer(body=event(1, "page") + event(2, "completed")),
                ]
                self.assertEqual(read("events", -1), [0, 1, 2])
                ids = [seen.headers.get("last-event-id") for seen in self.server.seen]
                self.assertEqual(ids, [None, "1"])
                self.answers = [lambda _: Answer(204)]
                self.assertEqual(read("events", 2), [])

    def test_requests_that_bring_nothing_end_in_their_error(self) -> None:
        for read in (self.sync_read, self.async_read):
            with self.subTest(read.__name__):
                self.waits.clear()
                self.answers = [lambda _: problem(502, "bad-gateway")]
                with self.assertRaises(Problem) as caught:
                    read("results", 0)
                self.assertEqual(caught.exception.code, "bad-gateway")
                self.assertEqual(self.waits, [0.5, 1, 2, 4, 8, 16, 30])
                self.answers = [lambda _: problem(404, "not-found")]
                self.server.seen.clear()
                self.assertRaises(Problem, read, "results", 0)
                self.assertEqual(len(self.server.seen), 1)
                self.answers = [lambda _: Answer(302, {"location": "http://127.0.0.1:1/"})]
                self.assertRaises(Problem, read, "events", 0)

    def test_a_problem_has_the_fields_of_its_document(self) -> None:
        document = {
            "type": "urn:turnpike:error:invalid-parameters",
            "title": "Invalid Parameters",
            "detail": "'format' is wrong",
            "instance": "request-1",
            "errors": [{"path": "/format", "message": "is wrong"}, 7],
            "page_status": 404,
        }
        self.answers = [lambda _: Answer(400, {"retry-after": "7"}, json.dumps(document).encode())]
        with Turnpike(self.server.url) as turnpike, self.assertRaises(Problem) as caught:
            turnpike.read("https://example.com/")
        found = caught.exception
        self.assertEqual(str(found), "400 Invalid Parameters: 'format' is wrong")
        self.assertEqual((found.status, found.code, found.request_id), (400, "invalid-parameters", "request-1"))
        self.assertEqual((found.page_status, found.retry_after), (404, 7))
        self.assertEqual([(one.path, one.message) for one in found.errors], [("/format", "is wrong")])
        self.answers = [lambda _: Answer(500, {"x-request-id": "r2"}, b"<h1>broken")]
        with Turnpike(self.server.url) as turnpike, self.assertRaises(Problem) as caught:
            turnpike.health()
        self.assertEqual((str(caught.exception), caught.exception.request_id), ("500 HTTP 500", "r2"))

    def test_a_paid_response_that_breaks_may_have_been_charged(self) -> None:
        self.answers = [lambda _: challenge()]
        for answer in (Answer(200, sold().headers, b'{"content": "te', cut=9), sold(b"no json")):
            self.server.replies = [lambda _, answer=answer: answer]
            with Turnpike(self.server.url, Payer(PRIVATE_KEY)) as turnpike:
                self.assertRaises(PaymentOutcomeUnknown, turnpike.read, "https://example.com/")

            async def call() -> None:
                async with AsyncTurnpike(self.server.url, Payer(PRIVATE_KEY)) as turnpike:
                    await turnpike.read("https://example.com/")

            with self.assertRaises(PaymentOutcomeUnknown):
                asyncio.run(call())

    def test_a_sign_in_is_signed_only_for_the_gateway_itself(self) -> None:
        info = {
            "domain": "evil.test",
            "uri": "https://evil.test/.turnpike/credit",
            "version": "1",
            "nonce": "0123456789abcdef",
            "issuedAt": "2026-01-01T00:00:00.000Z",
        }
        host = self.server.url.removeprefix("http://")
        right = {**info, "domain": host, "uri": f"{self.server.url}/.turnpike/credit"}
        for wrong in (info, {**info, "domain": host}, {**right, "nonce": "a\nb"}, {}):
            self.answers = [lambda _, wrong=wrong: challenge(extensions={"sign-in-with-x": {"info": wrong}})]
            with Turnpike(self.server.url, Payer(PRIVATE_KEY)) as turnpike:
                self.assertRaisesRegex(PaymentDeclined, "Cannot sign in", turnpike.sign_in_to_credit)

    def test_urls_that_are_none_are_refused(self) -> None:
        for url in ("nowhere", "ftp://example.com", "http://"):
            self.assertRaises(ValueError, Turnpike, url)


if __name__ == "__main__":
    unittest.main()
