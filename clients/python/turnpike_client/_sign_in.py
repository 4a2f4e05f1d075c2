"""Signing in to prepaid credit: x402's extension `sign-in-with-x`, by a message of EIP-4361."""

from __future__ import annotations

from typing import Any

import httpx

from ._challenge import PAYMENT_REQUIRED, decode_header, encode_header
from ._typed_data import chain_id, personal_hash
from .errors import PaymentDeclined
from .payer import Payer

SIGN_IN = "SIGN-IN-WITH-X"


def sign_in(response: httpx.Response, url: httpx.URL, payer: Payer) -> str:
    """The header that answers the challenge in `response`. Raises PaymentDeclined if the challenge is not of `url`."""
    required = decode_header(response.headers.get(PAYMENT_REQUIRED, ""))
    try:
        info: dict[str, Any] = required["extensions"]["sign-in-with-x"]["info"]
        domain, uri = info["domain"], httpx.URL(info["uri"])
        message = {name: info[name] for name in ("domain", "uri", "version", "nonce", "issuedAt")}
    except (TypeError, KeyError, httpx.InvalidURL):
        raise PaymentDeclined("Cannot sign in: the gateway has no challenge, or sells no prepaid credit") from None
    message |= {name: info[name] for name in ("statement", "expirationTime") if isinstance(info.get(name), str)}
    # The signature would be valid for the service that the message names.
    if domain != url.netloc.decode() or (uri.scheme, uri.netloc) != (url.scheme, url.netloc):
        raise PaymentDeclined(f"Cannot sign in: the challenge is for {domain}, not for {url.netloc.decode()}")
    if any(not isinstance(value, str) or not value.isprintable() for value in message.values()):
        raise PaymentDeclined("Cannot sign in: the challenge is malformed")
    account = payer.account()
    message |= {"address": account.address, "chainId": "eip155:8453", "type": "eip191"}
    return encode_header({**message, "signature": account.sign(personal_hash(sign_in_text(message)))})


def sign_in_text(message: dict[str, str]) -> str:
    """The text that a wallet signs (EIP-4361)."""
    lines = [
        f"{message['domain']} wants you to sign in with your Ethereum account:",
        message["address"],
        "",
        *([message["statement"]] if "statement" in message else []),
        "",
        f"URI: {message['uri']}",
        f"Version: {message['version']}",
        f"Chain ID: {chain_id(message['chainId'])}",
        f"Nonce: {message['nonce']}",
        f"Issued At: {message['issuedAt']}",
        *([f"Expiration Time: {message['expirationTime']}"] if "expirationTime" in message else []),
    ]
    return "\n".join(lines)
