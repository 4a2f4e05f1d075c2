import { type PaymentRequired, type PaymentRequirements } from "../../x402/messages.ts";
import { member } from "./member.ts";
import { randomHex } from "../../../lib/text/random-hex.ts";

/** Longest payment header, in characters. */
const MAX_HEADER_LENGTH = 8192;
const PAYMENT_IDENTIFIER = "payment-identifier";

interface Paying {
  readonly required: PaymentRequired;
  readonly accepted: PaymentRequirements;
  readonly payload: object;
  /** Information that the payer adds to extensions of the gateway. */
  readonly informed?: Readonly<Record<string, object>>;
}

/** The payment header with the gateway's extensions, if they fit, and with an identifier if the gateway accepts one. */
export function paymentHeader({ required, accepted, payload, informed = {} }: Paying): string {
  const { extensions = {}, resource } = required;
  const id = PAYMENT_IDENTIFIER in extensions ? { [PAYMENT_IDENTIFIER]: { id: `pay_${randomHex()}` } } : {};
  const own = Object.fromEntries(
    Object.entries({ ...informed, ...id }).map(([key, info]) => [key, withInfo(extensions[key], info)]),
  );
  const payment = { x402Version: 2, resource, accepted, payload };
  const all = { ...extensions, ...own };
  const whole = encode(Object.keys(all).length === 0 ? payment : { ...payment, extensions: all });
  return whole.length <= MAX_HEADER_LENGTH ? whole : encode({ ...payment, extensions: own });
}

function withInfo(offered: unknown, added: object): object {
  const [extension, info] = [objectOf(offered), objectOf(member(offered, "info"))];
  return { ...extension, info: { ...info, ...added } };
}

function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** JSON in base64. */
function encode(value: unknown): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}

/** The JSON of a payment header; undefined if it is not valid. */
export function decode(header: string | null): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header ?? ""), (char) => char.charCodeAt(0))));
  } catch {
    return undefined;
  }
}
