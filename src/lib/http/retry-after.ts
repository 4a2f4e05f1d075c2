import { parseHttpDate } from "./http-date.ts";

/** Milliseconds that a Retry-After field asks to wait (RFC 9110 §10.2.3); undefined if it is absent or invalid. */
export function retryWaitMs(field: string | null | undefined, now: number): number | undefined {
  if (field === null || field === undefined) return undefined;
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1_000;
  const at = parseHttpDate(field, now);
  return at === undefined ? undefined : Math.max(0, at - now);
}
