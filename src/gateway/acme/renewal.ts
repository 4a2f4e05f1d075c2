import { isObject } from "../../lib/is-object.ts";
import { retryWaitMs } from "../../lib/http/retry-after.ts";
import { type AcmeDirectory } from "./directory.ts";
import { pauseAfter } from "./failures.ts";
import { type KeptCertificate } from "./records.ts";
import { renewalId } from "./x509.ts";

/** Milliseconds between two requests about a certificate: minimum, default and maximum (RFC 9773 §4.3.2). */
const LEAST_ASK_MS = 60_000;
const ASK_MS = 6 * 3_600_000;
export const LONGEST_ASK_MS = 24 * 3_600_000;
/** The part of its lifetime after which a certificate is renewed, if the directory suggests no time. */
const RENEWED_AFTER = 2 / 3;
/** The part of its lifetime after which a certificate is renewed, whatever the directory suggests. */
const LATEST = 9 / 10;

/** A directory's suggestion for a certificate, and the time of the next request (Unix milliseconds). */
export interface RenewalInfo {
  /** Undefined if the directory suggested no time. */
  readonly renewAt: number | undefined;
  readonly askAt: number;
}

/** The time at which a certificate is renewed (Unix milliseconds). */
export function renewalTime({ from, to }: KeptCertificate, info: RenewalInfo | undefined): number {
  if (info?.renewAt === undefined) return from + (to - from) * RENEWED_AFTER;
  return Math.min(info.renewAt, from + (to - from) * LATEST);
}

/** Milliseconds after its issue within which the renewal of a certificate is hasty. */
const HASTY_MS = 24 * 3_600_000;

/** The count of hasty renewals for a certificate that replaces `kept` at `now`. */
export function hastyAfter(kept: KeptCertificate | undefined, now: number): number {
  if (kept === undefined) return 0;
  const age = now - kept.record.issued_at;
  return age >= 0 && age < HASTY_MS ? kept.record.hasty + 1 : 0;
}

/**
 * The earliest time of a certificate's renewal (Unix milliseconds). Without it, a directory that suggests times in the
 * past, or issues certificates that are almost expired, would get one order after the other.
 */
export function earliestRenewal(
  { record, from, to }: KeptCertificate,
  { now, firstMs }: { now: number; firstMs: number },
): number {
  if (record.hasty === 0 || record.issued_at > now) return 0;
  const pause = pauseAfter(record.hasty, { random: 0.5, firstMs });
  return record.issued_at + Math.min(pause, (to - from) * RENEWED_AFTER);
}

/** Asks when a certificate should be renewed (RFC 9773 §4.2). `random` is from 0 to 1. Never rejects. */
export async function askRenewal(
  directory: AcmeDirectory,
  { pair }: KeptCertificate,
  { now, random }: { now: number; random: number },
): Promise<RenewalInfo> {
  const silent = { renewAt: undefined, askAt: now + ASK_MS };
  try {
    const url = await directory.resource("renewalInfo");
    const id = renewalId(pair.cert);
    if (url === undefined || id === undefined) return silent;
    const response = await directory.get(`${url}/${id}`);
    const { suggestedWindow } = response.json();
    const { start, end } = isObject(suggestedWindow) ? suggestedWindow : {};
    const first = Date.parse(String(start));
    const last = Date.parse(String(end));
    const wait = retryWaitMs(response.headers.get("retry-after"), now) || ASK_MS;
    const askAt = now + Math.min(Math.max(wait, LEAST_ASK_MS), LONGEST_ASK_MS);
    if (!(first < last)) return { renewAt: undefined, askAt };
    // RFC 9773 §4.2: a random moment of the window, so that certificates of one day are not all renewed at once.
    return { renewAt: first + (last - first) * random, askAt };
  } catch {
    // The order reports what is wrong with the directory.
    return silent;
  }
}
