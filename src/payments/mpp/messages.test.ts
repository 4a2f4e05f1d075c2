import { expect, test } from "bun:test";
import fc from "fast-check";
import { authorizationOf } from "./mcp.ts";
import { decodeJson, encodeJson } from "./canonical-json.ts";
import { type PaymentChallenge, readChallenges, writeChallenge } from "./challenge.ts";
import { challengeId, isIssued } from "./challenge-id.ts";
import { readCredential, writeCredential } from "./credential.ts";
import { credentialIn } from "./credential-in.ts";
import { chargeRequest } from "./evm-charge.ts";
import { REQUIREMENTS } from "../testing/payment.ts";

const text = fc.string({ minLength: 1, unit: "grapheme-ascii" }).filter((value) => !/[\r\n]/.test(value));
const challenges: fc.Arbitrary<PaymentChallenge> = fc.record(
  { id: text, realm: text, method: text, intent: text, request: text, expires: text, digest: text, opaque: text },
  { requiredKeys: ["id", "realm", "method", "intent", "request"] },
);

test("what is written is read again, and a client separates several challenges in one field", () => {
  const all = fc.array(challenges, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(all, (list) => {
      const field = ["Basic realm=x", ...list.map(writeChallenge), "Negotiate a=="].join(", ");
      expect(JSON.stringify(readChallenges(field))).toBe(JSON.stringify(list.map(inOrder)));
    }),
  );
  fc.assert(
    fc.property(challenges, (challenge) => {
      const written = writeCredential({ challenge, source: "did:pkh:eip155:1:0x", payload: { type: "authorization" } });
      const read = readCredential(credentialIn(written) ?? "");
      expect(read?.challenge).toMatchObject(challenge);
    }),
  );
});

function inOrder({ id, realm, method, intent, request, expires, digest, opaque }: PaymentChallenge): PaymentChallenge {
  return { id, realm, method, intent, request, expires, digest, opaque };
}

test("each member of a challenge but its words for people is bound to its id", () => {
  const secret = Buffer.alloc(32, 1);
  fc.assert(
    fc.property(challenges, fc.constantFrom("realm", "method", "intent", "request", "expires"), (terms, member) => {
      const issued = { ...terms, id: challengeId(terms, secret) };
      expect(isIssued(issued, [Buffer.alloc(32), secret])).toBe(true);
      expect(isIssued({ ...issued, [member]: `${issued[member] ?? ""}x` }, [secret])).toBe(false);
      expect(isIssued(issued, [Buffer.alloc(32)])).toBe(false);
    }),
  );
});

test("any text is read without a failure", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      readChallenges(value);
      readChallenges(`Payment ${value}`);
      readCredential(value);
      readCredential(Buffer.from(value).toString("base64url"));
    }),
  );
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => void readCredential(Buffer.from(JSON.stringify(value)).toString("base64url")),
    ),
  );
  fc.assert(fc.property(fc.anything(), (value) => void authorizationOf({ challenge: { request: value } })));
});

test("canonical JSON has one form for each value", () => {
  const value = { b: [1, { z: null, a: "é" }], a: true, "": "x" };
  expect(Buffer.from(encodeJson(value), "base64url").toString()).toBe('{"":"x","a":true,"b":[1,{"a":"é","z":null}]}');
  expect(decodeJson(encodeJson(value))).toEqual(value);
  for (const wrong of ["", "e30=", "e3 0", "//8", "_w", "e3"]) expect(decodeJson(wrong)).toBeUndefined();
});

test("a charge has the decimals of a known token", () => {
  const other = { ...REQUIREMENTS, asset: REQUIREMENTS.payTo };
  const details = [REQUIREMENTS, other].map((one) => decodeJson(chargeRequest(one)));
  expect(details).toMatchObject([{ methodDetails: { decimals: 6 } }, { methodDetails: { chainId: 84_532 } }]);
  expect(JSON.stringify(details[1])).not.toContain("decimals");
});
