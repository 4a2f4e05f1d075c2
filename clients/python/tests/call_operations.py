"""Calls every operation of a gateway, for test/start/operations.test.ts: sync and async take turns."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from turnpike_client import AsyncJob, AsyncTurnpike, File, Job, Payer, Payment, Problem, Turnpike

url, private_key, sales, missing_page = sys.argv[1:]
payments: list[Payment] = []
payer = Payer(private_key, max_price="1", on_payment=payments.append)


def paid() -> str:
    text = "".join(f"{payment.url.removeprefix(url)} {payment.price}" for payment in payments)
    payments.clear()
    return text


def text_of(answer: Any) -> str:
    return answer.content.decode("latin1") if isinstance(answer, File) else json.dumps(answer, separators=(",", ":"))


def call(name: str, body: dict[str, Any]) -> tuple[str, str]:
    with Turnpike(url, payer) as turnpike:
        answer = getattr(turnpike, name)(**body)
        if not isinstance(answer, Job):
            return paid(), text_of(answer)
        pages = "".join(text_of(page) for page in answer)
        events = [event["type"] for event in answer.watch()]
        state = answer.state()
        return told(name, state, pages, events)


async def acall(name: str, body: dict[str, Any]) -> tuple[str, str]:
    async with AsyncTurnpike(url, payer) as turnpike:
        answer = await getattr(turnpike, name)(**body)
        if not isinstance(answer, AsyncJob):
            return paid(), text_of(answer)
        pages = "".join([text_of(page) async for page in answer])
        events = [event["type"] async for event in answer.watch()]
        return told(name, await answer.state(), pages, events)


def told(name: str, state: Any, pages: str, events: list[str]) -> tuple[str, str]:
    if events != ["started", "page", "completed"]:
        raise SystemExit(f"Cannot use the events: {events}")
    cost = state["cost"]
    return f"{paid()}{name} {cost['paid']} of {cost['quote']}", f"{state['state']} {pages}"


results: dict[str, Any] = {}
for number, (name, body) in enumerate(json.loads(sales)):
    forms = [call(name, body or {}), asyncio.run(acall(name, body or {}))] if name in ("crawl", "qr") else []
    if not forms:
        forms = [call(name, body or {}) if number % 2 == 0 else asyncio.run(acall(name, body or {}))]
    results[name] = [{"paid": paid, "start": text[:4000]} for paid, text in forms]

with Turnpike(url, payer) as turnpike:
    try:
        turnpike.read(missing_page)
    except Problem as problem:
        results["missing"] = [problem.code, problem.status, problem.page_status, paid()]
    try:
        turnpike.scrape("nowhere")
    except Problem as problem:
        results["problem"] = [problem.code, [[error.path, error.message] for error in problem.errors]]
    job = turnpike.batch_job([missing_page, missing_page + "/x"])
    job.cancel()
    results["cancelled"] = [turnpike.job(job.started).state()["state"], len(job.ready()["results"])]
    session = turnpike.session(ttl=60)
    given = (session["id"], session["secret"])
    listed = [one["id"] for one in turnpike.session_list(session["secret"])["sessions"]]
    about = [listed == [session["id"]], turnpike.session_status(*given)["uses"], turnpike.session_end(*given)["uses"]]
    results["sessions"] = about


async def after(browser: Any) -> list[Any]:
    """What the asynchronous client says about a browser, and after its end."""
    async with AsyncTurnpike(url, payer) as turnpike:
        given = (browser["id"], browser["token"])
        states = [await turnpike.browser_status(*given), await turnpike.browser_end(*given)]
        try:
            await turnpike.browser_status(*given)
        except Problem as problem:
            return [*(state["connected"] for state in states), problem.code]
    return []


if "browser" in results:
    with Turnpike(url, payer) as turnpike:
        results["browsers"] = asyncio.run(after(turnpike.browser(minutes=1)))
print(json.dumps(results))
