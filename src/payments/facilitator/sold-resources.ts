import { isObject } from "../../lib/is-object.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";

/** Resources that are listed; beyond it, the one that was not sold for the longest time is dropped. @bound */
const MAX_RESOURCES = 10_000;
/** Longest entry, in characters of JSON; a resource with a longer one is not listed. @bound */
const MAX_ENTRY = 4096;
/** Ways to pay that one entry names. @bound */
const MAX_ACCEPTS = 8;
/** Entries of one page of the list. @bound */
const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;
/** Schemes of listed URLs. Others, such as `javascript`, could run in the programs of readers. */
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "mcp:"]);

/** An entry of x402's discovery list. */
interface Entry {
  readonly resource: string;
  readonly type: string;
  readonly x402Version: 2;
  readonly accepts: readonly PaymentRequirements[];
  readonly lastUpdated: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The parts of a payment that describe what was sold. */
type Sold = Pick<PaymentPayload, "resource" | "extensions">;

/**
 * The resources for which this facilitator has settled payments that carry the extension `bazaar`. They are kept in
 * memory, and come back with the next settlement.
 */
export class SoldResources {
  readonly #entries = new NewestMap<string, Entry>(MAX_RESOURCES);
  readonly #now: () => number;

  /** `now`: Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Lists a resource that `caller` has sold. False: the payment does not describe one, or it is too long. */
  add(caller: string, { resource, extensions }: Sold, requirements: PaymentRequirements): boolean {
    const bazaar = extensions?.["bazaar"];
    const info = isObject(bazaar) ? bazaar["info"] : undefined;
    const input = isObject(info) ? info["input"] : undefined;
    const type = isObject(input) ? input["type"] : undefined;
    if (resource === undefined || (type !== "http" && type !== "mcp") || !isListable(resource.url)) return false;
    const key = `${caller} ${resource.url}`;
    const isOther = ({ scheme, network, asset }: PaymentRequirements): boolean =>
      scheme !== requirements.scheme || network !== requirements.network || asset !== requirements.asset;
    const others = (this.#entries.get(key)?.accepts ?? []).filter(isOther);
    const { url, ...described } = resource;
    const entry: Entry = {
      resource: url,
      type,
      x402Version: 2,
      accepts: [requirements, ...others].slice(0, MAX_ACCEPTS),
      lastUpdated: new Date(this.#now()).toISOString(),
      metadata: { ...described, bazaar: info },
    };
    if (JSON.stringify(entry).length > MAX_ENTRY) return false;
    this.#entries.set(key, entry);
    return true;
  }

  /**
   * One page, the newest first: of `type`, and of those with each word of `query` in their URL or description. Invalid
   * numbers count as missing.
   */
  page(query: URLSearchParams): object {
    const words = (query.get("query") ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, 16);
    const type = query.get("type");
    const limit = Math.min(numberIn(query.get("limit")) ?? DEFAULT_PAGE, MAX_PAGE);
    const offset = numberIn(query.get("offset")) ?? 0;
    const found = [...this.#entries.values()]
      .toReversed()
      .filter((entry) => (type === null || entry.type === type) && words.every((word) => textOf(entry).includes(word)));
    return {
      x402Version: 2,
      items: found.slice(offset, offset + limit),
      pagination: { limit, offset, total: found.length },
    };
  }
}

/** True for a URL without a user name or password: the list is public. */
function isListable(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && SCHEMES.has(url.protocol) && url.username + url.password === "";
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^[0-9]{1,6}$/.test(text) ? Number(text) : undefined;
}

function textOf({ resource, metadata }: Entry): string {
  const { description = "", serviceName = "", tags = [] } = metadata;
  return JSON.stringify([resource, description, serviceName, tags]).toLowerCase();
}
