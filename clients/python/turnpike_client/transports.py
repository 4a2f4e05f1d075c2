"""Transports for httpx that pay by themselves."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anyio
import httpx

from ._flow import MAX_COMPRESSED_BYTES, MAX_READ_BYTES, READ_STATUSES, Reply, Send, Steps, Wait, pay
from .payer import Payer

#: Extensions of a request: its own price limit; True if it may be sent again; and its address before redirects.
PRICE_LIMIT = "turnpike_price_limit"
REPEAT = "turnpike_repeat"
_START = "turnpike_start"
#: The extension of a response that was paid for: the choice that was signed.
CHOICE = "turnpike_choice"


class PayingTransport(httpx.BaseTransport):
    """
    Sends requests, and pays for those whose response asks for a payment. Bodies are read into memory, because a request may
    be sent again. Use it as `httpx.Client(transport=PayingTransport(payer))`.

    :param transport: Sends each request; by default a new `httpx.HTTPTransport`.
    """

    def __init__(
        self, payer: Payer, transport: httpx.BaseTransport | None = None, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._payer = payer
        self._transport = httpx.HTTPTransport() if transport is None else transport
        self._sleep = sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        steps = _steps(self._payer, request)
        response: httpx.Response | None = None
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
                    response = self._transport.handle_request(_with_fields(request, step))
                    body, response = _peek(response)
                    value = Reply(response.status_code, response.headers, body)
                except httpx.TransportError as error:
                    value = error
        except StopIteration as end:
            return _paid(response, end.value)
        except BaseException:
            if response is not None:
                response.close()
            raise

    def close(self) -> None:
        self._transport.close()


class AsyncPayingTransport(httpx.AsyncBaseTransport):
    """The same for `httpx.AsyncClient`, under asyncio and trio."""

    def __init__(self, payer: Payer, transport: httpx.AsyncBaseTransport | None = None, sleep: Any = anyio.sleep) -> None:
        self._payer = payer
        self._transport = httpx.AsyncHTTPTransport() if transport is None else transport
        self._sleep = sleep

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        steps = _steps(self._payer, request)
        response: httpx.Response | None = None
        value: Any = None
        try:
            while True:
                step = steps.send(value)
                if response is not None:
                    await response.aclose()
                    response = None
                if isinstance(step, Wait):
                    await self._sleep(step.seconds)
                    value = None
                    continue
                try:
                    response = await self._transport.handle_async_request(_with_fields(request, step))
                    body, response = await _apeek(response)
                    value = Reply(response.status_code, response.headers, body)
                except httpx.TransportError as error:
                    value = error
        except StopIteration as end:
            return _paid(response, end.value)
        except BaseException:
            if response is not None:
                with anyio.CancelScope(shield=True):
                    await response.aclose()
            raise

    async def aclose(self) -> None:
        await self._transport.aclose()


def _steps(payer: Payer, request: httpx.Request) -> Steps:
    url = str(request.url)
    # A client copies the extensions of a request to those that follow its redirects.
    request.extensions = {_START: url, **request.extensions}
    start = request.extensions[_START]
    limit = request.extensions.get(PRICE_LIMIT)
    return pay(url, payer, limit, start=start, repeat=bool(request.extensions.get(REPEAT)))


def _with_fields(request: httpx.Request, send: Send) -> httpx.Request:
    if not send.fields:
        return request
    headers = httpx.Headers(request.headers)
    headers.update(send.fields)
    # A new request: a redirect copies the fields of the old one, which has no payment.
    return httpx.Request(
        request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
    )


def _paid(response: httpx.Response | None, choice: Any) -> httpx.Response:
    if response is None:
        raise RuntimeError("Cannot return a response: no request was sent")
    response.extensions = {**response.extensions, CHOICE: choice}
    return response


class _Replayed(httpx.SyncByteStream):
    """A body whose start was read already."""

    def __init__(self, start: list[bytes], rest: Iterator[bytes], response: httpx.Response) -> None:
        self._start, self._rest, self._response = start, rest, response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._start
        yield from self._rest

    def close(self) -> None:
        self._response.close()


class _AsyncReplayed(httpx.AsyncByteStream):
    def __init__(self, start: list[bytes], rest: AsyncIterator[bytes], response: httpx.Response) -> None:
        self._start, self._rest, self._response = start, rest, response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._start:
            yield chunk
        async for chunk in self._rest:
            yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


def _peek(response: httpx.Response) -> tuple[bytes | None, httpx.Response]:
    """The body of a response whose status is in READ_STATUSES, if it is small, and the response with its whole body."""
    if response.status_code not in READ_STATUSES or not isinstance(response.stream, httpx.SyncByteStream):
        return None, response
    start: list[bytes] = []
    rest = iter(response.stream)
    for chunk in rest:
        start.append(chunk)
        if sum(map(len, start)) > MAX_READ_BYTES:
            break
    return _expanded(response, b"".join(start)), _replaced(response, _Replayed(start, rest, response))


async def _apeek(response: httpx.Response) -> tuple[bytes | None, httpx.Response]:
    if response.status_code not in READ_STATUSES or not isinstance(response.stream, httpx.AsyncByteStream):
        return None, response
    start: list[bytes] = []
    rest = response.stream.__aiter__()
    async for chunk in rest:
        start.append(chunk)
        if sum(map(len, start)) > MAX_READ_BYTES:
            break
    return _expanded(response, b"".join(start)), _replaced(response, _AsyncReplayed(start, rest, response))


def _replaced(response: httpx.Response, stream: httpx.SyncByteStream | httpx.AsyncByteStream) -> httpx.Response:
    return httpx.Response(
        response.status_code, headers=response.headers, stream=stream, extensions=dict(response.extensions)
    )


def _expanded(response: httpx.Response, data: bytes) -> bytes | None:
    most = MAX_COMPRESSED_BYTES if response.headers.get("content-encoding") else MAX_READ_BYTES
    if len(data) > most:
        return None
    try:
        return httpx.Response(200, headers=response.headers, content=data).content
    except httpx.DecodingError:
        return None
