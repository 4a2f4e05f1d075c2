"""Accounts, wallet files and the totals of days."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from turnpike_client import Account, Payer, PaymentDeclined, Spending, TotalTooHigh, open_wallet
from turnpike_client.account import recover_signer

from .server import PAYER, PRIVATE_KEY

DOLLAR = 10**36
DAY = 1_767_225_600.0


class AccountTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_keys_that_are_none_are_refused_and_not_shown(self) -> None:
        order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
        for key in ("0x1234", "", "x" * 64, b"1" * 31, "0" * 64, order, PRIVATE_KEY + "0"):
            with self.subTest(key), self.assertRaises(ValueError) as caught:
                Account(key)
            self.assertNotIn("1234", str(caught.exception))
        self.assertEqual(repr(Account(PRIVATE_KEY)), f"Account({PAYER})")
        self.assertEqual(Account(bytes.fromhex(PRIVATE_KEY[2:])).address, PAYER)

    def test_every_signature_is_low_and_the_account_s(self) -> None:
        account = Account(PRIVATE_KEY)
        for number in range(40):
            digest = number.to_bytes(32, "big") if number else b"\xff" * 32
            self.assertEqual(recover_signer(digest, account.sign(digest)), PAYER)

    def test_a_wallet_is_created_once_and_only_its_owner_can_read_it(self) -> None:
        path = self.folder / "new" / "wallet.json"
        with ThreadPoolExecutor(8) as pool:
            addresses = set(pool.map(lambda _: open_wallet(path).address, range(16)))
        self.assertEqual(len(addresses), 1)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual([file.name for file in path.parent.iterdir()], ["wallet.json"])
        self.assertEqual(Payer(wallet=path).address, addresses.pop())

    def test_a_wallet_that_others_can_read_or_that_is_broken_is_refused(self) -> None:
        path = self.folder / "wallet.json"
        whole = {"version": 1, "address": PAYER, "private_key": PRIVATE_KEY}
        for text, error in (
            (json.dumps({**whole, "address": "0x" + "00" * 20}), "does not belong to its key"),
            (json.dumps({**whole, "private_key": "0xac09"}), "not a wallet file"),
            (json.dumps({**whole, "version": 2}), "not a wallet file"),
            ("[]", "not a wallet file"),
            (f"{PRIVATE_KEY}", "not a wallet file"),
        ):
            path.write_text(text)
            os.chmod(path, 0o600)
            with self.subTest(text), self.assertRaisesRegex(ValueError, error) as caught:
                open_wallet(path)
            self.assertNotIn("ac09", str(caught.exception))
        path.write_text(json.dumps(whole))
        self.assertEqual(open_wallet(path).address, PAYER)
        os.chmod(path, 0o640)
        with self.assertRaisesRegex(PaymentDeclined, "other users can read it"):
            Payer(wallet=path).account()

    def test_the_total_of_a_day(self) -> None:
        now = DAY
        spending = Spending(self.folder / "spending.db", lambda: now)
        release = spending.add(DOLLAR, 2 * DOLLAR)
        spending.add(DOLLAR, 2 * DOLLAR)
        with self.assertRaisesRegex(TotalTooHigh, r"Cannot pay \$0.50: \$2.00 of today's limit of \$2.00 are used up"):
            spending.add(DOLLAR // 2, 2 * DOLLAR)
        release(int(now) + 60)
        # The signature of the failed call counts until it has expired.
        self.assertEqual(spending.today().held, DOLLAR)
        with self.assertRaisesRegex(TotalTooHigh, r"\$1.00 of it not charged, but signed until 00:02 UTC"):
            spending.add(1, 2 * DOLLAR)
        now += 120
        self.assertEqual(spending.today().counted, DOLLAR)
        spending.add(DOLLAR, 2 * DOLLAR)
        now += 86_400
        self.assertEqual(spending.today().signed, 0)
        self.assertEqual(stat.S_IMODE((self.folder / "spending.db").stat().st_mode), 0o600)

    def test_failed_calls_free_at_most_as_much_again(self) -> None:
        now = DAY
        spending = Spending(None, lambda: now)
        for _ in range(4):
            spending.add(DOLLAR, 2 * DOLLAR)(int(now))
            now += 180
        with self.assertRaisesRegex(TotalTooHigh, r"\$4.00 are signed today, \$4.00 of it not charged"):
            spending.add(DOLLAR, 2 * DOLLAR)

    def test_threads_do_not_exceed_the_total_together(self) -> None:
        def pay(spending: Spending) -> bool:
            try:
                spending.add(DOLLAR, 5 * DOLLAR)
            except TotalTooHigh:
                return False
            return True

        for path in (None, self.folder / "spending.db"):
            with ThreadPoolExecutor(8) as pool:
                shared = Spending(path)
                self.assertEqual(sum(pool.map(lambda _, shared=shared: pay(shared), range(20))), 5)

    def test_a_payment_that_cannot_be_recorded_is_not_signed(self) -> None:
        with self.assertRaisesRegex(PaymentDeclined, "Cannot keep the spending"):
            Spending(self.folder / "none" / "spending.db").add(1, None)
        with self.assertRaises(ValueError):
            Payer(PRIVATE_KEY, max_total="cheap")
        with self.assertRaisesRegex(ValueError, "NETWORK:ADDRESS:NAME:VERSION:DECIMALS"):
            Payer(PRIVATE_KEY, allow_assets=["USDC"])
        with self.assertRaisesRegex(ValueError, '"moon" is not a network, scheme or known token'):
            Payer(PRIVATE_KEY, prefer=["base/moon"])


if __name__ == "__main__":
    unittest.main()
