"""EIP-712 hashes of the messages that a payer signs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._keccak import keccak_256

PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
#: x402's proxies, the spenders under Permit2: they send only to the `to` of the witness.
PROXIES = {
    "exact": "0x402085c248EeA27D92E8b30b2C58ed07f9E20001",
    "upto": "0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002",
}


def _text(text: str) -> bytes:
    return keccak_256(text.encode())


def _hex(value: str) -> bytes:
    return bytes.fromhex(value.removeprefix("0x")).rjust(32, b"\0")


def _number(value: int | str) -> bytes:
    return int(value).to_bytes(32, "big")


_TOKEN_DOMAIN = _text("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
_TRANSFER = _text(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)
_PERMIT2_DOMAIN = _text("EIP712Domain(string name,uint256 chainId,address verifyingContract)")
_PERMIT2_NAME = _text("Permit2")
_PERMISSIONS = "TokenPermissions(address token,uint256 amount)"
_EXACT = "Witness(address to,uint256 validAfter)"
_UPTO = "Witness(address to,address facilitator,uint256 validAfter)"
_PERMIT = (
    "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)"
)
_PERMISSIONS_TYPE = _text(_PERMISSIONS)
_WITNESS_TYPES = {"exact": _text(_EXACT), "upto": _text(_UPTO)}
_PERMIT_TYPES = {"exact": _text(_PERMIT + _PERMISSIONS + _EXACT), "upto": _text(_PERMIT + _PERMISSIONS + _UPTO)}


def chain_id(network: str) -> int:
    """The chain id of an `eip155` network."""
    return int(network.removeprefix("eip155:"))


def _signed(domain: bytes, message: bytes) -> bytes:
    return keccak_256(b"\x19\x01" + keccak_256(domain) + keccak_256(message))


def authorization_hash(
    name: str, version: str, network: str, asset: str, authorization: Mapping[str, str]
) -> bytes:
    """The hash of an EIP-3009 TransferWithAuthorization."""
    domain = _TOKEN_DOMAIN + _text(name) + _text(version) + _number(chain_id(network)) + _hex(asset)
    message = _TRANSFER + _hex(authorization["from"]) + _hex(authorization["to"])
    for field in ("value", "validAfter", "validBefore"):
        message += _number(authorization[field])
    return _signed(domain, message + _hex(authorization["nonce"]))


def permit2_hash(network: str, authorization: Mapping[str, Any]) -> bytes:
    """The hash of a Permit2 PermitWitnessTransferFrom. A witness with a facilitator has the form of `upto`."""
    permitted, witness = authorization["permitted"], authorization["witness"]
    scheme = "upto" if "facilitator" in witness else "exact"
    witness_fields = _WITNESS_TYPES[scheme] + _hex(witness["to"])
    if scheme == "upto":
        witness_fields += _hex(witness["facilitator"])
    message = (
        _PERMIT_TYPES[scheme]
        + keccak_256(_PERMISSIONS_TYPE + _hex(permitted["token"]) + _number(permitted["amount"]))
        + _hex(authorization["spender"])
        + _number(authorization["nonce"])
        + _number(authorization["deadline"])
        + keccak_256(witness_fields + _number(witness["validAfter"]))
    )
    return _signed(_PERMIT2_DOMAIN + _PERMIT2_NAME + _number(chain_id(network)) + _hex(PERMIT2), message)


def personal_hash(text: str) -> bytes:
    """The hash of a personal message (EIP-191)."""
    data = text.encode()
    return keccak_256(b"\x19Ethereum Signed Message:\n" + str(len(data)).encode() + data)
