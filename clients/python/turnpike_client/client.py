"""The content API of a gateway."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import httpx

from ._operations import AsyncOperations, Operations
from ._responses import File, aread, aread_problem, read, read_problem
from ._sign_in import SIGN_IN, sign_in
from .errors import PaymentOutcomeUnknown
from .jobs import AsyncJob, Job
from .payer import Payer
from .transports import CHOICE, PRICE_LIMIT, REPEAT, AsyncPayingTransport, PayingTransport
from .types import StartedJob

T = TypeVar("T")
_DEFAULT_URL = "http://127.0.0.1:8080"
#: Seconds. The longest operation, a batch, ends within 180 s.
_TIMEOUT_S = 300.0
_CREDIT = "/.turnpike/credit"


class _Base:
    def __init__(self, url: str, payer: Payer | None, token: str | None) -> None:
        self._url = httpx.URL(url)
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise ValueError(f'Cannot use the URL "{url}": it is not http or https')
        self._base = str(self._url).rstrip("/")
        #: What pays for calls, within its limits.
        self.payer = Payer() if payer is None else payer
        #: A token of prepaid credit, which pays first.
        self.token = token

    def _options(
        self,
        method: str,
        body: dict[str, Any] | None,
        price_limit: str | None,
        secret: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """The request, and what its transport needs to know."""
        extensions: dict[str, Any] = {PRICE_LIMIT: price_limit}
        headers: dict[str, str] = dict(secret or {})
        if self.token is not None:
            # With the key, a request that is sent again is charged once.
            headers |= {"authorization": f"Bearer {self.token}", "idempotency-key": str(uuid.uuid4())}
            extensions[REPEAT] = True
        options: dict[str, Any] = {"method": method, "headers": headers, "extensions": extensions}
        if body is not None:
            options["content"] = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
            headers["content-type"] = "application/json"
        return options


def _unreadable(response: httpx.Response, error: Exception) -> Exception:
    if response.extensions.get(CHOICE) is None:
        return error
    return PaymentOutcomeUnknown(
        "Cannot read the response that was paid for: it ended early, or is not a response of this service"
    )


def _json(_: httpx.Response, content: bytes) -> Any:
    return json.loads(content)


def _file(response: httpx.Response, content: bytes) -> File:
    return File(content, response.headers.get("content-type", "").split(";")[0].strip())


class Turnpike(_Base, Operations):
    """
    The content API of a gateway. Each operation is a method, and each call pays for itself. A call raises Problem if the
    service responds with an error, PaymentError if it did not pay or the outcome of its payment is unknown, and an error of
    httpx if the gateway cannot be reached. It can be shared by threads.

    :param url: The URL of the gateway.
    :param payer: What pays for calls. Without it, only free calls and `token` work.
    :param token: A token of prepaid credit, which pays first.
    :param timeout: Seconds to wait for a gateway that sends nothing.
    :param transport: Sends the requests; by default a new `httpx.HTTPTransport`.
    """

    def __init__(
        self,
        url: str = _DEFAULT_URL,
        payer: Payer | None = None,
        *,
        token: str | None = None,
        timeout: float = _TIMEOUT_S,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        super().__init__(url, payer, token)
        inner = httpx.HTTPTransport() if transport is None else transport
        self._free = httpx.Client(transport=inner, timeout=timeout)
        self._http = httpx.Client(transport=PayingTransport(self.payer, inner), timeout=timeout)

    def __enter__(self) -> Turnpike:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def job(self, started: StartedJob) -> Job:
        """A job that was started before. Requests about jobs are free: they never pay."""
        return Job(started, self._base, self._free)

    def buy_credit(
        self, *, amount: str | None = None, pass_name: str | None = None, price_limit: str | None = None
    ) -> dict[str, Any]:
        """
        Buys prepaid credit: `amount` in dollars, such as `$5`, or a pass. The result has the `token`, shown once; with a
        token of this client, the amount is added to its balance. `price_limit` must allow the amount.
        """
        body = {"amount": amount, "pass": pass_name}
        return cast(dict[str, Any], self._json(dict, "POST", _CREDIT, body, price_limit))

    def credit(self) -> dict[str, Any]:
        """The balance of the token, with its newest purchases and charges."""
        return cast(dict[str, Any], self._json(dict, "GET", _CREDIT, None, None))

    def revoke_credit(self) -> dict[str, Any]:
        """Revokes the token. The rest of the balance stays, for a refund."""
        return cast(dict[str, Any], self._json(dict, "DELETE", _CREDIT, None, None))

    def sign_in_to_credit(self, credit_id: str | None = None) -> dict[str, Any]:
        """A new token for the wallet of a balance whose token is lost; the earlier token ends."""
        url = f"{self._base}{_CREDIT}/sign-in" + (f"?id={credit_id}" if credit_id else "")
        first = self._free.post(url)
        response = self._free.post(url, headers={SIGN_IN: sign_in(first, self._url, self.payer)})
        if not response.is_success:
            raise read_problem(response)
        return cast(dict[str, Any], response.json())

    def _start(self, path: str, body: dict[str, Any], price_limit: str | None) -> Job:
        started: StartedJob = self._json(cast(type[StartedJob], dict), "POST", path, body, price_limit)
        return self.job(started)

    def _json(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: dict[str, Any] | None,
        price_limit: str | None,
        secret: Mapping[str, str] | None = None,
    ) -> T:
        # The service's own description defines the shape of its responses.
        return cast(T, self._read(path, self._options(method, body, price_limit, secret), _json))

    def _file(self, path: str, body: dict[str, Any], price_limit: str | None) -> File:
        return self._read(path, self._options("POST", body, price_limit), _file)

    def _read(self, path: str, options: dict[str, Any], form: Callable[[httpx.Response, bytes], T]) -> T:
        request = self._http.build_request(url=self._base + path, **options)
        response = self._http.send(request, stream=True)
        try:
            if not response.is_success:
                raise read_problem(response)
            try:
                return form(response, read(response))
            except (httpx.HTTPError, ValueError) as error:
                raise _unreadable(response, error) from error
        finally:
            response.close()


class AsyncTurnpike(_Base, AsyncOperations):
    """The same for asyncio and trio. `transport` is asynchronous; the payer and its limits are the same."""

    def __init__(
        self,
        url: str = _DEFAULT_URL,
        payer: Payer | None = None,
        *,
        token: str | None = None,
        timeout: float = _TIMEOUT_S,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        super().__init__(url, payer, token)
        inner = httpx.AsyncHTTPTransport() if transport is None else transport
        self._free = httpx.AsyncClient(transport=inner, timeout=timeout)
        self._http = httpx.AsyncClient(transport=AsyncPayingTransport(self.payer, inner), timeout=timeout)

    async def __aenter__(self) -> AsyncTurnpike:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    def job(self, started: StartedJob) -> AsyncJob:
        """A job that was started before. Requests about jobs are free: they never pay."""
        return AsyncJob(started, self._base, self._free)

    async def buy_credit(
        self, *, amount: str | None = None, pass_name: str | None = None, price_limit: str | None = None
    ) -> dict[str, Any]:
        """As `Turnpike.buy_credit`."""
        body = {"amount": amount, "pass": pass_name}
        return cast(dict[str, Any], await self._json(dict, "POST", _CREDIT, body, price_limit))

    async def credit(self) -> dict[str, Any]:
        """As `Turnpike.credit`."""
        return cast(dict[str, Any], await self._json(dict, "GET", _CREDIT, None, None))

    async def revoke_credit(self) -> dict[str, Any]:
        """As `Turnpike.revoke_credit`."""
        return cast(dict[str, Any], await self._json(dict, "DELETE", _CREDIT, None, None))

    async def sign_in_to_credit(self, credit_id: str | None = None) -> dict[str, Any]:
        """As `Turnpike.sign_in_to_credit`."""
        url = f"{self._base}{_CREDIT}/sign-in" + (f"?id={credit_id}" if credit_id else "")
        first = await self._free.post(url)
        response = await self._free.post(url, headers={SIGN_IN: sign_in(first, self._url, self.payer)})
        if not response.is_success:
            raise await aread_problem(response)
        return cast(dict[str, Any], response.json())

    async def _start(self, path: str, body: dict[str, Any], price_limit: str | None) -> AsyncJob:
        started: StartedJob = await self._json(cast(type[StartedJob], dict), "POST", path, body, price_limit)
        return self.job(started)

    async def _json(
        self,
        kind: type[T],
        method: str,
        path: str,
        body: dict[str, Any] | None,
        price_limit: str | None,
        secret: Mapping[str, str] | None = None,
    ) -> T:
        return cast(T, await self._read(path, self._options(method, body, price_limit, secret), _json))

    async def _file(self, path: str, body: dict[str, Any], price_limit: str | None) -> File:
        return await self._read(path, self._options("POST", body, price_limit), _file)

    async def _read(self, path: str, options: dict[str, Any], form: Callable[[httpx.Response, bytes], T]) -> T:
        request = self._http.build_request(url=self._base + path, **options)
        response = await self._http.send(request, stream=True)
        try:
            if not response.is_success:
                raise await aread_problem(response)
            try:
                return form(response, await aread(response))
            except (httpx.HTTPError, ValueError) as error:
                raise _unreadable(response, error) from error
        finally:
            await response.aclose()
