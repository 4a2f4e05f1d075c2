"""The errors of this package. They have the base class TurnpikeError."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class TurnpikeError(Exception):
    """The base class of the errors of this package."""


class PaymentError(TurnpikeError):
    """A payment that was not made, or whose outcome is unknown."""

    #: True if money may have moved; False if nothing was signed.
    maybe_charged = False


class PaymentDeclined(PaymentError):
    """The client made no payment and signed nothing."""


class PriceTooHigh(PaymentDeclined):
    """The price is above the limit of one request."""


class TotalTooHigh(PaymentDeclined):
    """The total of the day would exceed its limit."""


class PaymentOutcomeUnknown(PaymentError):
    """The client sent a payment and does not know its result. It may have been charged."""

    maybe_charged = True


@dataclass(frozen=True)
class FieldError:
    """An error in a field of a request."""

    path: str
    message: str


class Problem(TurnpikeError):
    """
    An error response of the service or the gateway (RFC 9457). Nothing was charged, unless `on_payment` was called, as on
    routes that are paid in advance. With the code `settlement-pending` the outcome is unknown, and another call pays again.
    """

    def __init__(self, status: int, problem: Any, headers: Mapping[str, str]) -> None:
        fields: Mapping[str, Any] = problem if isinstance(problem, dict) else {}

        def text(name: str) -> str:
            value = fields.get(name)
            return value if isinstance(value, str) else ""

        self.status = status
        self.title = text("title") or f"HTTP {status}"
        self.detail = text("detail")
        code = re.fullmatch(r"urn:turnpike:error:([\w-]+)", text("type"))
        #: The last part of the problem's type, such as `page-timeout`; empty if the response was not a problem document.
        self.code = code.group(1) if code else ""
        #: The id of the request, as in the logs of the service.
        self.request_id = text("instance") or headers.get("x-request-id")
        #: The errors in the fields of the request.
        self.errors = _field_errors(fields.get("errors"))
        page_status = fields.get("page_status")
        #: The HTTP status of the page's server, if it is the reason.
        self.page_status: int | None = page_status if isinstance(page_status, int) else None
        seconds = headers.get("retry-after") or ""
        #: Seconds to wait before another try, if the response has them.
        self.retry_after = int(seconds) if re.fullmatch(r"[0-9]{1,6}", seconds) else None
        super().__init__(f"{status} {self.title}" + (f": {self.detail}" if self.detail else ""))


def _field_errors(value: Any) -> list[FieldError]:
    if not isinstance(value, list):
        return []
    return [
        FieldError(str(error["path"]), str(error["message"]))
        for error in value
        if isinstance(error, dict) and "path" in error and "message" in error
    ]
