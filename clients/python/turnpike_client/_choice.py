"""The choice among the payment requirements of a challenge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ._amounts import PLACES, format_dollars
from ._challenge import Challenge, Requirements
from ._networks import ASSETS, NETWORKS, Asset
from .account import is_address
from .errors import PaymentDeclined, PriceTooHigh

#: The facilitator of `upto` in test mode. It is on no chain, so such a payment moves no money.
SIMULATED_FACILITATOR = "0x7e577e577e577E577E577e577E577e577E577E57"
#: Largest number of decimals of a token. No known token has more.
_MAX_DECIMALS = 36
#: The texts of a client's order. More are refused.
_MAX_PREFERENCES = 32
_SCHEMES = frozenset({"exact", "upto", "batch-settlement"})
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


@dataclass(frozen=True)
class Preference:
    """The payment methods that one text of a client's order names. A part that is None fits all methods."""

    network: str | None = None
    scheme: str | None = None
    #: A symbol or an address, in lower case.
    token: str | None = None

    def fits(self, choice: Choice) -> bool:
        asset = choice.asset
        return (
            self.network in (None, asset.network)
            and self.scheme in (None, choice.requirements.scheme)
            and self.token in (None, asset.symbol.lower(), asset.address.lower())
        )


def parse_preferences(texts: Sequence[str], assets: Sequence[Asset]) -> list[Preference]:
    """An order of payment methods such as `base`, `upto` or `base/USDC`. Raises ValueError for an unknown word."""
    if len(texts) > _MAX_PREFERENCES:
        raise ValueError(f"Cannot order payment methods: at most {_MAX_PREFERENCES} can be named")
    symbols = {asset.symbol.lower() for asset in [*ASSETS, *assets]}
    found = []
    for text in texts:
        preference = Preference()
        for word in text.split("/"):
            network, low = parse_network(word) or parse_network(word.lower()), word.lower()
            if network is not None:
                preference = replace(preference, network=network)
            elif low in _SCHEMES:
                preference = replace(preference, scheme=low)
            elif low in symbols or is_address(word):
                preference = replace(preference, token=low)
            else:
                raise ValueError(
                    f'Cannot order payment methods by "{text}": "{word}" is not a network, scheme or known token, '
                    "as in base/USDC"
                )
        found.append(preference)
    return found


@dataclass(frozen=True)
class Limits:
    """What a payer allows."""

    max_dollars: int
    assets: Sequence[Asset] = ()
    #: The tokens have an allowance to Permit2.
    permit2: bool = False
    prefer: Sequence[Preference] = ()


def choose(challenge: Challenge, limits: Limits) -> Choice:
    """
    The requirements within the limit that come first in the order of the client, and of these the cheapest. Tokens that are neither known nor in `assets` are
    never used. Permit2 needs an allowance, so it is only used with `permit2`, or if no money moves. Raises PaymentDeclined.
    """
    known = [choice for way in challenge.accepts if (choice := _choice_of(way, limits.assets)) is not None]
    payable = [choice for choice in known if is_address(choice.requirements.pay_to)]
    if known and not payable:
        raise PaymentDeclined("Cannot pay: the payee is not an address")
    affordable = [choice for choice in payable if choice.dollars <= limits.max_dollars]
    if payable and not affordable:
        cheapest = min(choice.dollars for choice in payable)
        raise PriceTooHigh(f"Cannot pay {format_dollars(cheapest)}: the limit is {format_dollars(limits.max_dollars)}")
    usable = [choice for choice in affordable if choice.method == "eip3009" or limits.permit2 or _is_simulated(choice)]
    if not usable:
        asked = ", ".join(f"{way.scheme} on {network_title(way.network)}" for way in challenge.accepts)
        raise PaymentDeclined(
            f"Cannot pay: this client supports none of the payment methods asked for ({asked or 'none'})"
        )
    return min(usable, key=lambda choice: (_place(choice, limits.prefer), choice.dollars, _order(choice)))


def _place(choice: Choice, prefer: Sequence[Preference]) -> int:
    """The place of a payment method in the client's order; the last one if nothing fits."""
    return next((place for place, wanted in enumerate(prefer) if wanted.fits(choice)), len(prefer))


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
