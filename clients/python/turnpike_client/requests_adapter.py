"""An adapter for requests that pays by itself. It needs the package `requests`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import requests
import requests.adapters

from ._flow import MAX_COMPRESSED_BYTES, MAX_READ_BYTES, READ_STATUSES, Reply, Send, Wait, pay
from .payer import Payer

_START = "turnpike_start"


class PayingAdapter(requests.adapters.HTTPAdapter):
    """
    Sends requests, and pays for those whose response asks for a payment. Bodies must be bytes, text or files: files are read
    into memory, because a request may be sent again. Use it as `session.mount("https://", PayingAdapter(payer))`.
    """

    def __init__(self, payer: Payer, sleep: Callable[[float], None] = time.sleep, **options: Any) -> None:
        super().__init__(**options)
        self._payer = payer
        self._sleep = sleep

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> requests.Response:
        _make_repeatable(request)
        url = request.url or ""
        # A session copies the hooks of a request to those that follow its redirects, and calls only those that it knows.
        hooks: dict[str, Any] = request.hooks
        start = hooks.setdefault(_START, url)
        steps = pay(url, self._payer, start=start)
        response: requests.Response | None = None
        value: Any = None
        try:
            while True:
                step = steps.send(value)
                if response is not None:
                    response.close()
                    response = None
                if isinstance(step, Wait):
                    self._sleep(step.seconds)
                    value = None
                    continue
                try:
                    response = super().send(_with_fields(request, step), *args, **options)
                    value = Reply(response.status_code, response.headers, _peek(response))
                except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
                    value = error
        except StopIteration:
            if response is None:
                raise RuntimeError("Cannot return a response: no request was sent") from None
            response.request = request
            return response
        except BaseException:
            if response is not None:
                response.close()
            raise


def _make_repeatable(request: requests.PreparedRequest) -> None:
    body: Any = request.body
    if body is None or isinstance(body, bytes | str):
        return
    if not hasattr(body, "read"):
        raise TypeError("Cannot send a stream: the request may have to be sent again. Read it into memory first")
    request.body = body.read()
    request.headers.pop("Transfer-Encoding", None)
    request.prepare_content_length(request.body)


def _with_fields(request: requests.PreparedRequest, send: Send) -> requests.PreparedRequest:
    if not send.fields:
        return request
    # A copy: a redirect copies the fields of the old one, which has no payment.
    paid = request.copy()
    paid.headers.update(send.fields)
    return paid


class _Replayed:
    """A body whose start was read already. `requests` reads it like a file."""

    def __init__(self, start: bytes, rest: Any) -> None:
        self._start, self._rest = start, rest

    def read(self, size: int) -> bytes:
        if self._start:
            chunk, self._start = self._start[:size], self._start[size:]
            return chunk
        data: bytes = self._rest.read(size, decode_content=True)
        return data

    def close(self) -> None:
        self._rest.close()

    def release_conn(self) -> None:
        self._rest.release_conn()


def _peek(response: requests.Response) -> bytes | None:
    """The body of a response whose status is in READ_STATUSES, if it is small. The response keeps its whole body."""
    if response.status_code not in READ_STATUSES:
        return None
    size = MAX_COMPRESSED_BYTES if response.headers.get("content-encoding") else MAX_READ_BYTES + 1
    try:
        start = bytes(next(response.iter_content(size), b""))
    except requests.exceptions.ContentDecodingError:
        start = b""
    response._content = False
    response._content_consumed = False
    response.raw = _Replayed(start, response.raw)
    return start if len(start) <= MAX_READ_BYTES else None
