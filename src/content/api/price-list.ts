import { array, boolean, literal, looseObject, number, object, type Output, string } from "../../lib/schema.ts";
import { readJsonUpTo } from "../../lib/http/response-bytes.ts";
import { type PaymentRequirements, paymentRequirementsSchema } from "../../payments/x402/messages.ts";
import { priceText } from "../../payments/x402/price-text.ts";
import { type Send } from "./gateway-address.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";

/** The prices of the operations at a gateway. Only the gateway knows them. */
export interface PriceList {
  /** Prices such as `$0.005`, with the gateway's rules in words, by path. Other paths that are served are free. */
  readonly prices: Readonly<Record<string, string>>;
  /** Paths of operations for which the gateway has no route. */
  readonly unserved: readonly string[];
  readonly accepts: readonly PaymentRequirements[];
  /** The rules of paths that have some, as data. */
  readonly rules: Readonly<Record<string, readonly unknown[]>>;
  /** The offers of the `Payment` scheme by path, as data. */
  readonly offers: Readonly<Record<string, readonly unknown[]>>;
  /** The gateway checks payments but moves no money. */
  readonly testMode: boolean;
}

/** Asks for the prices of a client that knows the gateway by `host`; undefined if they cannot be fetched. */
export type AskPrices = (host: string) => Promise<PriceList | undefined>;

/** For a service without a configured gateway. */
export const unknownPrices: AskPrices = async () => undefined;

/** The same prices without an operation that the operator has not switched on. */
export function without(path: string, prices: AskPrices): AskPrices {
  return async (host) => {
    const list = await prices(host);
    return list && { ...list, unserved: [...list.unserved, path] };
  };
}

/** Milliseconds that a list counts as fresh, which delays the effect of a reload of the gateway. @bound */
const FRESH_MS = 1000;
/** Hosts whose lists are kept. The list that was used longest ago is removed. */
const MAX_HOSTS = 64;
/** Milliseconds and bytes of a gateway's response. @bound */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 1024 * 1024;

const schema = object({
  x402Version: literal(2),
  testMode: boolean().default(false),
  resources: array(
    object({
      path: string(),
      accepts: array(paymentRequirementsSchema).min(1).max(32),
      rules: array(looseObject({ text: string(), when: looseObject({}) }))
        .max(32)
        .default([]),
      offers: array(looseObject({})).max(32).default([]),
      freePerDay: object({ requests: number(), key: string() }).optional(),
    }),
  ).max(OPERATIONS.length),
  /** Absent at gateways that do not tell free paths from paths without a route. */
  free: array(string()).max(OPERATIONS.length).optional(),
});

interface Asked {
  readonly at: number;
  readonly list: Promise<PriceList | undefined>;
}

/**
 * Reads the prices from the catalogue of the gateway at `gatewayUrl`. `send` sends the requests; `now` is in
 * milliseconds.
 */
export function pricesOf(gatewayUrl: string, send: Send, now: () => number = () => performance.now()): AskPrices {
  const query = OPERATIONS.map(({ path }) => `path=${encodeURIComponent(path)}`).join("&");
  const url = `${gatewayUrl}/.well-known/x402?${query}`;
  const kept = new NewestMap<string, Asked>(MAX_HOSTS);
  return async (host) => {
    const known = kept.get(host);
    if (known !== undefined && now() - known.at < FRESH_MS) return await known.list;
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
  const { resources, testMode, free } = parsed.data;
  const served = new Set([...resources.map(({ path }) => path), ...(free ?? [])]);
  return {
    testMode,
    unserved: free === undefined ? [] : OPERATIONS.map(({ path }) => path).filter((path) => !served.has(path)),
    accepts: resources.flatMap(({ accepts }) => accepts),
    prices: Object.fromEntries(resources.map((resource) => [resource.path, acceptsText(resource)])),
    rules: Object.fromEntries(resources.flatMap(({ path, rules }) => (rules.length === 0 ? [] : [[path, rules]]))),
    offers: Object.fromEntries(resources.flatMap(({ path, offers }) => (offers.length === 0 ? [] : [[path, offers]]))),
  };
}

/** The price in words: `POST: $0.02; otherwise $0.05`. The first rule without conditions is the last that counts. */
function acceptsText({ accepts, rules, freePerDay }: Output<typeof schema>["resources"][number]): string {
  const always = rules.findIndex(({ when }) => Object.keys(when).length === 0);
  const conditional = (always < 0 ? rules : rules.slice(0, always)).map(({ text }) => text);
  const otherwise = rules[always]?.text ?? priceText(accepts);
  const price = conditional.length === 0 ? otherwise : `${conditional.join("; ")}; otherwise ${otherwise}`;
  if (freePerDay === undefined) return price;
  return `${price}; ${freePerDay.requests} a day free for each ${freePerDay.key === "payer" ? "payer" : "client"}`;
}

/** False for an operation, or a request about its jobs, for which the gateway has no route. */
export function isServed(path: string, list: PriceList | undefined): boolean {
  return list?.unserved.some((gone) => path === gone || path.startsWith(`${gone}/{`)) !== true;
}
