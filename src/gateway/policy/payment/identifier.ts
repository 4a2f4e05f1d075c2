import { type PaymentPayload, type PaymentRequired } from "../../../payments/x402/messages.ts";

/** The extension by which a client names a payment, so that what it asks for twice is sold once. */
const EXTENSION = "payment-identifier";
const ID = /^[A-Za-z0-9_-]{16,128}$/;

/** How long an id stands for the payment that it came with first, in milliseconds. @bound */
export const ID_KEEP_MS = 86_400_000;

/** What the extension says in a payment: `undefined` where it is not there, `invalid` where its id is none. */
export function readIdentifier({ extensions }: PaymentPayload): { readonly id: string } | "invalid" | undefined {
  const info = infoOf(extensions);
  if (info === undefined) return undefined;
  const id = member(info, "id");
  if (id === undefined) return undefined;
  return typeof id === "string" && ID.test(id) ? { id } : "invalid";
}

/** True where a challenge asks for an id with every payment. */
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
