"""A server on the loopback interface whose replies each test writes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from turnpike_client._challenge import decode_header, encode_header

PRIVATE_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
PAYER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
REQUIREMENTS = {
    "scheme": "exact",
    "network": "eip155:84532",
    "amount": "10000",
    "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    "maxTimeoutSeconds": 60,
    "extra": {"name": "USDC", "version": "2"},
}
RECEIPT = {"success": True, "transaction": "0xabc", "network": "eip155:84532", "payer": PAYER}


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def payment(self) -> Any:
        return decode_header(self.headers.get("payment-signature", "") or self.headers.get("x-payment", ""))


@dataclass(frozen=True)
class Answer:
    """A response. With `cut`, the connection breaks after this number of bytes of the body; -1: before the response."""

    status: int = 200
    headers: dict[str, str] | None = None
    body: bytes = b""
    cut: int | None = None


Reply = Callable[[Seen], Answer]


def challenge(*accepts: dict[str, Any], **more: Any) -> Answer:
    required = {"x402Version": 2, "resource": {"url": "http://a.test/"}, "accepts": list(accepts or (REQUIREMENTS,)), **more}
    return Answer(402, {"payment-required": encode_header(required)}, b"{}")


def sold(body: bytes = b"the goods", **receipt: Any) -> Answer:
    return Answer(200, {"payment-response": encode_header({**RECEIPT, **receipt})}, body)


def problem(status: int, name: str, **headers: str) -> Answer:
    body = json.dumps({"type": f"urn:turnpike:error:{name}", "title": "No", "status": status, "detail": "not now"})
    return Answer(status, {"content-type": "application/problem+json", **headers}, body.encode())


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: Any) -> None:
        """Clients leave whenever they like."""


class Server:
    """Replies to unpaid requests with a challenge, and to paid ones by `replies`; the last reply stays."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.unpaid: Reply = lambda _: challenge()
        self.replies: list[Reply] = [lambda _: sold()]
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Fields and body in one write: two would wait for an acknowledgement.
            wbufsize = 1 << 20

            def handle_any(self) -> None:
                server.handle(self)

            do_GET = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_: Any) -> None:
                pass

        self._server = _Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def paid(self) -> list[Seen]:
        return [one for one in self.seen if one.payment is not None]

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        seen = Seen(handler.command, handler.path, headers, body)
        self.seen.append(seen)
        if seen.payment is None:
            answer = self.unpaid(seen)
        else:
            answer = (self.replies.pop(0) if len(self.replies) > 1 else self.replies[0])(seen)
        if answer.cut == -1:
            handler.close_connection = True
            return
        handler.send_response(answer.status)
        for name, value in {"content-length": str(len(answer.body)), **(answer.headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(answer.body if answer.cut is None else answer.body[: answer.cut])
        handler.close_connection = handler.close_connection or answer.cut is not None
