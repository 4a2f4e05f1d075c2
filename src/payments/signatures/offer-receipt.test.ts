import { expect, test } from "bun:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { recoverTypedDataAddress } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { didOfKey, keyOfDid } from "./did-key.ts";
import { checkStatement, type Offer, type ReceiptPayload, signerOf, signStatement } from "./offer-receipt.ts";

const KEY = { format: "eip712", algorithm: "EdDSA", kid: "", privateKey: new Uint8Array(32).fill(7) } as const;
const ES256K = { ...KEY, format: "jws", algorithm: "ES256K" } as const;
const JWS = { ...KEY, format: "jws" } as const;
const OFFER: Offer = {
  version: 1,
  resourceUrl: "https://shop.test/goods?a=ä",
  scheme: "exact",
  network: "eip155:84532",
  asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  amount: "10000",
  validUntil: 1_800_000_000,
};
const RECEIPT: ReceiptPayload = {
  version: 1,
  network: "eip155:84532",
  resourceUrl: "https://shop.test/goods",
  payer: "0x90F79bf6EB2c4f870365E785982E1f101E93b906",
  issuedAt: 1_800_000_000,
  transaction: "",
};
/** The public key of a private one, as a JSON Web Key. */
function jwkOf(privateKey: Uint8Array) {
  const bytes = Buffer.from(secp256k1.getPublicKey(privateKey, false));
  const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((part) => part.toString("base64url"));
  return { kty: "EC", crv: "secp256k1", x: x ?? "", y: y ?? "" } as const;
}

const TYPES = {
  Offer: ["uint256 version", "string resourceUrl", "string scheme", "string network", "string asset"].concat(
    "string payTo",
    "string amount",
    "uint256 validUntil",
  ),
  Receipt: ["uint256 version", "string network", "string resourceUrl", "string payer", "uint256 issuedAt"].concat(
    "string transaction",
  ),
};

test.each(["Offer", "Receipt"] as const)(
  "the EIP-712 signature of an %s is one that viem recovers",
  async (primaryType) => {
    const statement = primaryType === "Offer" ? OFFER : RECEIPT;
    const item = signStatement(statement, KEY);
    const fields = TYPES[primaryType].map((field) => {
      const [type = "", name = ""] = field.split(" ");
      return { type, name };
    });
    const address = await recoverTypedDataAddress({
      domain: { name: `x402 ${primaryType.toLowerCase()}`, version: "1", chainId: 1 },
      types: { [primaryType]: fields },
      primaryType,
      message: { ...statement },
      signature: item.signature as `0x${string}`,
    });
    expect(address).toBe(privateKeyToAddress(`0x${"07".repeat(32)}`));
    const checked = checkStatement(item, address);
    expect(checked).toMatchObject({ statement, kind: primaryType === "Offer" ? "offer" : "receipt", kid: "" });
  },
);

test("a JWS is one that WebCrypto verifies with the key in its kid, and has its members in order", async () => {
  const { signature } = signStatement(RECEIPT, JWS);
  const { kid } = checkStatement({ format: "jws", signature });
  const key = keyOfDid(kid) ?? new Uint8Array();
  expect(didOfKey(key)).toBe(kid);
  const [header = "", payload = "", bytes = ""] = signature.split(".");
  const publicKey = await crypto.subtle.importKey("raw", new Uint8Array(key), "Ed25519", false, ["verify"]);
  const signed = Buffer.from(`${header}.${payload}`);
  expect(await crypto.subtle.verify("Ed25519", publicKey, Buffer.from(bytes, "base64url"), signed)).toBe(true);
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "EdDSA", kid });
  const { transaction, ...members } = RECEIPT;
  expect(transaction).toBe("");
  expect(Buffer.from(payload, "base64url").toString()).toBe(
    JSON.stringify(Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)))),
  );
});

test("changed, foreign and malformed items are refused with the reason", () => {
  const item = signStatement(OFFER, KEY);
  if (item.format !== "eip712") throw new Error("it is signed by EIP-712");
  const signer = checkStatement(item).signer;
  expect(() => checkStatement({ ...item, payload: { ...OFFER, amount: "1" } }, signer)).toThrow("it is signed by");
  expect(() => checkStatement({ ...item, payload: { ...OFFER, other: 1 } })).toThrow("neither an offer nor a receipt");
  expect(() => checkStatement({ ...item, signature: "0x00" })).toThrow("its signature is not valid");
  const jws = signStatement(OFFER, JWS).signature;
  const [header = "", payload = "", signature = ""] = jws.split(".");
  const forged = Buffer.from(JSON.stringify({ ...OFFER, amount: "1" })).toString("base64url");
  const none = Buffer.from(JSON.stringify({ alg: "none", kid: "did:key:z1" })).toString("base64url");
  for (const [text, reason] of [
    [`${header}.${forged}.${signature}`, "its signature is not valid"],
    [`${header}.${payload}.`, "its signature is not valid"],
    [`${none}.${payload}.`, "not a JWS by EdDSA or ES256K"],
    [`${header}.${payload}`, "its signature is not valid"],
    ["", "not a JWS by EdDSA or ES256K"],
  ] as const)
    expect(() => checkStatement({ format: "jws", signature: text })).toThrow(reason);
  const web = signStatement(OFFER, { ...JWS, kid: "did:web:shop.test#key-1" });
  expect(() => checkStatement(web)).toThrow("its key is did:web:shop.test#key-1");
  const own = checkStatement({ format: "jws", signature: jws }).signer;
  expect(checkStatement(web, own)).toMatchObject({ signer: own, kid: "did:web:shop.test#key-1" });
  expect(() => checkStatement(web, didOfKey(new Uint8Array(32).fill(1)))).toThrow("its signature is not valid");
});

test("a JWS by ES256K is one that the OpenSSL of Node verifies, with the key in its kid", () => {
  const { signature } = signStatement(OFFER, ES256K);
  const checked = checkStatement({ format: "jws", signature });
  expect(checked).toMatchObject({ kind: "offer", statement: OFFER, signer: checked.kid });
  expect(checked.signer).toStartWith("did:key:zQ3s");
  const [header = "", payload = "", bytes = ""] = signature.split(".");
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({ alg: "ES256K", kid: checked.kid });
  const script = `const { createPublicKey, verify } = require("node:crypto");
    const [jwk, signed, signature] = process.argv.slice(1);
    const key = createPublicKey({ key: JSON.parse(jwk), format: "jwk" });
    const raw = { key, dsaEncoding: "ieee-p1363" };
    console.log(verify("sha256", Buffer.from(signed), raw, Buffer.from(signature, "base64url")));`;
  const verified = (signed: string): string => {
    const values = [JSON.stringify(jwkOf(ES256K.privateKey)), signed, bytes];
    return Bun.spawnSync(["node", "-e", script, ...values])
      .stdout.toString()
      .trim();
  };
  expect([verified(`${header}.${payload}`), verified(`${header}.${payload}x`)]).toEqual(["true", "false"]);
});

test("the key in a header is used, must be the one that the kid names, and must fit the algorithm", () => {
  const jwk = jwkOf(ES256K.privateKey);
  const own = signerOf(ES256K);
  const web = "did:web:shop.test#key-1";
  const item = (header: object, key = ES256K.privateKey): unknown => {
    const input = [header, OFFER].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const bytes = secp256k1.sign(Buffer.from(input), key, { prehash: true });
    return { format: "jws", signature: `${input}.${Buffer.from(bytes).toString("base64url")}` };
  };
  expect(checkStatement(item({ alg: "ES256K", kid: web, jwk }))).toMatchObject({ signer: own, kid: web });
  expect(checkStatement(item({ alg: "ES256K", kid: own, jwk }), own)).toMatchObject({ signer: own });
  const other = new Uint8Array(32).fill(9);
  const forged = item({ alg: "ES256K", kid: web, jwk: jwkOf(other) }, other);
  expect(() => checkStatement(forged, own)).toThrow("it is signed by did:key:");
  for (const [header, reason] of [
    [{ alg: "ES256K", kid: own, jwk: jwkOf(other) }, "is not the one that its kid names"],
    [{ alg: "ES256K", kid: web, jwk: { ...jwk, x: jwk.y } }, "not a key of secp256k1"],
    [{ alg: "ES256K", kid: web, jwk: { ...jwk, d: jwk.x } }, "not a JWS by"],
    [{ alg: "ES256K", kid: own, crit: ["b64"], b64: false }, "not a JWS by"],
    [{ alg: "EdDSA", kid: own }, "its signature is not valid"],
    [{ alg: "ES256K", kid: signerOf(JWS) }, "its signature is not valid"],
    [{ alg: "ES256K", kid: web }, "its key is did:web:shop.test#key-1"],
  ] as const)
    expect(() => checkStatement(item(header))).toThrow(reason);
});
