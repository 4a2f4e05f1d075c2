"""The amounts that a wallet has signed on each day."""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ._amounts import format_dollars
from .errors import PaymentDeclined, TotalTooHigh

#: Longest wait for another process that pays from the same wallet, in seconds. Beyond it, the payment is declined.
_BUSY_S = 5
#: Days whose totals are kept, in addition to today.
_KEPT_DAYS = 32
#: Seconds after its expiry for which the signature of a failed call still counts, because clocks differ.
_EXPIRY_MARGIN_S = 60
#: All that a wallet signs in a day, as a multiple of the limit, with the failed calls whose signatures have expired. A
#: server that reports a failure could have settled the payment all the same.
_MAX_SIGNED_FACTOR = 2

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, amount TEXT NOT NULL) STRICT",
    "CREATE TABLE IF NOT EXISTS failed (day TEXT, until INTEGER, amount TEXT NOT NULL, PRIMARY KEY (day, until)) STRICT",
)


@dataclass(frozen=True)
class Total:
    """Amounts of a day, in 10^-36 dollars."""

    signed: int
    #: The signed amount, without failed calls whose signatures have expired.
    counted: int
    #: The part of `counted` that failed, and the Unix time in seconds at which the last of it expires.
    held: int
    until: int


class Spending:
    """
    Records the amount that a wallet has signed on each day (UTC), exactly. Any number of processes may use the file at once,
    also the command `turnpike`. The signature of a failed call counts until it expires, because each holder of a signature
    can spend it until then. Without a path the totals are those of this object.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, now: Callable[[], float] = time.time) -> None:
        self._path = None if path is None else os.fspath(path)
        self._now = now
        self._lock = threading.Lock()
        self._memory = None if path is not None else sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)

    def add(self, dollars: int, limit: int | None) -> Callable[[int], None]:
        """
        Adds to the total of the day. Raises TotalTooHigh, and adds nothing, if the total would exceed `limit`. Returns the
        function that takes the amount, or a part of it, out of the total once the signature has expired, at a Unix time
        in seconds.
        """
        day = self._day()
        with self._open() as database:
            total = self._total(database, day)
            if limit is not None:
                _refuse_beyond(limit, total, dollars)
            amount = str(total.signed + dollars)
            database.execute(
                "INSERT INTO spent VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET amount = ?2", (day, amount)
            )
            # By number, not by age: a clock that is wrong for a while would otherwise delete recent totals.
            database.execute(
                "DELETE FROM spent WHERE day <> ?1 AND day NOT IN (SELECT day FROM spent ORDER BY day DESC LIMIT ?2)",
                (day, _KEPT_DAYS),
            )
        return lambda expires, part=dollars: self._fail(day, part, expires)

    def today(self) -> Total:
        """The total of the current day."""
        with self._open() as database:
            return self._total(database, self._day())

    def _fail(self, day: str, dollars: int, expires: int) -> None:
        until = math.ceil((expires + _EXPIRY_MARGIN_S) / 60) * 60
        try:
            with self._open() as database:
                row = database.execute("SELECT amount FROM failed WHERE day = ? AND until = ?", (day, until)).fetchone()
                amount = str((0 if row is None else int(row[0])) + dollars)
                database.execute(
                    "INSERT INTO failed VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET amount = ?3", (day, until, amount)
                )
                # Without its rows, all that a day signed counts.
                database.execute("DELETE FROM failed WHERE day <> ?", (self._day(),))
        except PaymentDeclined:
            pass  # The amount stays in the total.

    def _total(self, database: sqlite3.Connection, day: str) -> Total:
        row = database.execute("SELECT amount FROM spent WHERE day = ?", (day,)).fetchone()
        signed = 0 if row is None else int(row[0])
        counted, held, last = signed, 0, 0
        failed = database.execute("SELECT until, amount FROM failed WHERE day = ? ORDER BY until", (day,))
        for until, amount in failed.fetchall():
            if until <= self._now():
                counted -= int(amount)
            else:
                held, last = held + int(amount), until
        return Total(signed, counted, held, last)

    def _day(self) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(self._now()))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        database = None
        try:
            with self._lock:
                database = self._memory or self._connect()
                database.execute("BEGIN IMMEDIATE")
                try:
                    for statement in _SCHEMA:
                        database.execute(statement)
                    yield database
                    database.execute("COMMIT")
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
        except (OSError, sqlite3.Error) as error:
            # A payment that cannot be recorded is not signed.
            raise PaymentDeclined(f'Cannot keep the spending of the wallet in "{self._path}": {error}') from error
        finally:
            if database is not None and database is not self._memory:
                database.close()

    def _connect(self) -> sqlite3.Connection:
        # SQLite gives the journal the mode of the file, so the mode must be set first.
        os.close(os.open(self._path or "", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        os.chmod(self._path or "", 0o600)
        return sqlite3.connect(self._path or "", timeout=_BUSY_S, isolation_level=None)


def _refuse_beyond(limit: int, total: Total, dollars: int) -> None:
    cannot = f"Cannot pay {format_dollars(dollars)}:"
    if total.counted + dollars > limit:
        until = time.strftime("%H:%M", time.gmtime(total.until))
        held = f", {format_dollars(total.held)} of it not charged, but signed until {until} UTC" if total.held else ""
        raise TotalTooHigh(
            f"{cannot} {format_dollars(total.counted)} of today's limit of {format_dollars(limit)} are used up{held}"
        )
    if total.signed + dollars > _MAX_SIGNED_FACTOR * limit:
        failed = format_dollars(total.signed - total.counted)
        raise TotalTooHigh(
            f"{cannot} {format_dollars(total.signed)} are signed today, {failed} of it not charged; "
            f"the limit of {format_dollars(limit)} allows twice as much"
        )
