import { z } from "@hono/zod-openapi";
import { readJsonUpTo } from "../../lib/response-bytes.ts";
import { paymentRequirementsSchema } from "../../payments/x402/messages.ts";
import { priceText } from "../../payments/x402/price-text.ts";
import { type Send } from "./gateway-address.ts";
import { OPERATIONS } from "../operations/operations.ts";

/** What the operations cost at a gateway; nobody knows it but the gateway. */
export interface PriceList {
  /** `$0.005`, by path; a path that is not there is free. */
  readonly prices: Readonly<Record<string, string>>;
  /** Payments are checked, and move no money. */
  readonly testMode: boolean;
}

/** Asks what the operations cost for a client that knows the gateway by `host`; undefined where that cannot be learned. */
export type AskPrices = (host: string) => Promise<PriceList | undefined>;

/** For a service that no gateway is named to. */
export const unknownPrices: AskPrices = async () => undefined;

/** Milliseconds that a list counts as new: a reload of the gateway is seen so late. @bound */
const FRESH_MS = 1000;
/** Hosts whose lists are kept; the one asked for longest ago goes. */
const MAX_HOSTS = 64;
/** Milliseconds and bytes of a gateway's response. @bound */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 1024 * 1024;

const schema = z.object({
  x402Version: z.literal(2),
  testMode: z.boolean().default(false),
  resources: z
    .array(z.object({ path: z.string(), accepts: z.array(paymentRequirementsSchema).min(1).max(32) }))
    .max(OPERATIONS.length),
});

interface Asked {
  readonly at: number;
  readonly list: Promise<PriceList | undefined>;
}

/** Asks the gateway at `gatewayUrl` by its catalogue, `send` being how it is reached; `now` in milliseconds. */
export function pricesOf(gatewayUrl: string, send: Send, now: () => number = () => performance.now()): AskPrices {
  const query = OPERATIONS.map(({ path }) => `path=${encodeURIComponent(path)}`).join("&");
  const url = `${gatewayUrl}/.well-known/x402?${query}`;
  const kept = new Map<string, Asked>();
  return async (host) => {
    const known = kept.get(host);
    if (known !== undefined && now() - known.at < FRESH_MS) return await known.list;
    kept.delete(host);
    const [oldest] = kept.keys();
    if (kept.size >= MAX_HOSTS && oldest !== undefined) kept.delete(oldest);
    const list = ask(url, host, send).catch(() => undefined);
    kept.set(host, { at: now(), list });
    return await list;
  };
}

async function ask(url: string, host: string, send: Send): Promise<PriceList | undefined> {
  const response = await send(url, {
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: host === "" ? {} : { host },
  });
  const parsed = schema.safeParse(await readJsonUpTo(response, MAX_BYTES));
  if (!response.ok || !parsed.success) return undefined;
  const { resources, testMode } = parsed.data;
  return { testMode, prices: Object.fromEntries(resources.map(({ path, accepts }) => [path, priceText(accepts)])) };
}
