import { randomBytes } from "node:crypto";
import { fieldValue } from "../../lib/fields.ts";
import { Rendezvous } from "../../lib/rendezvous.ts";
import { type Exchange, type RequestHead } from "../exchange.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { takeCookie } from "./take-cookie.ts";

/** An upstream and its part of a route's requests, relative to the others. */
export interface Share {
  readonly upstream: Upstream;
  readonly weight: number;
}

/** What a client is known by that stays with its share. */
export type Sticky =
  | { readonly header: string }
  | {
      readonly cookie: {
        readonly name: string;
        readonly maxAgeS: number;
        /** Of the route: the cookie comes with its requests alone. */
        readonly path: string;
      };
    };

/** What a choice looks at: an exchange. */
export type Splittable = Pick<Exchange, "addedFields"> & { readonly head: Pick<RequestHead, "fields" | "scheme"> };

/** Which upstream of several a request goes to (`traffic_split`). */
export interface TrafficSplit {
  /** Called once a request: its tries stay where it was sent. */
  choose(exchange: Splittable): Upstream;
}

/** Bytes of a cookie's value: as many as the hash makes use of, and too few to know one client among all by. */
const ID_BYTES = 4;
const ID = /^[\w-]{6}$/;

/** The golden ratio's fraction, of 2^32: steps of this length spread over a circle as evenly as any, however many they are. */
const STEP = 0x9e3779b9;
const CIRCLE = 2 ** 32;

/** Deals requests by weight; undefined where there are no shares. At least one weight is above 0. */
export function createTrafficSplit(
  shares: readonly Share[],
  sticky: Sticky | undefined,
  random: () => number = Math.random,
): TrafficSplit | undefined {
  if (shares.length === 0) return undefined;
  const dealt = new DealtSplit(shares, random);
  if (sticky === undefined) return dealt;
  return "header" in sticky ? new HeaderSplit(shares, sticky.header, dealt) : new CookieSplit(shares, sticky.cookie);
}

/** Changes the request's fields, or puts a sink that changes the response's before the exchange's. */
export type MessageEdit = (exchange: Exchange) => void;

/** A split, some of whose upstreams have rules of their own for fields. */
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
 * Each request by itself, in no blocks: a point goes round a circle, of which each upstream has an arc as long as its weight.
 * Any number of requests in a row is shared to within a few of them, and workers begin at different points.
 */
class DealtSplit implements TrafficSplit {
  readonly #shares: readonly Share[];
  readonly #total: number;
  #point: number;

  constructor(shares: readonly Share[], random: () => number) {
    this.#shares = shares;
    this.#total = shares.reduce((sum, { weight }) => sum + weight, 0);
    this.#point = Math.floor(random() * CIRCLE);
  }

  choose(): Upstream {
    this.#point = (this.#point + STEP) >>> 0;
    let left = (this.#point / CIRCLE) * this.#total;
    for (const { upstream, weight } of this.#shares) {
      left -= weight;
      if (left < 0) return upstream;
    }
    throw new Error("Cannot split traffic: no share has a weight");
  }
}

/** By the hash of a text: the same upstream in every worker and after reloads, and a change of weights moves as few as can be. */
class HashedShares {
  readonly #choices: Rendezvous<Share & { readonly key: string }>;

  constructor(shares: readonly Share[]) {
    const weights = new Map<Upstream, number>();
    for (const { upstream, weight } of shares) weights.set(upstream, (weights.get(upstream) ?? 0) + weight);
    this.#choices = new Rendezvous(
      [...weights].map(([upstream, weight]) => ({ key: upstream.name, upstream, weight })),
    );
  }

  of(text: string): Upstream {
    const choice = this.#choices.choose(text, isAllowed);
    if (choice === undefined) throw new Error("Cannot split traffic: no share has a weight");
    return choice.upstream;
  }
}

function isAllowed(): boolean {
  return true;
}

class HeaderSplit implements TrafficSplit {
  readonly #hashed: HashedShares;
  readonly #lowerName: string;
  readonly #others: TrafficSplit;

  constructor(shares: readonly Share[], name: string, others: TrafficSplit) {
    this.#hashed = new HashedShares(shares);
    this.#lowerName = name.toLowerCase();
    this.#others = others;
  }

  choose(exchange: Splittable): Upstream {
    const value = fieldValue(exchange.head.fields, this.#lowerName) ?? "";
    return value === "" ? this.#others.choose(exchange) : this.#hashed.of(value);
  }
}

/** The client brings a few random characters, whose hash chooses; upstreams never see them. */
class CookieSplit implements TrafficSplit {
  readonly #hashed: HashedShares;
  readonly #name: string;
  readonly #attributes: string;

  constructor(shares: readonly Share[], { name, maxAgeS, path }: { name: string; maxAgeS: number; path: string }) {
    this.#hashed = new HashedShares(shares);
    this.#name = name;
    // RFC 6265 §4.1.1: a path-value holds no semicolon.
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
