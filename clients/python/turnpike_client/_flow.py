"""
A paid request as a sequence of steps, without input and output, so that synchronous and asynchronous transports share it:
402, signature, the same request with the payment, and the same payment again while its outcome is open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any

from ._amounts import format_amount, is_atomic
from ._challenge import (
    PAYMENT_REQUIRED,
    PAYMENT_RESPONSE,
    PAYMENT_SIGNATURE,
    X_PAYMENT,
    X_PAYMENT_RESPONSE,
    decode_header,
    encode_header,
    from_v1_network,
    read_challenge,
)
from ._choice import Choice
from .errors import PaymentDeclined, PaymentOutcomeUnknown
from .payer import Payer, Payment

#: Bytes of a body that are read to find a version 1 price, or the type of a problem.
MAX_READ_BYTES = 256 * 1024
#: Compressed bytes of a body that are expanded for this.
MAX_COMPRESSED_BYTES = 16 * 1024
#: The statuses whose bodies the steps need.
READ_STATUSES = frozenset({402, 503})
#: Seconds until the same payment is sent again to a server that did not respond.
_NO_RESPONSE_WAIT_S = 1.0
#: The number of times that the same payment is sent again while its outcome is open.
_MAX_RESENDS = 5
#: The longest wait between two tries with one payment, in seconds, even if the server asks for more.
_MAX_WAIT_S = 10.0
_PENDING = "urn:turnpike:error:settlement-pending"
_TRANSACTION = re.compile(r"(?:0x[0-9a-fA-F]{1,64})?")


@dataclass(frozen=True)
class Send:
    """Send the request, with these additional fields. The reply is a Reply, or the exception of the connection."""

    fields: Mapping[str, str]


@dataclass(frozen=True)
class Wait:
    """Wait for this number of seconds."""

    seconds: float


@dataclass(frozen=True)
class Reply:
    """A response; `body` is its start if the status is in READ_STATUSES."""

    status: int
    #: By names in any letter case.
    headers: Mapping[str, str]
    body: bytes | None = None


Step = Send | Wait
#: The response to the last request is the result. The value is the choice that was signed, if any.
Steps = Generator[Step, Any, Choice | None]


def check_not_redirected(start: str | None, url: str) -> None:
    """After a redirect, the price comes from a server that the caller did not name. Raises PaymentDeclined."""
    if start is not None and start != url:
        raise PaymentDeclined("Cannot pay: the price comes from a redirect. Call the address of its target instead")


def pay(
    url: str, payer: Payer, price_limit: str | None = None, *, start: str | None = None, repeat: bool = False
) -> Steps:
    """
    The steps of a request that pays if the response asks for it. It signs only once. `start` is the address before
    redirects. With `repeat` the request itself is sent again while its outcome is open. Raises PaymentDeclined if it does
    not pay, PaymentOutcomeUnknown if it paid and got no response.
    """
    if repeat:
        first, _ = yield from _send_paid(Send({}))
    else:
        first = yield Send({})
    if isinstance(first, Exception):
        raise first
    if first.status != 402:
        return None
    check_not_redirected(start, url)
    challenge = read_challenge(first.headers.get(PAYMENT_REQUIRED), first.body, url)
    try:
        signed = payer.sign(challenge, price_limit)
    except PaymentDeclined as error:
        if challenge.error:
            error.add_note(f"The server says: {challenge.error}")
        raise
    name = PAYMENT_SIGNATURE if challenge.version == 2 else X_PAYMENT
    reply, was_broken = yield from _send_paid(Send({name: encode_header(signed.payload)}))
    receipt = _receipt_of(reply, signed.choice, payer.account().address)
    if 200 <= reply.status < 300 or (receipt is not None and receipt["success"] is True):
        _report(payer, url, signed.choice, receipt)
        rest = _rest_of(signed.choice, receipt)
        if rest > 0:
            signed.release(signed.expires, rest)
    elif not was_broken and (receipt is not None or not _is_open(reply)):
        signed.release(signed.expires)
    return signed.choice


def _send_paid(send: Send) -> Generator[Step, Any, tuple[Reply, bool]]:
    was_broken = False
    for resend in range(_MAX_RESENDS + 1):
        reply = yield send
        is_last = resend == _MAX_RESENDS
        if isinstance(reply, Exception):
            if is_last:
                raise PaymentOutcomeUnknown(
                    f"Cannot find out the result of the payment: {type(reply).__name__}; it may have been charged"
                ) from reply
            was_broken = True
            yield Wait(_NO_RESPONSE_WAIT_S)
            continue
        wait = _wait_before_resend(reply)
        if wait is None or is_last:
            return reply, was_broken
        yield Wait(wait)
    raise AssertionError("unreachable")


def _wait_before_resend(reply: Reply) -> float | None:
    """Seconds until the same payment may be sent again; None if sending it again is useless."""
    seconds = reply.headers.get("retry-after") or ""
    if reply.status not in (409, 503) or re.fullmatch(r"[0-9]{1,4}", seconds) is None:
        return None
    return min(float(seconds), _MAX_WAIT_S)


def _receipt_field(reply: Reply) -> str | None:
    return reply.headers.get(PAYMENT_RESPONSE) or reply.headers.get(X_PAYMENT_RESPONSE)


def _is_open(reply: Reply) -> bool:
    """True if a failed response does not say that nothing was charged."""
    if _receipt_field(reply) is not None:
        return True
    if reply.status == 409:
        return _wait_before_resend(reply) is not None
    if reply.status != 503:
        return False
    try:
        problem = json.loads(reply.body or b"")
    except (ValueError, RecursionError):
        return False
    return isinstance(problem, dict) and problem.get("type") == _PENDING


def _receipt_of(reply: Reply, choice: Choice, payer: str) -> dict[str, Any] | None:
    """The receipt if it fits this payment: same network and payer, and at most the signed amount."""
    receipt = decode_header(_receipt_field(reply) or "")
    if not isinstance(receipt, dict) or not isinstance(receipt.get("success"), bool):
        return None
    network, transaction = receipt.get("network"), receipt.get("transaction")
    named, amount = receipt.get("payer"), receipt.get("amount")
    if not isinstance(network, str) or not isinstance(transaction, str):
        return None
    is_ours = from_v1_network(network) == choice.requirements.network and (
        named is None or (isinstance(named, str) and named.lower() == payer.lower())
    )
    is_within = amount is None or (is_atomic(amount) and int(amount) <= choice.requirements.amount)
    return receipt if is_ours and is_within and _TRANSACTION.fullmatch(transaction) else None


def _rest_of(choice: Choice, receipt: dict[str, Any] | None) -> int:
    """The part of a payment that a receipt does not charge, in units of `Choice.dollars`. Only `upto` has one."""
    charged = receipt.get("amount") if receipt is not None and receipt["success"] else None
    if choice.requirements.scheme != "upto" or charged is None:
        return 0
    return choice.dollars - choice.dollars * int(charged) // choice.requirements.amount


def _report(payer: Payer, url: str, choice: Choice, receipt: dict[str, Any] | None) -> None:
    # An `upto` payment can charge nothing.
    if payer.on_payment is None or receipt is None or not receipt["success"] or receipt.get("amount") == "0":
        return
    charged = int(receipt.get("amount") or choice.requirements.amount)
    price = f"${format_amount(charged, choice.asset.decimals)}"
    payer.on_payment(Payment(url, price, choice.requirements.network, receipt["transaction"]))
