import { randomBytes } from "node:crypto";
import { Rendezvous } from "../../lib/rendezvous.ts";
import { type Exchange, type RequestHead } from "../exchange/exchange.ts";
import { headValue } from "../exchange/head-fields.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { takeCookie } from "./take-cookie.ts";

export interface Weighted<Choice> {
  readonly choice: Choice;
  /** Identifies the choice for sticky clients. The weights of the same key are added up, and the first choice is used. */
  readonly key: string;
  /** Relative to the other weights. */
  readonly weight: number;
}

/** The header or cookie that identifies a client, so that it stays with its upstream. */
export type Sticky =
  | { readonly header: string }
  | {
      readonly cookie: {
        readonly name: string;
        /** 0: the cookie lasts until the browser is closed. */
        readonly maxAgeS: number;
        /** The route's path: the client sends the cookie only with requests of the route. */
        readonly path: string;
      };
    };

export type Splittable = Pick<Exchange, "addedFields"> & { readonly head: Pick<RequestHead, "fields" | "scheme"> };

/** Chooses the destination of each request (`traffic_split`). */
export interface Split<Choice> {
  /** Call this once for each request: all its tries go to the same upstream. */
  choose(exchange: Splittable): Choice;
}

export type TrafficSplit = Split<Upstream>;

/** Bytes of a cookie's value: as many as the hash uses, and too few to identify one client among all. */
const ID_BYTES = 4;
const ID = /^[\w-]{6}$/;

/**
 * The golden ratio's fractional part, times 2^32. Steps of this length spread evenly over a circle, for any number of
 * steps.
 */
const STEP = 0x9e3779b9;
const CIRCLE = 2 ** 32;

const NO_WEIGHT = "Cannot split traffic: no choice has a weight";

/** Splits requests by weight; undefined if there are no choices. At least one weight is above 0. */
export function createTrafficSplit<Choice>(
  choices: readonly Weighted<Choice>[],
  sticky: Sticky | undefined,
  random: () => number = Math.random,
): Split<Choice> | undefined {
  if (choices.length === 0) return undefined;
  const interleaved = new InterleavedSplit(choices, random);
  if (sticky === undefined) return interleaved;
  return "header" in sticky
    ? new HeaderSplit(choices, sticky.header, interleaved)
    : new CookieSplit(choices, sticky.cookie);
}

/**
 * Chooses without a sticky key. A point moves around a circle on which each choice has an arc in proportion to its
 * weight. Any sequence of requests is spread by weight to within a few requests. Workers begin at different points.
 */
class InterleavedSplit<Choice> implements Split<Choice> {
  readonly #choices: readonly Weighted<Choice>[];
  readonly #total: number;
  #point: number;

  constructor(choices: readonly Weighted<Choice>[], random: () => number) {
    this.#choices = choices;
    this.#total = choices.reduce((sum, { weight }) => sum + weight, 0);
    this.#point = Math.floor(random() * CIRCLE);
  }

  choose(): Choice {
    this.#point = (this.#point + STEP) >>> 0;
    let left = (this.#point / CIRCLE) * this.#total;
    for (const { choice, weight } of this.#choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error(NO_WEIGHT);
  }
}

/**
 * Chooses by the hash of a text: the same in every worker and after reloads. A change of weights moves as few clients as
 * possible.
 */
class HashedChoices<Choice> {
  readonly #choices: Rendezvous<Weighted<Choice>>;

  constructor(choices: readonly Weighted<Choice>[]) {
    const merged = new Map<string, Weighted<Choice>>();
    for (const item of choices) {
      const other = merged.get(item.key);
      merged.set(item.key, other === undefined ? item : { ...other, weight: other.weight + item.weight });
    }
    this.#choices = new Rendezvous([...merged.values()]);
  }

  of(text: string): Choice {
    const chosen = this.#choices.choose(text, isAllowed);
    if (chosen === undefined) throw new Error(NO_WEIGHT);
    return chosen.choice;
  }
}

function isAllowed(): boolean {
  return true;
}

class HeaderSplit<Choice> implements Split<Choice> {
  readonly #hashed: HashedChoices<Choice>;
  readonly #lowerName: string;
  readonly #others: Split<Choice>;

  constructor(choices: readonly Weighted<Choice>[], name: string, others: Split<Choice>) {
    this.#hashed = new HashedChoices(choices);
    this.#lowerName = name.toLowerCase();
    this.#others = others;
  }

  choose(exchange: Splittable): Choice {
    const value = headValue(exchange.head, this.#lowerName) ?? "";
    return value === "" ? this.#others.choose(exchange) : this.#hashed.of(value);
  }
}

/** Chooses by the hash of a cookie with a few random characters. Upstreams do not receive the cookie. */
class CookieSplit<Choice> implements Split<Choice> {
  readonly #hashed: HashedChoices<Choice>;
  readonly #name: string;
  readonly #attributes: string;

  constructor(
    choices: readonly Weighted<Choice>[],
    { name, maxAgeS, path }: { name: string; maxAgeS: number; path: string },
  ) {
    this.#hashed = new HashedChoices(choices);
    this.#name = name;
    // RFC 6265 §4.1.1: a path-value must not contain a semicolon.
    const lifetime = maxAgeS === 0 ? "" : ` Max-Age=${maxAgeS};`;
    this.#attributes = `Path=${path.includes(";") ? "/" : path};${lifetime} HttpOnly; SameSite=Lax`;
  }

  choose(exchange: Splittable): Choice {
    const { value, fields } = takeCookie(exchange.head.fields, this.#name);
    exchange.head.fields = fields;
    if (value !== undefined && ID.test(value)) return this.#hashed.of(value);
    const id = randomBytes(ID_BYTES).toString("base64url");
    const secure = exchange.head.scheme === "https" ? "; Secure" : "";
    exchange.addedFields += `Set-Cookie: ${this.#name}=${id}; ${this.#attributes}${secure}\r\n`;
    return this.#hashed.of(id);
  }
}
