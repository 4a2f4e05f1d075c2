import { z } from "zod";
import { type Address, isAddress } from "../x402/address.ts";
import { checksumAddress, hasBadChecksum } from "../x402/address-hash.ts";
import { decodeHeader } from "../x402/header.ts";
import { hashText } from "../signatures/eip712.ts";
import { recoverSigner } from "../signatures/recover-signer.ts";

/** The header of x402's extension `sign-in-with-x`. */
export const SIGN_IN = "SIGN-IN-WITH-X";

/** Milliseconds after its time for which a signed message is accepted. @bound */
export const SIGN_IN_MS = 300_000;
/** Milliseconds by which the client's clock may be ahead. @bound */
const AHEAD_MS = 60_000;

/** A line of the message cannot add others. */
const line = z
  .string()
  .max(2048)
  .regex(/^[\x20-\x7e]*$/);
const time = z.iso.datetime({ offset: true }).max(64);

const signIn = z.object({
  domain: line,
  address: z.custom<Address>((value) => typeof value === "string" && isAddress(value)),
  statement: line.min(1).optional(),
  uri: line,
  version: z.literal("1"),
  chainId: z.string().regex(/^eip155:[1-9][0-9]{0,14}$/),
  type: z.literal("eip191"),
  nonce: z.string().regex(/^[A-Za-z0-9]{8,128}$/),
  issuedAt: time,
  expirationTime: time.optional(),
  notBefore: time.optional(),
  requestId: line.optional(),
  resources: z.array(line).max(16).optional(),
  signature: z.string(),
});

/** A message that a wallet has signed (EIP-4361). */
export type SignIn = z.output<typeof signIn>;

/** The service that messages must be for. */
export interface SignInTarget {
  readonly domain: string;
  readonly uri: string;
}

/** Reads a `SIGN-IN-WITH-X` header. Undefined if it is malformed. */
export function readSignIn(header: string): SignIn | undefined {
  return signIn.safeParse(decodeHeader(header)).data;
}

/**
 * The reason why a message does not prove its address at `now` (Unix milliseconds); undefined if it does. A nonce may be
 * used once: the caller must note it. Accepts only plain accounts, as payments do.
 */
export function signInError(message: SignIn, { domain, uri }: SignInTarget, now: number): string | undefined {
  if (message.domain !== domain) return `the domain is not ${domain}`;
  if (message.uri !== uri) return `the URI is not ${uri}`;
  const { issuedAt, expirationTime, notBefore, address } = message;
  const age = now - Date.parse(issuedAt);
  if (age > SIGN_IN_MS || age < -AHEAD_MS) return "it was not issued within the last 5 minutes";
  if (expirationTime !== undefined && Date.parse(expirationTime) <= now) return "it has expired";
  if (notBefore !== undefined && Date.parse(notBefore) > now) return "it is not valid yet";
  if (hasBadChecksum(address)) return "the address has a wrong checksum";
  const signer = recoverSigner(hashOf(signInText(message)), message.signature);
  return signer === address.toLowerCase() ? undefined : "the signature is not that of the address";
}

/** The text that the wallet signs (EIP-4361). @internal */
export function signInText(message: Omit<SignIn, "signature" | "type">): string {
  const { domain, address, statement, uri, version, chainId, nonce, issuedAt } = message;
  const { expirationTime, notBefore, requestId, resources } = message;
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    checksumAddress(address),
    "",
    ...(statement === undefined ? [] : [statement]),
    "",
    `URI: ${uri}`,
    `Version: ${version}`,
    `Chain ID: ${chainId.slice("eip155:".length)}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...(expirationTime === undefined ? [] : [`Expiration Time: ${expirationTime}`]),
    ...(notBefore === undefined ? [] : [`Not Before: ${notBefore}`]),
    ...(requestId === undefined ? [] : [`Request ID: ${requestId}`]),
    ...(resources === undefined ? [] : ["Resources:", ...resources.map((resource) => `- ${resource}`)]),
  ].join("\n");
}

/** The hash of a personal message (EIP-191). */
function hashOf(text: string): Uint8Array {
  return hashText(`\u0019Ethereum Signed Message:\n${Buffer.byteLength(text)}${text}`);
}
