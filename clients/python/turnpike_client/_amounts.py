"""Amounts of money: whole atomic units of a token, and dollars in units of 10^-36, which no token needs to round."""

from __future__ import annotations

import re
from typing import Any

PLACES = 36
_MAX_UINT256 = 2**256 - 1
_ATOMIC = re.compile(r"(?:0|[1-9][0-9]{0,77})")
_LIMIT = re.compile(
    r"(?:\$((?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?)|((?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,6})?)(?: ?USDC)?)", re.IGNORECASE
)


def is_atomic(value: Any) -> bool:
    """True for the decimal text of a whole number that fits in a uint256."""
    return isinstance(value, str) and _ATOMIC.fullmatch(value) is not None and int(value) <= _MAX_UINT256


def read_limit(text: str, name: str) -> int:
    """A limit such as `0.05`, `0.05 USDC` or `$0.05`, in 10^-36 dollars. Raises ValueError if it is not an amount, or zero."""
    match = _LIMIT.fullmatch(text.strip())
    amount = (match.group(1) or match.group(2)) if match else ""
    whole, _, fraction = amount.partition(".")
    dollars = int((whole + fraction.ljust(PLACES, "0")) or "0")
    if dollars == 0:
        raise ValueError(f'Cannot use the {name} "{text}": it is not an amount such as 0.05')
    return dollars


def format_amount(atomic: int, decimals: int) -> str:
    """A decimal number with two places or more, if the token has them: 10000 is `0.01` of USDC."""
    if decimals == 0:
        return str(atomic)
    digits = str(atomic).rjust(decimals + 1, "0")
    return f"{digits[:-decimals]}.{digits[-decimals:].rstrip('0').ljust(min(2, decimals), '0')}"


def format_dollars(amount: int) -> str:
    """An amount in 10^-36 dollars for people: `$0.05`."""
    return f"${format_amount(amount, PLACES)}"
