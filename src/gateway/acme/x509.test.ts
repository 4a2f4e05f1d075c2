import { expect, test } from "bun:test";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { readElements } from "./der.ts";
import { renewalTime } from "./renewal.ts";
import { readCertificate } from "./records.ts";
import { certificateRequest, challengeCertificate, makeKey, placeholder, renewalId } from "./x509.ts";

/** The certificate of RFC 9773 §4.1, and its id there. */
const EXAMPLE = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`;

test("the renewal id of the certificate in RFC 9773 is the one in the RFC", () => {
  expect(renewalId(EXAMPLE)).toBe("aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE");
  expect(renewalId(makeCertificate().cert)).toBeUndefined();
});

test("a self-signed certificate is for its names, and is signed by its key", () => {
  const { cert, key } = placeholder(["a.test", "b.test"], Date.now());
  const certificate = new X509Certificate(cert);
  expect([certificate.checkHost("a.test"), certificate.checkHost("b.test"), certificate.checkHost("c.test")]).toEqual([
    "a.test",
    "b.test",
    undefined,
  ]);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test("the certificate for a challenge has the critical extension of RFC 8737", () => {
  const { cert } = challengeCertificate("a.test", "token.thumb", Date.now());
  const { raw } = new X509Certificate(cert);
  const extension = Buffer.from("06082b0601050507011f0101ff04220420", "hex");
  const at = raw.indexOf(extension);
  expect(at).toBeGreaterThan(0);
  const digest = new Bun.CryptoHasher("sha256").update("token.thumb").digest();
  expect(raw.subarray(at + extension.length, at + extension.length + 32)).toEqual(digest);
});

test.each(["ecdsa-p256", "ecdsa-p384", "rsa-2048"] as const)("a CSR with a %s key is complete", async (type) => {
  const key = await makeKey(type);
  const request = certificateRequest(["a.test"], key, createPublicKey(key));
  const [outer] = readElements(request) ?? [];
  const [body, , signature] = readElements(outer?.content ?? Buffer.alloc(0)) ?? [];
  expect(readElements(body?.content ?? Buffer.alloc(0))?.map(({ tag }) => tag)).toEqual([0x02, 0x30, 0x30, 0xa0]);
  expect(signature?.tag).toBe(0x03);
});

test("a truncated element is not DER", () => {
  const whole = certificateRequestBytes();
  for (const length of [1, 2, 3, 10, whole.length - 1]) expect(readElements(whole.subarray(0, length))).toBeUndefined();
  expect(readElements(Buffer.from([0x30, 0x80, 0, 0]))).toBeUndefined();
});

function certificateRequestBytes(): Buffer {
  return Buffer.from(new X509Certificate(makeCertificate().cert).raw);
}

test("a certificate is renewed after two thirds of its lifetime, or at the directory's time, but before the last tenth", () => {
  const pair = makeCertificate({ from: -10, to: 20 });
  const record = { directory_url: "https://a.test/", key_type: "ecdsa-p256", cert: pair.cert, key: pair.key };
  const kept = readCertificate(new Map([["certificate-a.test", JSON.stringify(record)]]), "a.test");
  if (kept === undefined) throw new Error("Cannot read the certificate");
  const day = 86_400_000;
  expect((renewalTime(kept, undefined) - kept.from) / day).toBeCloseTo(20);
  expect((renewalTime(kept, { renewAt: undefined, askAt: 0 }) - kept.from) / day).toBeCloseTo(20);
  expect(renewalTime(kept, { renewAt: kept.from + day, askAt: 0 })).toBe(kept.from + day);
  expect((renewalTime(kept, { renewAt: kept.to + day, askAt: 0 }) - kept.from) / day).toBeCloseTo(27);
});

test("a broken stored certificate counts as missing", () => {
  const entries = new Map([
    ["certificate-a.test", "{"],
    ["certificate-b.test", JSON.stringify({ directory_url: "x", key_type: "x", cert: "no", key: "no" })],
    ["certificate-c.test", "[]"],
  ]);
  expect(["a.test", "b.test", "c.test", "d.test"].map((domain) => readCertificate(entries, domain))).toEqual(
    Array(4).fill(undefined),
  );
});
