import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { TurnpikeError } from "../../lib/errors.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { isAtomic } from "../../payments/x402/price.ts";
import { type Job } from "../../store/jobs/job-store.ts";

/** A payment that the gateway charges later, by delivered pages (`Settlement-Deferral`). */
export interface DeferredPayment {
  readonly network: string;
  readonly asset: string;
  /** The most that it pays, in the smallest unit of the asset. */
  readonly quote: string;
  /** Unix seconds. The job must have ended by then. */
  readonly until: number;
}

const terms = z.object({
  quote: z.string(),
  asset: z.string(),
  network: z.string(),
  keyHash: z.string(),
  capped: z.boolean().optional(),
});

/** The terms of a job that is paid by its pages. */
export type Sale = z.infer<typeof terms>;

const deferral = z.object({ until: z.int().positive() });

/** The deferred payment that the gateway announces in the fields of a request; otherwise undefined. */
export function deferredPayment(headers: Headers): DeferredPayment | undefined {
  const value = headers.get("settlement-deferral");
  const quote = headers.get("turnpike-amount") ?? "";
  const [id, payer, network = "", asset = ""] = namesIn(headers);
  if (value === null || [id, payer, network, asset].includes("") || !isAtomic(quote)) return undefined;
  const { data } = deferral.safeParse(parsedJson(value));
  return data && { network, asset, quote, until: data.until };
}

/** The name of the payment of a request; empty if none is known. A request that is sent again has the same one. */
export function paymentName(headers: Headers): string {
  const [id = "", payer, network, asset] = namesIn(headers);
  return id && [network, asset, payer, id].join("\n");
}

function namesIn(headers: Headers): readonly string[] {
  return ["payment-id", "payer", "network", "asset"].map((name) => headers.get(`turnpike-${name}`) ?? "");
}

/**
 * True if the gateway makes the charge of a request after its response, and never tells whether it did: the payment is neither
 * settled nor deferred. Then only a client that has the response is known to have paid.
 */
export function isUnproven(headers: Headers): boolean {
  const [id, transaction] = ["payment-id", "transaction"].map((name) => headers.get(`turnpike-${name}`) ?? "");
  return id !== "" && transaction === "" && deferredPayment(headers) === undefined;
}

/** The terms of a job; undefined if nothing is left to pay. */
export function saleOf({ sale }: Pick<Job, "sale">): Sale | undefined {
  return sale === "" ? undefined : terms.parse(JSON.parse(sale));
}

/** The terms as text. `key`: the secret that the gateway gets. */
export function saleText({ quote, asset, network, capped }: Omit<Sale, "keyHash">, key: string): string {
  return JSON.stringify({ quote, asset, network, capped, keyHash: hashOf(key).toString("hex") } satisfies Sale);
}

/**
 * The amount that is due for `pages` of the `limit` pages of the quote, which cost `saved` hundredths of a page less. Fractions
 * of the smallest unit are dropped.
 */
export function amountOf(quote: string, limit: number, pages: number, saved = 0): string {
  return String((BigInt(quote) * BigInt(Math.min(pages, limit) * 100 - saved)) / BigInt(limit * 100));
}

/** Whether everything is paid up to a number of delivered pages, which cost `saved` hundredths of a page less. */
export function isPaid(
  job: Pick<Job, "sale" | "limit" | "paid">,
  { pages, saved }: { readonly pages: number; readonly saved: number },
): boolean {
  const sale = saleOf(job);
  return sale === undefined || BigInt(amountOf(sale.quote, job.limit, pages, saved)) <= BigInt(job.paid);
}

/** Maximum number of pages whose due charge is at most `amount`. */
export function pagesOf(quote: string, limit: number, amount: string): number {
  if (BigInt(quote) === 0n) return limit;
  const pages = ((BigInt(amount) + 1n) * BigInt(limit) - 1n) / BigInt(quote);
  return pages < BigInt(limit) ? Number(pages) : limit;
}

/** The terms of a job that must not cost more than `most`, and the pages that it may deliver. Throws if it may deliver none. */
export function within(
  payment: DeferredPayment | undefined,
  limit: number,
  most: string | undefined,
): { readonly sale: Omit<Sale, "keyHash"> | undefined; readonly limit: number } {
  if (most === undefined) return { sale: payment, limit };
  if (payment === undefined)
    throw badPrice("needs a payment by delivered pages: prepaid credit, or the scheme upto or batch-settlement");
  const pages = pagesOf(payment.quote, limit, most);
  if (pages === 0) throw badPrice("must be at least the price of one page");
  return { sale: { ...payment, quote: amountOf(payment.quote, limit, pages), capped: pages < limit }, limit: pages };
}

function badPrice(message: string): TurnpikeError {
  const errors = [{ path: "max_price", message }];
  return new TurnpikeError("invalid-parameters", `Cannot accept the request: 'max_price' ${message}`, errors);
}

/** The name of the job with this order that a payment pays for, so that a repeated request finds it again. */
export function jobIdOf(payment: string, order: string): string {
  const hash = createHash("sha256").update(`${payment}\n${order}`);
  return hash.digest().subarray(0, 16).toString("hex");
}

/** The hash of a secret, under which a job is stored. */
export function hashOf(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Whether `hash` is the stored hash of a secret. Takes the same time for all secrets. */
export function isSecret(secret: string, hash: string): boolean {
  return timingSafeEqual(hashOf(secret), Buffer.from(hash, "hex"));
}
