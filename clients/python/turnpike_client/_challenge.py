"""The price of a 402: x402 version 2 in a header, or version 1 in the body."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, field
from typing import Any

from ._amounts import is_atomic
from ._networks import V1_NETWORKS
from .errors import PaymentDeclined

PAYMENT_REQUIRED = "payment-required"
PAYMENT_SIGNATURE = "PAYMENT-SIGNATURE"
PAYMENT_RESPONSE = "payment-response"
X_PAYMENT = "X-PAYMENT"
X_PAYMENT_RESPONSE = "x-payment-response"

#: Longest payment header, in characters of base64. Many proxies refuse a longer field.
MAX_HEADER_LENGTH = 8192
#: Longest text from a peer for members without a limit of the protocol.
_MAX_TEXT = 2048
_MAX_ACCEPTS = 32
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


@dataclass(frozen=True)
class Requirements:
    """Conditions of a payment: `PaymentRequirements` of x402 version 2."""

    scheme: str
    network: str
    #: In atomic units.
    amount: int
    asset: str
    pay_to: str
    max_timeout_seconds: int
    extra: dict[str, Any] = field(default_factory=dict)
    #: All members as the server sent them; the payment repeats them.
    sent: dict[str, Any] = field(default_factory=dict)

    @property
    def method(self) -> Any:
        """The contract that moves the money: `eip3009`, `permit2` or an unknown method."""
        return self.extra.get("assetTransferMethod", "permit2" if self.scheme == "upto" else "eip3009")

    @property
    def flow(self) -> Any:
        """The order of settlement and response: `authorization`, `upfront` or an unknown flow."""
        return self.extra.get("paymentFlow", "authorization")


@dataclass(frozen=True)
class Challenge:
    """The payment requirements of a response, in the x402 version in which the server sent them."""

    version: int
    resource: dict[str, Any]
    accepts: tuple[Requirements, ...]
    extensions: dict[str, Any] | None = None
    error: str | None = None


def decode_header(text: str) -> Any:
    """The JSON value in a payment header; None if it is too long, or not valid base64, UTF-8 or JSON."""
    if not text or len(text) > MAX_HEADER_LENGTH or _BASE64.fullmatch(text) is None:
        return None
    try:
        return json.loads(base64.b64decode(text + "=" * (-len(text) % 4)).decode("utf8"))
    except (binascii.Error, ValueError, RecursionError):
        return None


def encode_header(value: Any) -> str:
    """Encodes a value for a payment header: JSON in base64."""
    return base64.b64encode(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()).decode()


def from_v1_network(network: str) -> str:
    """Converts a network's version 1 name to version 2. An unknown name stays as it is."""
    return V1_NETWORKS.get(network, network)


def v1_network(network: str) -> str:
    """Converts a network to its version 1 name, if it has one."""
    return next((name for name, known in V1_NETWORKS.items() if network == known), network)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _requirements(value: Any) -> Requirements | None:
    if not isinstance(value, dict):
        return None
    extra = value.get("extra", {})
    seconds = value.get("maxTimeoutSeconds")
    texts = [value.get(name) for name in ("scheme", "network", "asset", "payTo")]
    is_valid = (
        all(_is_text(text) for text in texts)
        and is_atomic(value.get("amount"))
        and isinstance(extra, dict)
        and isinstance(seconds, int)
        and not isinstance(seconds, bool)
        and seconds > 0
    )
    if not is_valid:
        return None
    scheme, network, asset, pay_to = (str(text) for text in texts)
    amount = int(value["amount"])
    return Requirements(scheme, network, amount, asset, pay_to, int(value["maxTimeoutSeconds"]), extra, {**value, "extra": extra})


def _from_v2(value: Any) -> Challenge | None:
    if not isinstance(value, dict) or value.get("x402Version") != 2:
        return None
    resource, accepts, extensions = value.get("resource"), value.get("accepts"), value.get("extensions")
    if not isinstance(resource, dict) or not _is_text(resource.get("url")):
        return None
    if not isinstance(accepts, list) or len(accepts) > _MAX_ACCEPTS or not isinstance(extensions, dict | None):
        return None
    ways = [_requirements(way) for way in accepts]
    error = value.get("error")
    if None in ways or not (error is None or _is_text(error)):
        return None
    return Challenge(2, resource, tuple(way for way in ways if way is not None), extensions, error)


def _from_v1(value: Any, url: str) -> Challenge | None:
    if not isinstance(value, dict) or value.get("x402Version") != 1:
        return None
    accepts = value.get("accepts")
    if not isinstance(accepts, list) or len(accepts) > _MAX_ACCEPTS:
        return None
    ways = []
    for way in accepts:
        if not isinstance(way, dict) or way.get("scheme") != "exact" or way.get("network") not in V1_NETWORKS:
            continue
        members = ("scheme", "asset", "payTo", "maxTimeoutSeconds")
        converted: dict[str, Any] = {name: way.get(name) for name in members}
        converted["network"] = from_v1_network(str(way["network"]))
        converted["amount"] = way.get("maxAmountRequired")
        converted["extra"] = way.get("extra") or {}
        requirements = _requirements(converted)
        if requirements is not None and requirements.method == "eip3009":
            ways.append(requirements)
    error = value.get("error")
    return Challenge(1, {"url": url}, tuple(ways), error=error if _is_text(error) else None)


def read_challenge(header: str | None, body: bytes | None, url: str) -> Challenge:
    """Reads the price: version 2 from the header, otherwise version 1 from the body. Raises PaymentDeclined without one."""
    if header is not None:
        challenge = _from_v2(decode_header(header))
        if challenge is None:
            raise PaymentDeclined("Cannot pay: the 402 has no readable PAYMENT-REQUIRED header")
        return challenge
    try:
        value = json.loads(body or b"")
    except (ValueError, RecursionError):
        value = None
    challenge = _from_v1(value, url)
    if challenge is None:
        raise PaymentDeclined("Cannot pay: the 402 has no x402 payment requirements, neither in PAYMENT-REQUIRED nor in its body")
    return challenge
