import { randomBytes } from "node:crypto";
import { fieldValue } from "../../lib/fields.ts";
import { Rendezvous } from "../../lib/rendezvous.ts";
import { type Exchange, type RequestHead } from "../exchange.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { takeCookie } from "./take-cookie.ts";

/** An upstream and its weight, relative to the other upstreams. */
export interface WeightedUpstream {
  readonly upstream: Upstream;
  readonly weight: number;
}

/** The header or cookie that identifies a client, so that it stays with its upstream. */
export type Sticky =
  | { readonly header: string }
  | {
      readonly cookie: {
        readonly name: string;
        readonly maxAgeS: number;
        /** The route's path: the client sends the cookie only with requests of the route. */
        readonly path: string;
      };
    };

/** The part of an exchange that the choice uses. */
export type Splittable = Pick<Exchange, "addedFields"> & { readonly head: Pick<RequestHead, "fields" | "scheme"> };

/** Chooses an upstream for each request (`traffic_split`). */
export interface TrafficSplit {
  /** Call this once for each request: all its tries go to the same upstream. */
  choose(exchange: Splittable): Upstream;
}

/** Bytes of a cookie's value: as many as the hash uses, and too few to identify one client among all. */
const ID_BYTES = 4;
const ID = /^[\w-]{6}$/;

/**
 * The golden ratio's fractional part, times 2^32. Steps of this length spread evenly over a circle, for any number of
 * steps.
 */
const STEP = 0x9e3779b9;
const CIRCLE = 2 ** 32;

/** Splits requests by weight; undefined if there are no upstreams. At least one weight is above 0. */
export function createTrafficSplit(
  upstreams: readonly WeightedUpstream[],
  sticky: Sticky | undefined,
  random: () => number = Math.random,
): TrafficSplit | undefined {
  if (upstreams.length === 0) return undefined;
  const interleaved = new InterleavedSplit(upstreams, random);
  if (sticky === undefined) return interleaved;
  return "header" in sticky
    ? new HeaderSplit(upstreams, sticky.header, interleaved)
    : new CookieSplit(upstreams, sticky.cookie);
}

/** Edits the request's fields, or adds a sink that edits the response's fields. */
export type MessageEdit = (exchange: Exchange) => void;

/** A split in which some upstreams have their own rules for fields. */
export class EditedSplit implements TrafficSplit {
  readonly #split: TrafficSplit;
  readonly #edits: ReadonlyMap<Upstream, MessageEdit>;

  constructor(split: TrafficSplit, edits: ReadonlyMap<Upstream, MessageEdit>) {
    this.#split = split;
    this.#edits = edits;
  }

  choose(exchange: Exchange): Upstream {
    const upstream = this.#split.choose(exchange);
    this.#edits.get(upstream)?.(exchange);
    return upstream;
  }
}

/**
 * Chooses without a sticky key. A point moves around a circle on which each upstream has an arc in proportion to its
 * weight. Any sequence of requests is spread by weight to within a few requests. Workers begin at different points.
 */
class InterleavedSplit implements TrafficSplit {
  readonly #upstreams: readonly WeightedUpstream[];
  readonly #total: number;
  #point: number;

  constructor(upstreams: readonly WeightedUpstream[], random: () => number) {
    this.#upstreams = upstreams;
    this.#total = upstreams.reduce((sum, { weight }) => sum + weight, 0);
    this.#point = Math.floor(random() * CIRCLE);
  }

  choose(): Upstream {
    this.#point = (this.#point + STEP) >>> 0;
    let left = (this.#point / CIRCLE) * this.#total;
    for (const { upstream, weight } of this.#upstreams) {
      left -= weight;
      if (left < 0) return upstream;
    }
    throw new Error("Cannot split traffic: no upstream has a weight");
  }
}

/**
 * Chooses by the hash of a text: the same upstream in every worker and after reloads. A change of weights moves as few
 * clients as possible.
 */
class HashedUpstreams {
  readonly #choices: Rendezvous<WeightedUpstream & { readonly key: string }>;

  constructor(upstreams: readonly WeightedUpstream[]) {
    const weights = new Map<Upstream, number>();
    for (const { upstream, weight } of upstreams) weights.set(upstream, (weights.get(upstream) ?? 0) + weight);
    this.#choices = new Rendezvous(
      [...weights].map(([upstream, weight]) => ({ key: upstream.name, upstream, weight })),
    );
  }

  of(text: string): Upstream {
    const choice = this.#choices.choose(text, isAllowed);
    if (choice === undefined) throw new Error("Cannot split traffic: no upstream has a weight");
    return choice.upstream;
  }
}

function isAllowed(): boolean {
  return true;
}

class HeaderSplit implements TrafficSplit {
  readonly #hashed: HashedUpstreams;
  readonly #lowerName: string;
  readonly #others: TrafficSplit;

  constructor(upstreams: readonly WeightedUpstream[], name: string, others: TrafficSplit) {
    this.#hashed = new HashedUpstreams(upstreams);
    this.#lowerName = name.toLowerCase();
    this.#others = others;
  }

  choose(exchange: Splittable): Upstream {
    const value = fieldValue(exchange.head.fields, this.#lowerName) ?? "";
    return value === "" ? this.#others.choose(exchange) : this.#hashed.of(value);
  }
}

/** Chooses by the hash of a cookie with a few random characters. Upstreams do not receive the cookie. */
class CookieSplit implements TrafficSplit {
  readonly #hashed: HashedUpstreams;
  readonly #name: string;
  readonly #attributes: string;

  constructor(
    upstreams: readonly WeightedUpstream[],
    { name, maxAgeS, path }: { name: string; maxAgeS: number; path: string },
  ) {
    this.#hashed = new HashedUpstreams(upstreams);
    this.#name = name;
    // RFC 6265 §4.1.1: a path-value must not contain a semicolon.
    this.#attributes = `Path=${path.includes(";") ? "/" : path}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax`;
  }

  choose(exchange: Splittable): Upstream {
    const { value, fields } = takeCookie(exchange.head.fields, this.#name);
    exchange.head.fields = fields;
    if (value !== undefined && ID.test(value)) return this.#hashed.of(value);
    const id = randomBytes(ID_BYTES).toString("base64url");
    const secure = exchange.head.scheme === "https" ? "; Secure" : "";
    exchange.addedFields += `Set-Cookie: ${this.#name}=${id}; ${this.#attributes}${secure}\r\n`;
    return this.#hashed.of(id);
  }
}
