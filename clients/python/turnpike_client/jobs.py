"""Jobs of a gateway: crawls, and batches of many pages. They go on without these objects."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import anyio
import httpx

from ._responses import MAX_RESPONSE_BYTES, aread, aread_problem, read, read_problem
from .errors import Problem
from .types import JobEventsEvent as JobEvent
from .types import JobResult, JobResults, JobState, StartedJob

#: Requests in a row that bring nothing, after which reading fails.
_MAX_FAILURES = 8
#: Seconds until the second of such requests. They double with each further one, up to the longest.
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 30.0
#: Seconds after which a request counts as successful, although nothing came.
_STEADY_S = 10.0
#: Seconds without a byte after which a request for results or events ends: more than a gateway follows a job.
_SILENCE_S = 300.0
_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_ENDS = frozenset({"completed", "failed", "cancelled"})


class _Over(Exception):
    """There are no more events."""


class _Progress:
    """The number of the last item that was read, and the failures since then."""

    def __init__(self, after: int, now: Callable[[], float]) -> None:
        self.last = after
        self._now = now
        self._failures = 0
        self._begin()

    def _begin(self) -> None:
        self._started, self._before = self._now(), self.last

    def take(self, number: int) -> bool:
        """True if the item is new."""
        if number <= self.last:
            return False
        self.last = number
        return True

    def wait_after(self, error: Exception | None) -> float:
        """Seconds until the next request. Raises the error if further requests would repeat it."""
        passes = error is None or isinstance(error, httpx.TransportError)
        if isinstance(error, Problem):
            passes = error.status in _PASSING_STATUS
        steady = self.last > self._before or self._now() - self._started >= _STEADY_S
        self._failures = 0 if steady else self._failures + 1
        if error is not None and not passes:
            raise error
        if self._failures >= _MAX_FAILURES:
            raise error or TimeoutError("Cannot read the job: the gateway sends nothing")
        self._begin()
        said = float(error.retry_after or 0) if isinstance(error, Problem) else 0.0
        return min(max(said, _FIRST_WAIT_S * 2.0 ** max(0, self._failures - 1)), _LONGEST_WAIT_S)


class _Lines:
    """Splits a body at line feeds only: JSON may contain the other line ends of Unicode."""

    def __init__(self) -> None:
        self._rest = b""

    def of(self, chunk: bytes) -> list[bytes]:
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > MAX_RESPONSE_BYTES:
            raise ValueError("Cannot read the job: a line is too long")
        return [line.rstrip(b"\r") for line in lines]


class _Base:
    def __init__(self, started: StartedJob, base: str, now: Callable[[], float] = time.monotonic) -> None:
        #: The id and the secret of the job. Keep them to take the job up again.
        self.started = started
        self._base = base
        self._now = now

    @property
    def id(self) -> str:
        return self.started["id"]

    def _options(self, accept: str, **fields: str) -> dict[str, Any]:
        # A redirect would send the secret to its target.
        headers = {"accept": accept, "x-job-secret": self.started["secret"], **fields}
        return {"headers": headers, "follow_redirects": False}

    def _ready_url(self, after: int, count: int) -> str:
        return f"{self._base}{self.started['results']}?after={after}&count={count}"

    def _stream(self, kind: str, after: int) -> tuple[str, dict[str, Any]]:
        timeout = httpx.Timeout(30, read=_SILENCE_S)
        if kind == "results":
            url = f"{self._base}{self.started['results']}?after={after}"
            return url, {**self._options("application/x-ndjson"), "timeout": timeout}
        fields = {} if after < 0 else {"last-event-id": str(after)}
        url = f"{self._base}{self.started['status']}/events"
        return url, {**self._options("text/event-stream", **fields), "timeout": timeout}


def _result_of(line: bytes) -> tuple[JobResult | None, JobState | None]:
    value = json.loads(line)
    return (None, value["job"]) if "job" in value else (value, None)


def _event_of(line: bytes) -> JobEvent | None:
    if not line.startswith(b"data:"):
        return None
    event: JobEvent = json.loads(line.removeprefix(b"data:"))
    return event


class Job(_Base):
    """A job. Iterate over it for its results, as they come, until it ends."""

    def __init__(
        self,
        started: StartedJob,
        base: str,
        http: httpx.Client,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(started, base, now)
        self._http, self._sleep = http, sleep

    def state(self) -> JobState:
        """The state of the job now."""
        state: JobState = self._json("GET", self._base + self.started["status"])
        return state

    def cancel(self) -> JobState:
        """Cancels the job. Its results stay."""
        state: JobState = self._json("DELETE", self._base + self.started["status"])
        return state

    def ready(self, after: int = 0, count: int = 100) -> JobResults:
        """Results that are ready, with numbers above `after`."""
        results: JobResults = self._json("GET", self._ready_url(after, count))
        return results

    def __iter__(self) -> Iterator[JobResult]:
        return self.results()

    def results(self, after: int = 0) -> Iterator[JobResult]:
        """
        The results with numbers above `after`, as they come, each once and in order, until the job ends. If a connection
        breaks, it asks again for the results that are missing. It fails if no result can be read for some minutes.
        """
        progress = _Progress(after, self._now)
        while True:
            error: Exception | None = None
            try:
                for line in self._lines("results", progress.last):
                    result, end = _result_of(line)
                    if end is not None:
                        return
                    if result is not None and progress.take(result["number"]):
                        yield result
            except (Problem, httpx.TransportError) as failure:
                error = failure
            self._sleep(progress.wait_after(error))

    def watch(self, after: int = -1) -> Iterator[JobEvent]:
        """The events with numbers above `after`, in the same way: `started`, a `page` for each result, and the end."""
        progress = _Progress(after, self._now)
        while True:
            error: Exception | None = None
            try:
                for line in self._lines("events", progress.last):
                    event = _event_of(line)
                    if event is not None and "number" in event and progress.take(event["number"]):
                        yield event
                        if event["type"] in _ENDS:
                            return
            except _Over:
                return
            except (Problem, httpx.TransportError) as failure:
                error = failure
            self._sleep(progress.wait_after(error))

    def _lines(self, kind: str, after: int) -> Iterator[bytes]:
        url, options = self._stream(kind, after)
        with self._http.stream("GET", url, **options) as response:
            if not response.is_success:
                raise read_problem(response)
            if response.status_code == 204:
                raise _Over
            lines = _Lines()
            for chunk in response.iter_bytes():
                yield from (line for line in lines.of(chunk) if line)

    def _json(self, method: str, url: str) -> Any:
        with self._http.stream(method, url, **self._options("application/json")) as response:
            if not response.is_success:
                raise read_problem(response)
            return json.loads(read(response))


class AsyncJob(_Base):
    """The same for asyncio and trio. Iterate over it with `async for`."""

    def __init__(
        self,
        started: StartedJob,
        base: str,
        http: httpx.AsyncClient,
        sleep: Any = anyio.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(started, base, now)
        self._http, self._sleep = http, sleep

    async def state(self) -> JobState:
        """The state of the job now."""
        state: JobState = await self._json("GET", self._base + self.started["status"])
        return state

    async def cancel(self) -> JobState:
        """Cancels the job. Its results stay."""
        state: JobState = await self._json("DELETE", self._base + self.started["status"])
        return state

    async def ready(self, after: int = 0, count: int = 100) -> JobResults:
        """Results that are ready, with numbers above `after`."""
        results: JobResults = await self._json("GET", self._ready_url(after, count))
        return results

    def __aiter__(self) -> AsyncIterator[JobResult]:
        return self.results()

    async def results(self, after: int = 0) -> AsyncIterator[JobResult]:
        """As `Job.results`."""
        progress = _Progress(after, self._now)
        while True:
            error: Exception | None = None
            try:
                async for line in self._lines("results", progress.last):
                    result, end = _result_of(line)
                    if end is not None:
                        return
                    if result is not None and progress.take(result["number"]):
                        yield result
            except (Problem, httpx.TransportError) as failure:
                error = failure
            await self._sleep(progress.wait_after(error))

    async def watch(self, after: int = -1) -> AsyncIterator[JobEvent]:
        """As `Job.watch`."""
        progress = _Progress(after, self._now)
        while True:
            error: Exception | None = None
            try:
                async for line in self._lines("events", progress.last):
                    event = _event_of(line)
                    if event is not None and "number" in event and progress.take(event["number"]):
                        yield event
                        if event["type"] in _ENDS:
                            return
            except _Over:
                return
            except (Problem, httpx.TransportError) as failure:
                error = failure
            await self._sleep(progress.wait_after(error))

    async def _lines(self, kind: str, after: int) -> AsyncIterator[bytes]:
        url, options = self._stream(kind, after)
        async with self._http.stream("GET", url, **options) as response:
            if not response.is_success:
                raise await aread_problem(response)
            if response.status_code == 204:
                raise _Over
            lines = _Lines()
            async for chunk in response.aiter_bytes():
                for line in lines.of(chunk):
                    if line:
                        yield line

    async def _json(self, method: str, url: str) -> Any:
        async with self._http.stream(method, url, **self._options("application/json")) as response:
            if not response.is_success:
                raise await aread_problem(response)
            return json.loads(await aread(response))
