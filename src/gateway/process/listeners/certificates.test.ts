import { afterEach, beforeEach, expect, test } from "bun:test";
import { createPrivateKey } from "node:crypto";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { Folder } from "../../../../test/support/program.ts";
import { configSchema } from "../../config/config.ts";
import { type ReadTls } from "../../acme/issued.ts";
import { readTlsMaterial } from "./certificates.ts";

const good = makeCertificate({ hostnames: ["a.test"] });
let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.remove());

function read(tls: object): ReadTls | undefined {
  return readTlsMaterial(configSchema.parse({ tls }));
}

/** Configures one certificate, with files of these contents. */
function pair(cert: string, key: string): { cert_path: string; key_path: string } {
  return { cert_path: folder.write("cert.pem", cert), key_path: folder.write("key.pem", key) };
}

test("certificates are read with their keys and host names", () => {
  const other = makeCertificate({ hostnames: ["b.test"] });
  const files = pair(good.cert, good.key);
  const certificates = [
    { hostnames: ["B.test"], cert_path: folder.write("b.pem", other.cert), key_path: folder.write("b.key", other.key) },
  ];
  expect(read({ ...files, certificates })).toEqual({
    fallback: { cert: good.cert, key: good.key },
    named: [{ hostnames: ["b.test"], pair: { cert: other.cert, key: other.key } }],
    clientCa: "",
    clientCertRequired: true,
    hosts: [],
    listeners: [],
  });
  expect(read({ certificates })?.fallback?.cert).toBe(other.cert);
  expect(read({})).toBeUndefined();
});

test("a chain is kept whole, and only its first certificate is checked", () => {
  const ca = makeCertificate({ isCa: true, to: -1, from: -2 });
  const chain = good.cert + ca.cert;
  expect(read(pair(chain, good.key))?.fallback?.cert).toBe(chain);
});

const OTHER = makeCertificate();
const PROTECTED = createPrivateKey(good.key)
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" })
  .toString();
const BROKEN = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

const REFUSED: readonly [what: string, cert: string, key: string, message: RegExp][] = [
  [
    "a key of another certificate",
    good.cert,
    OTHER.key,
    /certificate ".*cert.pem": the private key ".*key.pem" belongs to another/,
  ],
  ["a file without a certificate", "nothing", good.key, /certificate ".*cert.pem": the file has no certificate/],
  ["a key in the certificate's place", good.key, good.key, /certificate ".*cert.pem": the file has no certificate/],
  ["a broken certificate", BROKEN, good.key, /certificate ".*cert.pem": it cannot be decoded/],
  ["a file without a key", good.cert, "nothing", /private key ".*key.pem": it is not a private key in PEM form/],
  ["a key behind a passphrase", good.cert, PROTECTED, /private key ".*key.pem": it is protected by a passphrase/],
];
for (const [what, cert, key, message] of REFUSED) {
  test(`${what} is refused, and the error names its file`, () => {
    expect(() => read(pair(cert, key))).toThrow(message);
    const certificates = [{ hostnames: ["a.test"], ...pair(cert, key) }];
    expect(() => read({ certificates })).toThrow(message);
  });
}

test("the error names a missing file, or a folder in its place", () => {
  const { cert_path } = pair(good.cert, good.key);
  expect(() => read({ cert_path, key_path: folder.file("no.key") })).toThrow(
    /private key ".*no.key": there is no such file/,
  );
  expect(() => read({ cert_path: folder.path, key_path: cert_path })).toThrow(/certificate ".*": it is a folder/);
});

test("a client CA file without a certificate is refused", () => {
  const files = pair(good.cert, good.key);
  expect(() => read({ ...files, client_ca_path: folder.write("ca.pem", "nothing") })).toThrow(
    /client CAs ".*ca.pem": the file holds no certificate/,
  );
  expect(() => read({ ...files, client_ca_path: folder.file("no.pem") })).toThrow(/client CAs ".*no.pem": there is no/);
  const ca = makeCertificate({ isCa: true });
  expect(read({ ...files, client_ca_path: folder.write("ca.pem", ca.cert) })?.clientCa).toBe(ca.cert);
});
