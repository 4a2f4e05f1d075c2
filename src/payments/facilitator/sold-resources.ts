import { isObject } from "../../lib/is-object.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { isWithin } from "../../lib/time/is-within.ts";
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
interface SoldResource {
  readonly resource: string;
  readonly type: string;
  readonly x402Version: 2;
  readonly accepts: readonly PaymentRequirements[];
  readonly lastUpdated: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Turnpike's own member: the last payment by which this facilitator has tried the resource. */
  readonly turnpikeVerification?: Verification;
}

/** The result of a payment by which a facilitator tries a resource. */
export interface Verification {
  /** Its time, as ISO 8601. */
  readonly at: string;
  /** The resource was sold and delivered. */
  readonly verified: boolean;
  /** A short text for people. */
  readonly result: string;
}

/** A listed resource of HTTP, and its example of a request. */
export interface ListedResource {
  readonly key: string;
  readonly url: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The parts of a payment that describe what was sold. */
type Sold = Pick<PaymentPayload, "resource" | "extensions">;

/**
 * The resources for which this facilitator has settled payments that carry the extension `bazaar`. They are kept in
 * memory, and come back with the next settlement.
 */
export class SoldResources {
  readonly #entries = new NewestMap<string, SoldResource>(MAX_RESOURCES);
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
    const before = this.#entries.get(key)?.turnpikeVerification;
    const entry: SoldResource = {
      resource: url,
      type,
      x402Version: 2,
      accepts: [requirements, ...others].slice(0, MAX_ACCEPTS),
      lastUpdated: new Date(this.#now()).toISOString(),
      metadata: { ...described, bazaar: info },
      ...(before === undefined ? {} : { turnpikeVerification: before }),
    };
    if (JSON.stringify(entry).length > MAX_ENTRY) return false;
    this.#entries.set(key, entry);
    return true;
  }

  /** The resource of HTTP that was tried last the longest ago, if that is not within `restMs` milliseconds. */
  due(restMs: number, isWanted: (url: string) => boolean): ListedResource | undefined {
    const now = this.#now();
    const [due] = [...this.#entries]
      .filter(
        ([, entry]) => entry.type === "http" && !isWithin(triedAt(entry), restMs, now) && isWanted(entry.resource),
      )
      .toSorted(([, a], [, b]) => triedAt(a) - triedAt(b));
    if (due === undefined) return undefined;
    const [key, { resource: url, metadata }] = due;
    const { bazaar } = metadata;
    const input = isObject(bazaar) ? bazaar["input"] : undefined;
    return { key, url, input: isObject(input) ? input : {} };
  }

  /** Records the result of a try. The order of the list stays. */
  verified({ key }: ListedResource, result: Omit<Verification, "at">): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const turnpikeVerification = { at: new Date(this.#now()).toISOString(), ...result };
    // `set` would make it the newest.
    Map.prototype.set.call(this.#entries, key, { ...entry, turnpikeVerification });
  }

  /** The newest resources with their last tries, for the operator. */
  shown(): readonly { readonly resource: string; readonly verification: Verification | undefined }[] {
    const newest = [...this.#entries.values()].toReversed().slice(0, MAX_PAGE);
    return newest.map(({ resource, turnpikeVerification: verification }) => ({ resource, verification }));
  }

  /**
   * One page, the newest first: of `type`, of those that were `verified` or not, and of those with each word of `query`
   * in their URL or description. Invalid numbers count as missing.
   */
  page(query: URLSearchParams): object {
    const words = (query.get("query") ?? "").toLowerCase().split(/\s+/).filter(Boolean).slice(0, 16);
    const type = query.get("type");
    const verified = query.get("verified");
    const limit = Math.min(numberIn(query.get("limit")) ?? DEFAULT_PAGE, MAX_PAGE);
    const offset = numberIn(query.get("offset")) ?? 0;
    const found = [...this.#entries.values()]
      .toReversed()
      .filter(
        (entry) =>
          (type === null || entry.type === type) &&
          (verified === null || String(entry.turnpikeVerification?.verified === true) === verified) &&
          words.every((word) => searchedText(entry).includes(word)),
      );
    return {
      x402Version: 2,
      items: found.slice(offset, offset + limit),
      pagination: { limit, offset, total: found.length },
    };
  }
}

/** Unix milliseconds of the last try; 0 before the first one. */
function triedAt({ turnpikeVerification: last }: SoldResource): number {
  return last === undefined ? 0 : Date.parse(last.at);
}

/** True for a URL without a user name or password: the list is public. */
function isListable(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && SCHEMES.has(url.protocol) && url.username + url.password === "";
}

function numberIn(text: string | null): number | undefined {
  return text !== null && /^[0-9]{1,6}$/.test(text) ? Number(text) : undefined;
}

function searchedText({ resource, metadata }: SoldResource): string {
  const { description = "", serviceName = "", tags = [] } = metadata;
  return JSON.stringify([resource, description, serviceName, tags]).toLowerCase();
}
