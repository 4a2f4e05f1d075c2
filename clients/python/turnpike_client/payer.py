"""The payer: an account, its limits, and the payments that it signs."""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ._amounts import read_limit
from ._challenge import MAX_HEADER_LENGTH, Challenge, encode_header, v1_network
from ._choice import Choice, Limits, choose, parse_asset, parse_preferences
from ._typed_data import PROXIES, authorization_hash, permit2_hash
from .account import Account, open_wallet
from .errors import PaymentDeclined
from .spending import Spending, Total

#: The longest validity of a signed payment in seconds, even if the server asks for more. An `upto` payment can pay for a
#: job, which is charged at its end.
_MAX_VALID_S = 600
_MAX_UPTO_VALID_S = 7_200
_IDENTIFIER = "payment-identifier"


@dataclass(frozen=True)
class Payment:
    """A payment that was charged."""

    #: The URL of the paid request.
    url: str
    #: In dollars, such as `$0.005`.
    price: str
    #: The CAIP-2 identifier of the network, such as `eip155:8453`.
    network: str
    #: The hash of the transaction; empty if no transaction was needed.
    transaction: str


@dataclass(frozen=True)
class Signed:
    """A payment that is ready to send."""

    choice: Choice
    payload: dict[str, Any]
    #: Unix seconds.
    expires: int
    #: Called with `expires` if the server says that it charged nothing, or also with the part that it did not charge.
    release: Callable[..., None]


class Payer:
    """
    Pays x402 prices from one account within limits. It can be shared by threads, clients and transports.

    :param private_key: The key that pays: 32 bytes, or 64 hexadecimal digits with or without 0x.
    :param wallet: The path of a wallet file of `turnpike wallet`, in place of a key; created on first use. Its totals of a
        day are in `spending.db` beside it, together with those of the command `turnpike`.
    :param max_price: The highest price of one request, such as `0.05`, `0.05 USDC` or `$0.05`.
    :param max_total: The highest sum of all signatures in a day (UTC); None: no limit.
    :param allow_assets: Tokens to pay with, in addition to the known ones: `NETWORK:ADDRESS:NAME:VERSION:DECIMALS`. Each
        counts as one dollar.
    :param prefer: The order of payment methods, if a server offers several, such as `["base/USDC", "upto"]`. Default: the
        cheapest.
    :param permit2: Also pay by Permit2. Set it if the account has given Permit2 an allowance of its tokens.
    :param spending: The path of the file for the totals; without a wallet they are otherwise kept in memory.
    :param on_payment: Called after each payment that was charged.
    """

    def __init__(
        self,
        private_key: str | bytes | None = None,
        *,
        wallet: str | os.PathLike[str] | None = None,
        max_price: str = "1 USDC",
        max_total: str | None = None,
        allow_assets: Sequence[str] = (),
        prefer: Sequence[str] = (),
        permit2: bool = False,
        spending: str | os.PathLike[str] | None = None,
        on_payment: Callable[[Payment], None] | None = None,
    ) -> None:
        self._max_price = read_limit(max_price, "max_price")
        self._max_total = None if max_total is None else read_limit(max_total, "max_total")
        assets = [parse_asset(text) for text in allow_assets]
        self._limits = Limits(self._max_price, assets, permit2, parse_preferences(prefer, assets))
        self._wallet = wallet
        self._account = None if private_key is None else Account(private_key)
        self._lock = threading.Lock()
        if spending is None and private_key is None and wallet is not None:
            spending = Path(wallet).parent / "spending.db"
        self._spending_path = spending
        self._spending: Spending | None = None
        self.on_payment = on_payment

    @property
    def address(self) -> str | None:
        """The address that pays; None if there is neither a key nor a wallet."""
        return None if self._account is None and self._wallet is None else self.account().address

    def account(self) -> Account:
        """The account that pays. Raises PaymentDeclined if there is none."""
        with self._lock:
            if self._account is None:
                if self._wallet is None:
                    raise PaymentDeclined("Cannot pay: there is no private_key and no wallet")
                try:
                    self._account = open_wallet(self._wallet)
                except (OSError, ValueError) as error:
                    raise PaymentDeclined(str(error)) from error
            return self._account

    def today(self) -> Total:
        """The total of the current day, in 10^-36 dollars."""
        return self._record().today()

    def sign(self, challenge: Challenge, price_limit: str | None = None, now: float | None = None) -> Signed:
        """Chooses among the requirements of a challenge and signs a payment. Raises PaymentDeclined if it does not pay."""
        limit = self._max_price if price_limit is None else read_limit(price_limit, "price_limit")
        choice = choose(challenge, replace(self._limits, max_dollars=limit))
        account = self.account()
        # Before the signature: each holder of a signature can spend it, whatever the server responds.
        release = self._record().add(choice.dollars, self._max_total)
        requirements = choice.requirements
        longest = _MAX_UPTO_VALID_S if requirements.scheme == "upto" else _MAX_VALID_S
        expires = int(time.time() if now is None else now) + min(requirements.max_timeout_seconds, longest)
        transfer = _transfer(choice, account, expires)
        if challenge.version == 1:
            network = v1_network(requirements.network)
            payload = {"x402Version": 1, "scheme": requirements.scheme, "network": network, "payload": transfer}
        else:
            payload = _with_extensions(challenge, requirements.sent, transfer)
        return Signed(choice, payload, expires, release)

    def _record(self) -> Spending:
        with self._lock:
            if self._spending is None:
                self._spending = Spending(self._spending_path)
            return self._spending


def _transfer(choice: Choice, account: Account, expires: int) -> dict[str, Any]:
    """The signed transfer. The domain of the token is the signer's own: one from a peer could belong to another token."""
    requirements, asset = choice.requirements, choice.asset
    nonce = secrets.token_bytes(32)
    if choice.method == "eip3009":
        authorization = {
            "from": account.address,
            "to": requirements.pay_to,
            "value": str(requirements.amount),
            "validAfter": "0",
            "validBefore": str(expires),
            "nonce": f"0x{nonce.hex()}",
        }
        digest = authorization_hash(asset.name, asset.version, asset.network, asset.address, authorization)
        return {"signature": account.sign(digest), "authorization": authorization}
    is_upto = requirements.scheme == "upto"
    facilitator: dict[str, Any] = {"facilitator": requirements.extra["facilitatorAddress"]} if is_upto else {}
    permit: dict[str, Any] = {
        "permitted": {"token": asset.address, "amount": str(requirements.amount)},
        "from": account.address,
        "spender": PROXIES["upto" if is_upto else "exact"],
        "nonce": str(int.from_bytes(nonce, "big")),
        "deadline": str(expires),
        "witness": {"to": requirements.pay_to, **facilitator, "validAfter": "0"},
    }
    return {"signature": account.sign(permit2_hash(asset.network, permit)), "permit2Authorization": permit}


def _with_extensions(challenge: Challenge, accepted: dict[str, Any], transfer: dict[str, Any]) -> dict[str, Any]:
    payment: dict[str, Any] = {"x402Version": 2, "resource": challenge.resource, "accepted": accepted, "payload": transfer}
    extensions = _echo(challenge.extensions)
    if extensions is None:
        return payment
    whole = {**payment, "extensions": extensions}
    if len(encode_header(whole)) <= MAX_HEADER_LENGTH:
        return whole
    # A payment without extensions is still accepted. A payment that is too long is not.
    identifier = extensions.get(_IDENTIFIER)
    return payment if identifier is None else {**payment, "extensions": {_IDENTIFIER: identifier}}


def _echo(extensions: dict[str, Any] | None) -> dict[str, Any] | None:
    """The extensions of the server; with a new payment identifier, if it accepts one."""
    offered = (extensions or {}).get(_IDENTIFIER)
    if extensions is None or not isinstance(offered, dict):
        return extensions
    info: Any = offered.get("info")
    named = {**(info if isinstance(info, dict) else {}), "id": f"pay_{secrets.token_hex(32)}"}
    return {**extensions, _IDENTIFIER: {**offered, "info": named}}
