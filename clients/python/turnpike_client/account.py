"""Accounts that sign payments, from a private key or from a wallet file of `turnpike wallet`."""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import tempfile
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

from . import _curve
from ._keccak import keccak_256

_KEY = re.compile(r"(?:0x)?([0-9a-fA-F]{64})")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}")
_TRIES = 3


def is_address(value: Any) -> bool:
    """True for `0x` and 40 hexadecimal digits."""
    return isinstance(value, str) and _ADDRESS.fullmatch(value) is not None


def checksum_address(address: str) -> str:
    """The address with the letter case of EIP-55."""
    digits = address[2:].lower()
    marks = keccak_256(digits.encode()).hex()
    return "0x" + "".join(
        digit.upper() if int(mark, 16) >= 8 else digit for digit, mark in zip(digits, marks, strict=False)
    )


def _address_of(point: _curve.Point) -> str:
    key = point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")
    return checksum_address("0x" + keccak_256(key)[12:].hex())


class Account:
    """
    A plain account on EVM chains. OpenSSL makes the signatures, with random nonces and in constant time. Python adds the
    recovery bit, for which it needs no secret, and so also checks each signature.
    """

    def __init__(self, private_key: str | bytes) -> None:
        match = _KEY.fullmatch(private_key) if isinstance(private_key, str) else None
        key = bytes.fromhex(match.group(1)) if match else private_key
        # No error shows the value, because it may be the key.
        if not isinstance(key, bytes) or len(key) != 32:
            raise ValueError("Cannot use the private key: it is not 32 bytes")
        if not 0 < int.from_bytes(key, "big") < _curve.ORDER:
            raise ValueError("Cannot use the private key: it is not valid for secp256k1")
        self._key = ec.derive_private_key(int.from_bytes(key, "big"), ec.SECP256K1())
        numbers = self._key.public_key().public_numbers()
        self._point = (numbers.x, numbers.y)
        #: The address with its checksum.
        self.address = _address_of(self._point)

    def __repr__(self) -> str:
        return f"Account({self.address})"

    def sign(self, digest: bytes) -> str:
        """Signs 32 bytes. The result is r, s in the lower half, and v of 27 or 28, as token contracts require."""
        # The name SHA-256 only states the length of the digest.
        scheme = ec.ECDSA(utils.Prehashed(hashes.SHA256()))
        for _ in range(_TRIES):
            r, s = utils.decode_dss_signature(self._key.sign(digest, scheme))
            s = min(s, _curve.ORDER - s)
            bit = _curve.recovery_bit(digest, r, s, self._point)
            if bit is not None:
                return f"0x{r:064x}{s:064x}{27 + bit:02x}"
        raise RuntimeError("Cannot sign: the signatures do not belong to the key")


def recover_signer(digest: bytes, signature: str) -> str | None:
    """The address that signed 32 bytes; None if token contracts would not accept the signature."""
    if re.fullmatch(r"0x[0-9a-fA-F]{130}", signature) is None:
        return None
    data = bytes.fromhex(signature[2:])
    r, s, v = int.from_bytes(data[:32], "big"), int.from_bytes(data[32:64], "big"), data[64]
    if v not in (27, 28) or s > _curve.ORDER // 2:
        return None
    point = _curve.recover(digest, r, s, v - 27)
    return None if point is None else _address_of(point)


def wallet_path() -> Path:
    """The wallet file of the command `turnpike`: in $TURNPIKE_HOME, or in ~/.turnpike."""
    return Path(os.environ.get("TURNPIKE_HOME") or Path.home() / ".turnpike") / "wallet.json"


def open_wallet(path: str | os.PathLike[str]) -> Account:
    """Reads the wallet, or creates one on first use. Raises ValueError or OSError if it cannot be used."""
    file = Path(path)
    if not file.exists():
        _create_wallet(file)
    if stat.S_IMODE(file.stat().st_mode) & 0o077:
        raise ValueError(f'Cannot use the wallet "{file}": other users can read it; protect it with: chmod 600')
    try:
        value = json.loads(file.read_text("utf8"))
        if value["version"] != 1:
            raise ValueError
        account = Account(value["private_key"])
        named = value["address"]
    except (ValueError, KeyError, TypeError):
        # The reason could show the content, which may be the key.
        raise ValueError(f'Cannot use the wallet "{file}": it is not a wallet file') from None
    if not isinstance(named, str) or account.address.lower() != named.lower():
        raise ValueError(f'Cannot use the wallet "{file}": its address does not belong to its key')
    return account


def _create_wallet(file: Path) -> None:
    """Creates a wallet file as a whole. Another process may create one meanwhile; its wallet stays."""
    key = (1 + secrets.randbelow(_curve.ORDER - 1)).to_bytes(32, "big")
    wallet = {"version": 1, "address": Account(key).address, "private_key": f"0x{key.hex()}"}
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The draft has the mode 0600.
    descriptor, draft = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf8") as stream:
            stream.write(f"{json.dumps(wallet, indent=2)}\n")
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
    finally:
        os.unlink(draft)
