import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { randomBytes } from "@noble/hashes/utils.js";
import { recoverSigner } from "../../signatures/recover-signer.ts";
import { patient } from "../../../lib/testing/patience.ts";
import { freshAccount, keyOf } from "../testing/shop.ts";
import { DOUBLES, PROVIDER_SECRET, type SignerDouble, startSignerDouble } from "../testing/signer-doubles.ts";
import { openSigner, type SignerOptions } from "./open-signer.ts";
import { type Signer } from "./signer.ts";

setDefaultTimeout(patient(20_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-signers-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** With the test's patience: the machine may be busy. */
function open({ options }: Pick<SignerDouble, "options">, change: Partial<SignerOptions> = {}): Signer {
  return openSigner(
    { ...options, ...("timeout_ms" in options ? { timeout_ms: patient(2000) } : {}), ...change } as SignerOptions,
    Date.now,
  );
}

/** Checks as a token contract does: 65 bytes r ‖ s ‖ v, with s in the lower half. */
async function signerOf(signer: Signer, preimage: Uint8Array): Promise<string | undefined> {
  const bytes = await signer.sign(preimage);
  return recoverSigner(keccak_256(preimage), `0x${bytes.subarray(1).toHex()}${((bytes[0] ?? 0) + 27).toString(16)}`);
}

async function errorOf(signer: Signer): Promise<string> {
  return await signer.sign(randomBytes(66)).then(
    () => "none",
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : "?"),
  );
}

test.each(DOUBLES)("%s: a hundred messages of any length are signed, with s in the lower half", async (kind) => {
  using double = startSignerDouble(kind);
  const signer = open(double);
  expect(signer.address).toBe(double.address);
  for (let i = 0; i < 100; i++) expect(await signerOf(signer, randomBytes(1 + i * 7))).toBe(double.address);
  expect(double.calls).toBe(100);
});

test.each(DOUBLES)("%s: a response without a signature of the key is an error, which tells no secret", async (kind) => {
  using double = startSignerDouble(kind);
  const errors: string[] = [];
  for (const fault of ["other", "down", "nonsense", "unsigned"] as const) {
    double.fault = fault;
    errors.push(await errorOf(open(double)));
  }
  double.fault = "silent";
  errors.push(await errorOf(open(double, { timeout_ms: 50 })));
  const title = { web3signer: "Web3Signer", aws_kms: "AWS KMS", gcp_kms: "Google Cloud KMS" }[kind];
  expect(errors[0]).toBe(
    `SignerError: ${title} did not sign: its response is not a signature of the key of ${double.address}`,
  );
  expect(errors[1]).toBe(`SignerError: ${title} did not sign: it responded with 500 (KMSInternalException)`);
  expect(errors[2]).toContain(`SignerError: ${title} did not sign: its response`);
  expect(errors[3]).toBe(`SignerError: ${title} did not sign: its response has no signature`);
  expect(errors[4]).toBe(`SignerError: ${title} did not sign: no response within 50 ms`);
  expect(errors.join()).not.toContain(PROVIDER_SECRET);
});

test("a signer that has failed is not asked again at once, so that a queue of transactions does not wait for each timeout", async () => {
  using double = startSignerDouble("aws_kms");
  double.fault = "down";
  let now = Date.now();
  const signer = openSigner({ ...double.options, timeout_ms: patient(2000) } as SignerOptions, () => now);
  const errors = [await errorOf(signer), await errorOf(signer)];
  now += 1999;
  errors.push(await errorOf(signer));
  expect(errors.slice(1)).toEqual(Array(2).fill("SignerError: AWS KMS has failed a short time ago"));
  expect(double.calls).toBe(1);
  now += 1;
  await errorOf(signer);
  expect(double.calls).toBe(2);
});

test("AWS refuses a request with a wrong secret, and Google one with a wrong token", async () => {
  using aws = startSignerDouble("aws_kms");
  const credentials = { accessKeyId: "AKID", secretAccessKey: "wrong", sessionToken: "session" };
  expect(await errorOf(open(aws, { credentials }))).toBe(
    "SignerError: AWS KMS did not sign: it responded with 400 (InvalidSignatureException)",
  );
  using google = startSignerDouble("gcp_kms");
  const path = join(folder, "token");
  writeFileSync(path, "wrong\n");
  const change = { token_path: path } as Partial<SignerOptions>;
  expect(await errorOf(open(google, change))).toBe(
    "SignerError: Google Cloud KMS did not sign: it responded with 401 (UNAUTHENTICATED)",
  );
  const { calls } = google;
  for (const text of ["", "a\r\nb", "a b", "t\u00f6ken", "a".repeat(8193)]) {
    writeFileSync(path, text);
    expect(await errorOf(open(google, change))).toBe(
      "SignerError: Google Cloud KMS did not sign: the file of its access token has no token",
    );
  }
  expect(google.calls).toBe(calls);
  writeFileSync(path, "ya29.token\n");
  expect(await signerOf(open(google, change), randomBytes(9))).toBe(google.address);
  expect(await errorOf(open(google, { token_path: join(folder, "none") }))).toContain(
    "the file of its access token cannot be read: there is no such file",
  );
});

test("a key in this process is refused if it is not valid, without its text", () => {
  const account = freshAccount();
  expect(openSigner({ type: "key", key: ` ${keyOf(account)}\n` }, Date.now).address).toBe(account.address);
  expect(() => openSigner({ type: "key", key: "hunter2" }, Date.now)).toThrow(
    /^Cannot use the facilitator's key: it is not 32 bytes of hex$/,
  );
});

test("Web3Signer's public key may have its prefix, and gives the address", () => {
  const { address, privateKey } = freshAccount();
  const key = secp256k1.getPublicKey(privateKey, false).toHex();
  for (const public_key of [key.slice(2), `0x${key.slice(2)}`, `0x${key}`, key]) {
    const options = { type: "web3signer", url: "http://127.0.0.1:9", public_key, timeout_ms: 1 } as const;
    expect(openSigner(options, Date.now).address).toBe(address);
  }
});

test("an access token is used until a minute before its end, and no longer after the clock was set back", async () => {
  using double = startSignerDouble("gcp_kms");
  let asked = 0;
  using metadata = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked += 1;
      return Response.json({ access_token: "ya29.token", expires_in: 3600, token_type: "Bearer" });
    },
  });
  let now = 1_800_000_000_000;
  const options = { ...double.options, metadata_url: metadata.url.origin, timeout_ms: patient(2000) } as SignerOptions;
  const signer = openSigner(options, () => now);
  const counts: number[] = [];
  for (const passed of [0, 3_539_999, 1, -86_400_000]) {
    now += passed;
    expect(await signerOf(signer, randomBytes(9))).toBe(double.address);
    counts.push(asked);
  }
  expect(counts).toEqual([1, 1, 2, 3]);
});

test.each([
  ["no object", "token"],
  ["no token", { expires_in: 3600 }],
  ["a token that cannot be in a field", { access_token: "a\r\nb", expires_in: 3600 }],
  ["no end", { access_token: "ya29.token" }],
])("a metadata server that sends %s gives no signature", async (_what, response) => {
  using double = startSignerDouble("gcp_kms");
  using metadata = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(response) });
  const change = { metadata_url: metadata.url.origin } as Partial<SignerOptions>;
  expect(await errorOf(open(double, change))).toContain("the metadata server gave no access token");
  expect(double.calls).toBe(0);
});
