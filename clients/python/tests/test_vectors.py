"""The vectors of `clients/vectors.json`, which the tests of the TypeScript client also read."""

import json
import unittest
from pathlib import Path

from turnpike_client._amounts import read_limit
from turnpike_client._challenge import encode_header, read_challenge
from turnpike_client._choice import Limits, choose, parse_asset, parse_preferences
from turnpike_client._keccak import keccak_256
from turnpike_client._sign_in import sign_in_text
from turnpike_client._typed_data import authorization_hash, permit2_hash, personal_hash
from turnpike_client.account import Account, recover_signer
from turnpike_client.errors import PaymentDeclined

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_text("utf8"))


class VectorsTest(unittest.TestCase):
    def test_keys_hashes_and_addresses(self) -> None:
        for vector in VECTORS["keys"]:
            self.assertEqual(Account(vector["private_key"]).address, vector["address"])
        for vector in VECTORS["hashes"]:
            self.assertEqual("0x" + keccak_256(vector["text"].encode()).hex(), vector["keccak_256"])

    def test_eip_3009_and_permit2_signatures(self) -> None:
        digests = [
            (vector, authorization_hash(*(vector[key] for key in ("name", "version", "network", "asset", "authorization"))))
            for vector in VECTORS["authorizations"]
        ]
        digests += [(vector, permit2_hash(vector["network"], vector["authorization"])) for vector in VECTORS["permits"]]
        for vector, digest in digests:
            payer = vector["authorization"]["from"]
            self.assertEqual(f"0x{digest.hex()}", vector["hash"])
            self.assertEqual(recover_signer(digest, vector["signature"]), payer)
            own = Account(vector["private_key"]).sign(digest)
            self.assertEqual(recover_signer(digest, own), payer)

    def test_signatures_that_token_contracts_refuse_have_no_signer(self) -> None:
        vector = VECTORS["authorizations"][0]
        digest, signature = bytes.fromhex(vector["hash"][2:]), vector["signature"]
        order = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
        high = f"{order - int(signature[66:130], 16):064x}"
        flipped = f"{27 + 28 - int(signature[130:], 16):02x}"
        for other in (
            signature[:66] + high + flipped,
            signature[:130] + "00",
            "0x" + "00" * 64 + "1b",
            "0x" + "ff" * 32 + signature[66:],
            signature[:-2],
        ):
            self.assertIsNone(recover_signer(digest, other), other)
        self.assertNotEqual(recover_signer(digest, signature[:130] + flipped), vector["authorization"]["from"])

    def test_the_message_of_a_sign_in(self) -> None:
        vector = VECTORS["sign_in"]
        self.assertEqual(sign_in_text(vector["message"]), vector["text"])
        digest = personal_hash(vector["text"])
        self.assertEqual(recover_signer(digest, vector["signature"]), vector["message"]["address"])

    def test_limits(self) -> None:
        for vector in VECTORS["limits"]:
            with self.subTest(vector["text"]):
                if vector["micro_dollars"] is None:
                    self.assertRaises(ValueError, read_limit, vector["text"], "max_price")
                else:
                    self.assertEqual(read_limit(vector["text"], "max_price") // 10**30, int(vector["micro_dollars"]))

    def test_the_choice_among_requirements(self) -> None:
        for vector in VECTORS["choices"]:
            with self.subTest(vector["name"]):
                limit = read_limit(vector.get("max_price", "$1"), "max_price")
                assets = [parse_asset(text) for text in vector.get("assets", [])]
                prefer = parse_preferences(vector.get("prefer", []), assets)
                try:
                    challenge = read_challenge(encode_header(vector["required"]), None, "https://a.test/")
                    choice = choose(challenge, Limits(limit, assets, prefer=prefer))
                except PaymentDeclined as error:
                    self.assertIn(vector["error"], str(error))
                else:
                    self.assertEqual(challenge.accepts.index(choice.requirements), vector["chosen"])


if __name__ == "__main__":
    unittest.main()
