import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type KeyPair } from "../wire/tls.ts";
import { AcmeError } from "./acme-error.ts";

/** Certificates of a chain from a directory; a longer chain fails the order. */
const MAX_CHAIN = 16;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * The chain that a directory sent, as PEM without anything else. Throws an AcmeError if clients could not use it with
 * this key for this domain at `now` (Unix milliseconds).
 */
export function checkedChain(
  text: string,
  { key, domain, now }: { readonly key: KeyObject; readonly domain: string; readonly now: number },
): string {
  const blocks: readonly string[] = text.match(CERTIFICATE) ?? [];
  if (blocks.length > MAX_CHAIN) throw new AcmeError(`the chain has more than ${MAX_CHAIN} certificates`);
  const [leaf] = blocks.map((block, i) => {
    const certificate = decoded(block);
    if (certificate === undefined) throw new AcmeError(`certificate ${i + 1} of the chain cannot be decoded`);
    return certificate;
  });
  if (leaf === undefined) throw new AcmeError("the directory sent no certificate");
  if (leaf.checkHost(domain) === undefined) throw new AcmeError(`the certificate is not for ${domain}`);
  if (!leaf.checkPrivateKey(key)) throw new AcmeError("the certificate is for another key");
  const to = Date.parse(leaf.validTo);
  // Also if the clock of this machine is wrong: then clients of this machine's time would refuse it.
  if (!(to > now)) throw new AcmeError(`the certificate was valid until ${leaf.validTo}`);
  return `${blocks.join("\n")}\n`;
}

/** The validity of a stored pair, in Unix milliseconds; undefined if listeners could not use the pair. */
export function validityOf({ cert, key }: KeyPair): { readonly from: number; readonly to: number } | undefined {
  const chain = (cert.match(CERTIFICATE) ?? []).map(decoded);
  const [leaf] = chain;
  try {
    if (leaf === undefined || chain.includes(undefined) || !leaf.checkPrivateKey(createPrivateKey(key)))
      return undefined;
    return { from: Date.parse(leaf.validFrom), to: Date.parse(leaf.validTo) };
  } catch {
    return undefined;
  }
}

function decoded(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}
