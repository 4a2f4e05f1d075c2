"""The choice among the payment requirements of a challenge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ._amounts import PLACES, format_dollars
from ._challenge import Challenge, Requirements
from ._networks import ASSETS, NETWORKS, Asset
from .account import is_address
from .errors import PaymentDeclined, PriceTooHigh

#: The facilitator of `upto` in test mode. It is on no chain, so such a payment moves no money.
SIMULATED_FACILITATOR = "0x7e577e577e577E577E577e577E577e577E577E57"
#: Largest number of decimals of a token. No known token has more.
_MAX_DECIMALS = 36
_NETWORK = re.compile(r"eip155:[1-9][0-9]{0,14}")
_ASSET = re.compile(r"((?:eip155:)?[a-z0-9-]{1,40}):(0x[0-9a-fA-F]{40}):(.{1,100}):([^:]{1,20}):([0-9]{1,2})")


@dataclass(frozen=True)
class Choice:
    """Payment requirements that this client can pay, and the token by its own knowledge."""

    requirements: Requirements
    asset: Asset
    #: The contract that moves the money: `eip3009` for the token itself, or `permit2`.
    method: str

    @property
    def dollars(self) -> int:
        """The price in 10^-36 dollars. Each token counts as one dollar."""
        unit: int = 10 ** (PLACES - self.asset.decimals)
        return self.requirements.amount * unit


def parse_network(text: str) -> str | None:
    """The CAIP-2 identifier of an EVM chain by its identifier or name."""
    if _NETWORK.fullmatch(text):
        return text
    return next((network for network, (name, _) in NETWORKS.items() if name == text), None)


def network_title(network: str) -> str:
    """The network's name for people: `Base Sepolia (eip155:84532)`."""
    known = NETWORKS.get(network)
    return network if known is None else f"{known[1]} ({network})"


def parse_asset(text: str) -> Asset:
    """A token that the wallet may pay with: `NETWORK:ADDRESS:NAME:VERSION:DECIMALS`. Raises ValueError for other forms."""
    match = _ASSET.fullmatch(text)
    network = parse_network(match.group(1)) if match else None
    if match is None or network is None or int(match.group(5)) > _MAX_DECIMALS:
        raise ValueError(f'Cannot allow the token "{text}": it is not NETWORK:ADDRESS:NAME:VERSION:DECIMALS')
    _, address, name, version, decimals = match.groups()
    return Asset(network, address, name, name, version, int(decimals))


def choose(challenge: Challenge, max_dollars: int, limit: str, assets: Sequence[Asset], permit2: bool) -> Choice:
    """
    The cheapest requirements that the client can pay within the limit. Tokens that are neither known nor in `assets` are
    never used. Permit2 needs an allowance, so it is only used with `permit2`, or if no money moves. Raises PaymentDeclined.
    """
    known = [choice for way in challenge.accepts if (choice := _choice_of(way, assets)) is not None]
    payable = [choice for choice in known if is_address(choice.requirements.pay_to)]
    if known and not payable:
        raise PaymentDeclined("Cannot pay: the payee is not an address")
    affordable = [choice for choice in payable if choice.dollars <= max_dollars]
    if payable and not affordable:
        cheapest = min(choice.dollars for choice in payable)
        raise PriceTooHigh(f"Cannot pay {format_dollars(cheapest)}: the limit is {limit}")
    usable = [choice for choice in affordable if choice.method == "eip3009" or permit2 or _is_simulated(choice)]
    if not usable:
        asked = ", ".join(f"{way.scheme} on {network_title(way.network)}" for way in challenge.accepts)
        raise PaymentDeclined(
            f"Cannot pay: this client supports none of the payment methods asked for ({asked or 'none'})"
        )
    return min(usable, key=lambda choice: (choice.dollars, _order(choice)))


def _order(choice: Choice) -> int:
    """Of equal prices: `upto` charges what was delivered, and under `upfront` the money moves before the response."""
    if choice.requirements.scheme == "upto":
        return 0
    return 2 if choice.requirements.flow == "upfront" else 1


def _is_simulated(choice: Choice) -> bool:
    facilitator = choice.requirements.extra.get("facilitatorAddress")
    return isinstance(facilitator, str) and facilitator.lower() == SIMULATED_FACILITATOR.lower()


def _choice_of(way: Requirements, assets: Sequence[Asset]) -> Choice | None:
    network = parse_network(way.network)
    asset = next(
        (one for one in [*assets, *ASSETS] if one.network == network and one.address.lower() == way.asset.lower()), None
    )
    if network is None or asset is None:
        return None
    is_exact = way.scheme == "exact" and way.flow in ("authorization", "upfront")
    is_upto = way.scheme == "upto" and way.flow == "authorization" and is_address(way.extra.get("facilitatorAddress"))
    if is_exact and way.method == "eip3009":
        return Choice(way, asset, "eip3009")
    return Choice(way, asset, "permit2") if (is_exact or is_upto) and way.method == "permit2" else None
