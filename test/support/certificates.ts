/** Makes temporary certificates (RFC 5280), each with its own EC key, self-signed or signed by a CA. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

const OIDS: Readonly<Record<string, readonly number[]>> = {
  CN: [0x55, 0x04, 0x03],
  C: [0x55, 0x04, 0x06],
  O: [0x55, 0x04, 0x0a],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly subject: readonly (readonly [type: string, value: string])[];
}

export interface CertificateOptions {
  /** Least specific part first, as in `[["O", "Acme"], ["CN", "a.test"]]`. */
  readonly subject?: Certificate["subject"];
  /** Names, IPv4 addresses and URIs. */
  readonly hostnames?: readonly string[];
  /** Absent: self-signed. */
  readonly issuer?: Certificate;
  readonly isCa?: boolean;
  /** Left out: a key of its own. In DER, as SPKI; the certificate's `key` is then of no use. */
  readonly publicKey?: Uint8Array;
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
}

function der(tag: number, ...parts: (Buffer | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (name: string): Buffer => der(0x06, OIDS[name] ?? []);

function nameOf(subject: Certificate["subject"]): Buffer {
  return sequence(
    ...subject.map(([type, value]) =>
      der(0x31, sequence(oid(type), der(type === "C" ? 0x13 : 0x0c, Buffer.from(value)))),
    ),
  );
}

function timeAfter(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x18, Buffer.from(text));
}

/** URI, dNSName or iPAddress (RFC 5280 §4.2.1.6). */
function alternativeName(name: string): Buffer {
  if (/^[a-z]+:/.test(name)) return der(0x86, Buffer.from(name));
  return isIPv4(name) ? der(0x87, name.split(".").map(Number)) : der(0x82, Buffer.from(name));
}

function extensions({ hostnames = [], isCa = false }: CertificateOptions): Buffer {
  const list: Buffer[] = [];
  if (isCa) list.push(sequence(oid("basicConstraints"), der(0x01, [0xff]), der(0x04, sequence(der(0x01, [0xff])))));
  if (hostnames.length > 0) {
    const names = sequence(...hostnames.map(alternativeName));
    list.push(sequence(oid("subjectAltName"), der(0x04, names)));
  }
  return list.length === 0 ? Buffer.alloc(0) : der(0xa3, sequence(...list));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

export function makeCertificate(options: CertificateOptions = {}): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = options.subject ?? [["CN", options.hostnames?.[0] ?? "test"]];
  const issuerKey: KeyObject = options.issuer === undefined ? privateKey : createPrivateKey(options.issuer.key);
  const algorithm = sequence(oid("ecdsaWithSha256"));
  const serial = randomBytes(8);
  serial[0] = 0x40;
  const body = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, serial),
    algorithm,
    nameOf(options.issuer?.subject ?? subject),
    sequence(timeAfter(options.from ?? -1), timeAfter(options.to ?? 30)),
    nameOf(subject),
    options.publicKey === undefined
      ? publicKey.export({ type: "spki", format: "der" })
      : Buffer.from(options.publicKey),
    extensions(options),
  );
  const signature = sign("sha256", body, issuerKey);
  const certificate = sequence(body, algorithm, der(0x03, [0], signature));
  return {
    cert: pem("CERTIFICATE", certificate),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    subject,
  };
}

/** A CA that is the same in every process, so that clients of one process trust servers of another. */
export const TEST_CA: Certificate = {
  subject: [["CN", "Turnpike test CA"]],
  cert: `-----BEGIN CERTIFICATE-----
MIIBQjCB6aADAgECAghACawX+8MNCDAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBBU
dXJucGlrZSB0ZXN0IENBMCIYDzIwMjYxMTIwMDE0NjE3WhgPMjEyNjEwMjgwMTQ2
MTdaMBsxGTAXBgNVBAMMEFR1cm5waWtlIHRlc3QgQ0EwWTATBgcqhkjOPQIBBggq
hkjOPQMBBwNCAAQSYNhzzF4xtfkpCRtUAR6eNH1bCw1UPjJFDuoBj6k3wApkIKaT
ON6Tw9xCPUcyK3+ymbOVwVp7btr59TrxdMtRoxMwETAPBgNVHRMBAf8EBTADAQH/
MAoGCCqGSM49BAMCA0gAMEUCIEh0uXJAbqpCAHhe5BDB7Uo0qOcch/B1wVPnpVRr
K3ksAiEA0nzmz+ZN6J5eFe93IANvN9pW6svqjv40Se39WDu0lDM=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgf1APa3C/TzcIdply
WdIAmOoGDQgX0wjYkvng5VEL+Z+hRANCAAQSYNhzzF4xtfkpCRtUAR6eNH1bCw1U
PjJFDuoBj6k3wApkIKaTON6Tw9xCPUcyK3+ymbOVwVp7btr59TrxdMtR
-----END PRIVATE KEY-----
`,
};

/** A server certificate of that CA for this machine. QUIC clients refuse a self-signed one. */
export const LOCALHOST = makeCertificate({ issuer: TEST_CA, hostnames: ["localhost", "127.0.0.1"] });
