import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext, rootCertificates } from "node:tls";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { readTrust } from "./system-trust.ts";

const [one, two, three] = [
  makeCertificate({ isCa: true }),
  makeCertificate({ isCa: true }),
  makeCertificate({ isCa: true }),
].map(({ cert }) => cert.trim()) as [string, string, string]; // The list above has three members.
const broken = "-----BEGIN CERTIFICATE-----\nMIIBQjCBAAAA\n-----END CERTIFICATE-----\n";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-trust-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("the first existing bundle of the system is used, or the runtime's certificates without one", () => {
  const bundles = [
    join(folder, "none"),
    folder,
    file("empty", "# nothing\n"),
    file("own", `${one}\n${two}\n`),
    file("other", three),
  ];
  expect(readTrust({}, bundles)).toEqual([one, two]);
  expect(readTrust({}, bundles.slice(0, 3))).toEqual(rootCertificates);
});

test("the environment's file, folders, or both replace the system's authorities", () => {
  mkdirSync(join(folder, "a"));
  mkdirSync(join(folder, "b"));
  file("a/one.0", one);
  file("b/two.pem", two);
  const system = [file("system", one)];
  const bundle = file("bundle", `${three}\n`);
  const folders = `${join(folder, "a")}::${join(folder, "none")}:${join(folder, "b")}`;
  expect(readTrust({ SSL_CERT_FILE: bundle }, system)).toEqual([three]);
  expect(readTrust({ SSL_CERT_DIR: folders }, system)).toEqual([one, two]);
  expect(readTrust({ SSL_CERT_FILE: bundle, SSL_CERT_DIR: folders }, system)).toEqual([three, one, two]);
});

test("if the environment names missing files, no other authorities replace them", () => {
  const gone = join(folder, "gone");
  expect(() => readTrust({ SSL_CERT_FILE: gone })).toThrow(
    `Cannot trust any CA: there is no certificate in SSL_CERT_FILE="${gone}"`,
  );
  expect(() => readTrust({ SSL_CERT_DIR: gone })).toThrow(`SSL_CERT_DIR="${gone}"`);
  expect(() => readTrust({ SSL_CERT_FILE: "/dev/zero" })).toThrow("/dev/zero");
});

test("further authorities are added, once each", () => {
  const extra = file("extra", `${one}\n${two}`);
  expect(readTrust({ NODE_EXTRA_CA_CERTS: extra }, [file("own", one)])).toEqual([one, two]);
  expect(readTrust({ NODE_EXTRA_CA_CERTS: join(folder, "gone") }, [file("own", one)])).toEqual([one]);
});

test("a broken certificate is left out, and the others are used", () => {
  const trust = readTrust({ SSL_CERT_FILE: file("bundle", `${one}\n${broken}${two}`) });
  expect(trust).toEqual([one, two]);
  createSecureContext({ ca: [...trust] });
});

test("files that are too large for certificates are not read", () => {
  const large = `${one}\n${"#".repeat(300 * 1024)}`;
  file("large", large);
  expect(() => readTrust({ SSL_CERT_DIR: folder })).toThrow("Cannot trust any CA");
  expect(readTrust({ SSL_CERT_FILE: join(folder, "large") })).toEqual([one]);
});
