import { isObject } from "../../lib/is-object.ts";
import { type CanonicalJson, decodeJson, encodeJson } from "./canonical-json.ts";
import { PAYMENT_SCHEME, readChallenges } from "./challenge.ts";
import { PAYMENT_RECEIPT } from "./receipt.ts";

/** The members of `_meta` by which the `Payment` scheme works over MCP (draft-payment-transport-mcp-00). */
export const CREDENTIAL_KEY = "org.paymentauth/credential";
export const RECEIPT_KEY = "org.paymentauth/receipt";
/** The data of the JSON-RPC error, in the result of a tool. */
export const REQUIRED_KEY = "org.paymentauth/payment-required";

/** JSON-RPC codes: a call without a payment, and one whose payment was refused. */
export const PAYMENT_REQUIRED_CODE = -32_042;
export const PAYMENT_FAILED_CODE = -32_043;

/**
 * A credential of MCP as a value of Authorization: its `request` is JSON there, and base64url here. Undefined if it is no
 * credential. The same credential always gives the same text.
 */
export function authorizationOf(credential: unknown): string | undefined {
  if (!isObject(credential) || !isObject(credential["challenge"])) return undefined;
  const { challenge } = credential;
  const { request } = challenge;
  if (!isObject(request)) return undefined;
  const encoded = { ...credential, challenge: { ...challenge, request: encodeJson(asCanonical(request)) } };
  return `${PAYMENT_SCHEME} ${encodeJson(asCanonical(encoded))}`;
}

/** The challenges of a response as data of MCP; undefined without challenges. `problem`: the body of the response. */
export function requiredData({ headers, status }: Response, problem: unknown): Record<string, unknown> | undefined {
  const challenges = readChallenges(headers.get("www-authenticate") ?? "").map((challenge) => ({
    ...challenge,
    request: decodeJson(challenge.request),
  }));
  if (challenges.length === 0) return undefined;
  return { httpStatus: status, challenges, ...(isObject(problem) ? { problem } : {}) };
}

/** The receipt of a response; undefined without one. */
export function receiptIn({ headers }: Response): Record<string, unknown> | undefined {
  const receipt = decodeJson(headers.get(PAYMENT_RECEIPT) ?? "");
  return isObject(receipt) ? receipt : undefined;
}

/** JSON that was parsed has only values that can be written. */
function asCanonical(value: Readonly<Record<string, unknown>>): { readonly [name: string]: CanonicalJson } {
  return value as { readonly [name: string]: CanonicalJson }; // `unknown` comes from a JSON parser.
}
