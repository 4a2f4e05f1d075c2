import {
  createHash,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import { type KeyPair } from "../wire/tls.ts";
import { der, type DerElement, readElements, sequence, TAG } from "./der.ts";

export type KeyType = "ecdsa-p256" | "ecdsa-p384" | "rsa-2048" | "rsa-4096";

const OID = {
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
  authorityKeyIdentifier: [0x55, 0x1d, 0x23],
  /** PKCS #9 extensionRequest (RFC 2985 §5.4.2). */
  extensionRequest: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x0e],
  /** id-pe-acmeIdentifier (RFC 8737 §6.1). */
  acmeIdentifier: [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x1f],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  sha256WithRsa: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b],
} as const;

/** Days that a self-signed certificate is valid: it is used until the directory has issued one. */
const OWN_DAYS = 90;
const DAY_MS = 86_400_000;
/** The common name of a self-signed certificate. X.520 allows 64 characters, and host names can be longer. */
const OWN_NAME = "Turnpike, no certificate yet";
/** The length of lines in a PEM file (RFC 7468 §2). */
const PEM_LINE = /.{1,64}/g;

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function certificatePem(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString("base64").match(PEM_LINE) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function alternativeNames(hostnames: readonly string[]): Buffer {
  const names = hostnames.map((name) => der(0x82, Buffer.from(name, "latin1")));
  return sequence(oid(OID.subjectAltName), der(TAG.octetString, sequence(...names)));
}

/** The parameters of RSA's algorithm are NULL (RFC 4055 §5); ECDSA's are absent (RFC 5758 §3.2). */
function algorithmOf(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === "rsa") return sequence(oid(OID.sha256WithRsa), Buffer.from([0x05, 0x00]));
  return sequence(oid(OID.ecdsaWithSha256));
}

function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, algorithmOf(key), der(TAG.bitString, Buffer.from([0]), sign("sha256", body, key)));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(TAG.set, sequence(oid(OID.commonName), der(TAG.utf8String, Buffer.from(commonName)))));
}

const generate = promisify(generateKeyPair);

/** A new private key. It is generated outside the event loop, because RSA takes up to seconds. */
export async function makeKey(type: KeyType): Promise<KeyObject> {
  if (type === "ecdsa-p256" || type === "ecdsa-p384") {
    return (await generate("ec", { namedCurve: type === "ecdsa-p256" ? "P-256" : "P-384" })).privateKey;
  }
  return (await generate("rsa", { modulusLength: type === "rsa-2048" ? 2048 : 4096 })).privateKey;
}

/** The private key in PEM (PKCS #8, RFC 5208). */
export function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A certificate request for these names (PKCS #10, RFC 2986), in DER. */
export function certificateRequest(hostnames: readonly string[], key: KeyObject, publicKey: KeyObject): Buffer {
  const extensions = sequence(oid(OID.extensionRequest), der(TAG.set, sequence(alternativeNames(hostnames))));
  const body = sequence(
    der(TAG.integer, Buffer.from([0])),
    // The subject is empty. RFC 8555 §7.4: the names are in the extension.
    sequence(),
    publicKey.export({ type: "spki", format: "der" }),
    der(TAG.context, extensions),
  );
  return signed(body, key);
}

/** A self-signed certificate with a new key. `extensions` follow the host names. */
function ownCertificate(hostnames: readonly string[], extensions: readonly Buffer[], now: number): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serial = randomBytes(16);
  // Positive and of full length (RFC 5280 §4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const body = sequence(
    der(TAG.context, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, serial),
    algorithmOf(privateKey),
    distinguishedName(OWN_NAME),
    sequence(timeOf(now - DAY_MS), timeOf(now + OWN_DAYS * DAY_MS)),
    distinguishedName(OWN_NAME),
    publicKey.export({ type: "spki", format: "der" }),
    der(TAG.context + 3, sequence(alternativeNames(hostnames), ...extensions)),
  );
  return { cert: certificatePem(signed(body, privateKey)), key: keyPem(privateKey) };
}

function timeOf(ms: number): Buffer {
  return der(TAG.generalizedTime, Buffer.from(new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "")));
}

/** A self-signed certificate for names without one yet. `now` is Unix milliseconds. */
export function placeholder(hostnames: readonly string[], now: number): KeyPair {
  return ownCertificate(hostnames, [], now);
}

/** The certificate that responds to a TLS-ALPN-01 challenge (RFC 8737 §3). */
export function challengeCertificate(hostname: string, keyAuthorization: string, now: number): KeyPair {
  const digest = createHash("sha256").update(keyAuthorization).digest();
  const critical = Buffer.from([0x01, 0x01, 0xff]);
  const value = der(TAG.octetString, der(TAG.octetString, digest));
  return ownCertificate([hostname], [sequence(oid(OID.acmeIdentifier), critical, value)], now);
}

/**
 * The id of a certificate in requests about its renewal (RFC 9773 §4.1): the issuer's key identifier and the serial
 * number. Undefined if the certificate has no key identifier.
 */
export function renewalId(chain: string): string | undefined {
  const [certificate] = readElements(new X509Certificate(chain).raw) ?? [];
  const [body] = elementsOf(certificate) ?? [];
  const fields = elementsOf(body) ?? [];
  const serial = fields.find(({ tag }) => tag === TAG.integer);
  const [extensions] = elementsOf(fields.find(({ tag }) => tag === TAG.context + 3)) ?? [];
  const wanted = Buffer.from(OID.authorityKeyIdentifier);
  for (const extension of elementsOf(extensions) ?? []) {
    const parts = elementsOf(extension) ?? [];
    if (parts[0]?.content.equals(wanted) !== true) continue;
    const [identifier] = elementsOf(parts.at(-1)) ?? [];
    // The keyIdentifier is [0], implicit (RFC 5280 §4.2.1.1).
    const key = elementsOf(identifier)?.find(({ tag }) => tag === 0x80);
    if (key === undefined || serial === undefined) return undefined;
    return `${key.content.toString("base64url")}.${serial.content.toString("base64url")}`;
  }
  return undefined;
}

function elementsOf(element: DerElement | undefined): readonly DerElement[] | undefined {
  return element === undefined ? undefined : readElements(element.content);
}
