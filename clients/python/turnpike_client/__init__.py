"""
A typed client of Turnpike gateways that pays for calls with x402, and transports with which httpx and requests pay any x402
server.
"""

from .account import Account, checksum_address, open_wallet, wallet_path
from ._responses import File
from .client import AsyncTurnpike, Turnpike
from .errors import (
    FieldError,
    PaymentDeclined,
    PaymentError,
    PaymentOutcomeUnknown,
    PriceTooHigh,
    Problem,
    TotalTooHigh,
    TurnpikeError,
)
from .jobs import AsyncJob, Job
from .payer import Payer, Payment
from .spending import Spending, Total
from .transports import AsyncPayingTransport, PayingTransport

__all__ = [
    "Account",
    "AsyncJob",
    "AsyncPayingTransport",
    "AsyncTurnpike",
    "FieldError",
    "File",
    "Job",
    "Payer",
    "PayingTransport",
    "Payment",
    "PaymentDeclined",
    "PaymentError",
    "PaymentOutcomeUnknown",
    "PriceTooHigh",
    "Problem",
    "Spending",
    "Total",
    "TotalTooHigh",
    "Turnpike",
    "TurnpikeError",
    "checksum_address",
    "open_wallet",
    "wallet_path",
]
