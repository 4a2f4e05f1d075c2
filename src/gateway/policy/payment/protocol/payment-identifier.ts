import { createHash } from "node:crypto";
import { type HeadFields, headValue } from "../../../exchange/head-fields.ts";
import { type PaymentPayload, type PaymentRequired } from "../../../../payments/x402/messages.ts";

/** The extension for a client's own payment id: a request that is sent twice with one id is sold once. */
const EXTENSION = "payment-identifier";
const ID = /^[A-Za-z0-9_-]{16,128}$/;

/** Milliseconds that an id stays bound to the first payment that it came with. @bound */
export const ID_KEEP_MS = 86_400_000;

/** The id in a payment: `undefined` without the extension, `invalid` if its id is not valid. */
export function readIdentifier({
  extensions,
}: Pick<PaymentPayload, "extensions">): { readonly id: string } | "invalid" | undefined {
  const info = infoOf(extensions);
  if (info === undefined) return undefined;
  const id = member(info, "id");
  if (id === undefined) return undefined;
  return typeof id === "string" && ID.test(id) ? { id } : "invalid";
}

/** The id that an Idempotency-Key stands for; undefined without one. */
export function idempotencyId(head: HeadFields): string | undefined {
  const key = headValue(head, "idempotency-key");
  return key === undefined ? undefined : createHash("sha256").update(key).digest("base64url");
}

/** True if a challenge requires an id with every payment. */
export function requiresIdentifier(extensions: PaymentRequired["extensions"]): boolean {
  return member(infoOf(extensions), "required") === true;
}

function infoOf(extensions: unknown): unknown {
  return member(member(extensions, EXTENSION), "info");
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  const found: unknown = Reflect.get(value, key);
  return found;
}
