"""Bounded bodies of responses."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx

from .errors import Problem

#: Largest body of one response, in bytes. No operation returns more.
MAX_RESPONSE_BYTES = 128 * 1024 * 1024


@dataclass(frozen=True)
class File:
    """A binary response."""

    content: bytes
    content_type: str


def _check(size: int) -> None:
    if size > MAX_RESPONSE_BYTES:
        raise ValueError(f"Cannot read the response: it has more than {MAX_RESPONSE_BYTES} bytes")


def read(response: httpx.Response) -> bytes:
    """The body. Raises beyond MAX_RESPONSE_BYTES."""
    data = bytearray()
    for chunk in response.iter_bytes():
        data += chunk
        _check(len(data))
    return bytes(data)


async def aread(response: httpx.Response) -> bytes:
    """The same, asynchronously."""
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        _check(len(data))
    return bytes(data)


def _problem(response: httpx.Response, body: bytes) -> Problem:
    value: Any = None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        pass
    return Problem(response.status_code, value, response.headers)


def read_problem(response: httpx.Response) -> Problem:
    """The problem of an error response."""
    try:
        return _problem(response, read(response))
    except (httpx.HTTPError, ValueError):
        return _problem(response, b"")


async def aread_problem(response: httpx.Response) -> Problem:
    """The same, asynchronously."""
    try:
        return _problem(response, await aread(response))
    except (httpx.HTTPError, ValueError):
        return _problem(response, b"")
