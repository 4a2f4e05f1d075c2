import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Json } from "../../../../lib/json-schema/json.ts";
import { JsonError, readJson } from "../../../../lib/json-schema/read-json.ts";
import { isAtomic } from "../../../../payments/x402/price.ts";
import { canonicalAddress } from "../../../../payments/x402/address.ts";
import { compileTerms, type Terms } from "../../../../payments/x402/terms.ts";
import { type RouteX402Config } from "../../../config/config.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { foldCase } from "../../../../lib/text/fold-case.ts";
import { compileConditions, MatchSubject } from "../../../routing/conditions.ts";
import { isAmbiguous, readings } from "../../../routing/readings.ts";
import { type Conditions } from "../../../routing/routable.ts";
import { type BodyMemory, GatheredBody, type GatherBounds, hasBody } from "../../gathered-body.ts";
import { codingError, jsonBounds, jsonTypeError } from "../../json-body.ts";
import { BodyValue } from "./body-values.ts";

type Rule = RouteX402Config["rules"][number];

/** The keys of a route that decide its prices. */
export interface PriceConfig extends Terms, Pick<RouteX402Config, "rules" | "exempt_consumers"> {
  readonly accepts: readonly Terms[];
}

export interface PriceDeps {
  readonly memory: BodyMemory;
  readonly maxBodyBytes: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** The request is free for its payer, whose payment must be valid and is not settled. */
export class FreeForPayer {
  readonly at: "route" | readonly string[];

  constructor(at: "route" | readonly string[]) {
    this.at = at;
  }
}

export type Price =
  | FreeForPayer
  /** The price of the route. */
  | "route"
  | "free"
  | "refused"
  /** The price cannot be determined: the client's request is at fault. */
  | TurnpikeError
  /** Atomic units, for the route's own terms and then for each of `accepts`. */
  | readonly string[];

/** The request's body, as far as the rules need it. */
interface Body {
  readonly bytes: number;
  /** Undefined without a body. An error if it is not JSON. */
  readonly json: () => Json | undefined | TurnpikeError;
}

/** A request, apart from its body. */
interface Asked {
  readonly subject: MatchSubject;
  /** The same request with each path that some server may read its path as. */
  readonly others: readonly MatchSubject[];
  readonly consumer: string;
  /** In small letters; empty without a payment. */
  readonly payer: string;
  /** The payer is known otherwise than by an unverified payment. */
  readonly isProven: boolean;
}

const noJson = (): undefined => undefined;
const NO_BODY: Body = { bytes: 0, json: noJson };
const TOO_MUCH = new TurnpikeError("invalid-parameters", "the price of this request is greater than a payment can be");
const OTHER_PATH = new TurnpikeError("bad-path", "the path is another spelling of a path that has its own price");
const TOO_LONG = new TurnpikeError("bad-request", "the path, query or fields are too long to determine the price");

/** The price rules of one route. */
export class PriceRules {
  readonly #rules: readonly CompiledRule[];
  readonly #hasPaths: boolean;
  readonly #hasPayers: boolean;
  readonly #bounds: GatherBounds;
  readonly #clock: () => number;

  /** Throws if a price is not valid. */
  constructor(config: PriceConfig, { memory, maxBodyBytes, clock }: PriceDeps) {
    const terms = [config, ...config.accepts];
    this.#rules = rulesOf(config).map((rule) => new CompiledRule(rule, terms));
    this.#hasPayers = this.#rules.some(({ hasPayers }) => hasPayers);
    this.#hasPaths = this.#rules.some(({ hasPath }) => hasPath);
    this.#bounds = jsonBounds(maxBodyBytes, memory);
    this.#clock = clock;
  }

  /**
   * The first rule that fits decides. The body is read only for a rule that fits otherwise. `payerOf` returns the payer
   * of the request's payment, which may be forged: such a payer gets nothing before the payment is verified.
   */
  of(exchange: Exchange, payerOf: () => string): Price | Promise<Price> {
    const { head, consumer } = exchange;
    const proven = canonicalAddress(exchange.payer);
    const payer = this.#hasPayers ? canonicalAddress(payerOf()) || proven : "";
    const subject = new MatchSubject(head, head.path);
    const others = this.#hasPaths ? otherPaths(head.path).map((path) => new MatchSubject(head, path)) : [];
    return this.#decide(
      exchange,
      { subject, others, consumer, payer, isProven: payer === proven },
      hasBody(head) ? undefined : NO_BODY,
    );
  }

  #decide(exchange: Exchange, asked: Asked, body: Body | undefined): Price | Promise<Price> {
    for (const rule of this.#rules) {
      const fits = rule.fits(asked, this.#clock);
      if (fits instanceof TurnpikeError) return fits;
      if (!fits) continue;
      const { head } = exchange;
      if (body === undefined && rule.needsLength) {
        const coded = codingError(head);
        if (coded !== undefined) return coded;
      }
      if (body !== NO_BODY && rule.needsJson) {
        const wrongType = jsonTypeError(head);
        if (wrongType !== undefined) return wrongType;
      }
      if (body === undefined && (rule.needsJson || (rule.needsLength && head.bodyLength < 0))) {
        return this.#read(exchange, asked);
      }
      const price = rule.priceOf(body ?? { bytes: head.bodyLength, json: noJson });
      if (price === "free" && rule.hasPayers && !asked.isProven) {
        const common = this.#decide(exchange, { ...asked, payer: "" }, body);
        return common instanceof Promise ? common.then(freeForPayer) : freeForPayer(common);
      }
      if (price !== undefined) return price;
    }
    return "route";
  }

  async #read(exchange: Exchange, asked: Asked): Promise<Price> {
    const gathered = new GatheredBody(exchange, this.#bounds);
    const error = await gathered.gather();
    if (error !== undefined) return error;
    const { bytes } = gathered;
    gathered.replace();
    if (bytes.length === 0) return this.#decide(exchange, asked, { bytes: 0, json: noJson });
    let read: { readonly json: Json | TurnpikeError } | undefined;
    const json = (): Json | TurnpikeError => (read ??= { json: jsonOf(bytes) }).json;
    return this.#decide(exchange, asked, { bytes: bytes.length, json });
  }
}

function freeForPayer(price: Price): Price {
  if (price instanceof FreeForPayer || price === "free" || price instanceof TurnpikeError) return price;
  return new FreeForPayer(price === "refused" ? "route" : price);
}

/** The paths that some server may read a path as. Many ignore a slash at the end. */
function otherPaths(path: string): string[] {
  const found = isAmbiguous(path) ? readings(path) : new Set([path]);
  for (const one of found) if (one !== "/" && one.endsWith("/")) found.add(one.slice(0, -1));
  return [...found];
}

function rulesOf({ rules, exempt_consumers: exempt }: PriceConfig): readonly Rule[] {
  if (exempt.length === 0) return rules;
  const match = { methods: [], headers: [], query: [] };
  return [{ match, consumers: exempt, payers: [], body: [], free: true }, ...rules];
}

function jsonOf(bytes: Uint8Array): Json | TurnpikeError {
  try {
    return readJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const what = "the body is not JSON from which the price can be determined";
    return new TurnpikeError("invalid-parameters", what, [{ path: "", message: error.message }]);
  }
}

/** The price of one unit and the bounds of the price, in atomic units of one token. */
interface UnitAmounts {
  readonly one: bigint;
  readonly min: bigint;
  readonly max: bigint | undefined;
  /** By the name of an item in small letters. */
  readonly items: ReadonlyMap<string, bigint>;
}

class CompiledRule {
  readonly needsJson: boolean;
  readonly needsLength: boolean;
  readonly hasPath: boolean;
  readonly hasPayers: boolean;
  readonly #rule: Rule;
  readonly #conditions: Conditions;
  /** The conditions without regard to letter case of the path. */
  readonly #alike: Conditions;
  readonly #consumers: ReadonlySet<string>;
  readonly #payers: ReadonlySet<string>;
  readonly #body: readonly { readonly at: BodyValue; readonly test: Rule["body"][number] }[];
  readonly #fixed: Price | undefined;
  readonly #count: BodyValue | undefined;
  readonly #items: BodyValue | undefined;
  readonly #units: readonly UnitAmounts[];

  constructor(rule: Rule, terms: readonly Terms[]) {
    const { match, consumers, payers, body, body_bytes: bytes, price, unit_price: unit, free } = rule;
    this.#rule = rule;
    this.#conditions = compileConditions({ ...match, exact_path: false });
    this.#alike = { ...this.#conditions, path: this.#conditions.pathAnyCase };
    this.hasPath = match.path_pattern !== undefined;
    this.#consumers = new Set(consumers);
    this.#payers = new Set(payers.map(canonicalAddress));
    this.hasPayers = payers.length > 0;
    this.#body = body.map((test) => ({ at: new BodyValue(test.pointer), test }));
    this.needsJson = body.length > 0 || unit !== undefined;
    this.needsLength = bytes !== undefined;
    const amountsOf = (text: string): string[] => terms.map((one) => compileTerms({ ...one, price: text }).amount);
    this.#fixed =
      price === undefined ? (free === true ? "free" : unit === undefined ? "refused" : undefined) : amountsOf(price);
    this.#count = unit?.count === undefined ? undefined : new BodyValue(unit.count);
    this.#items = unit?.items === undefined ? undefined : new BodyValue(unit.items.pointer);
    const named = Object.entries(unit?.items?.prices ?? {}).map(
      ([name, text]) => [foldCase(name), amountsOf(text)] as const,
    );
    const bound = (text: string | undefined, i: number): bigint | undefined =>
      text === undefined ? undefined : BigInt(amountsOf(text)[i] ?? 0);
    this.#units = (unit === undefined ? [] : amountsOf(unit.price)).map((amount, i) => {
      const one = BigInt(amount);
      const items = new Map(named.map(([name, amounts]) => [name, BigInt(amounts[i] ?? 0)]));
      return { one, min: bound(unit?.min, i) ?? one, max: bound(unit?.max, i), items };
    });
  }

  /** Whether everything except the body fits. An error if some server may read the path as one that fits. */
  fits({ subject, others, consumer, payer }: Asked, clock: () => number): boolean | TurnpikeError {
    const { utc_hours: hours } = this.#rule;
    if (hours !== undefined && !isWithin(new Date(clock()).getUTCHours(), hours)) return false;
    if (this.hasPayers && !this.#payers.has(payer)) return false;
    const isNamed = this.#consumers.has(consumer) || this.#consumers.has("*");
    if (this.#consumers.size > 0 && (consumer === "" || !isNamed)) return false;
    const fits = subject.fulfils(this.#conditions);
    if (subject.isTooLong) return TOO_LONG;
    if (fits || !this.hasPath) return fits;
    return others.some((other) => other.fulfils(this.#alike) || other.isTooLong) ? OTHER_PATH : false;
  }

  /** The price if the body fits. */
  priceOf(body: Body): Price | undefined {
    const { body_bytes: length } = this.#rule;
    if (length !== undefined && (body.bytes < length.min || body.bytes > length.max)) return undefined;
    const json = this.needsJson ? body.json() : undefined;
    if (json instanceof TurnpikeError) return json;
    for (const { at, test } of this.#body) {
      const fits = at.fulfils(json, test);
      if (fits !== true) return fits === false ? undefined : fits;
    }
    if (this.#fixed !== undefined) return this.#fixed;
    const units = this.#count?.count(json) ?? 1;
    const items = this.#items?.names(json);
    if (units instanceof TurnpikeError) return units;
    return items instanceof TurnpikeError ? items : this.#unitPrice(units, items);
  }

  #unitPrice(units: number, items: readonly string[] | undefined): Price {
    const count = BigInt(Math.ceil(units));
    const share = BigInt(this.#rule.unit_price?.items?.share_percent ?? 0);
    const amounts = this.#units.map(({ one, min, max, items: prices }) => {
      const ofItems = (items ?? []).map((name) => prices.get(foldCase(name)) ?? one);
      const whole = count * (ofItems.length === 0 ? one : dearestOf(ofItems, share));
      const amount = whole < min ? min : whole;
      return String(max !== undefined && amount > max ? max : amount);
    });
    return amounts.every(isAtomic) ? amounts : TOO_MUCH;
  }
}

/** The greatest of the prices, and a percentage of the others, rounded up. */
function dearestOf(prices: readonly bigint[], percent: bigint): bigint {
  const dearest = prices.reduce((most, price) => (price > most ? price : most), 0n);
  const others = prices.reduce((sum, price) => sum + price, -dearest);
  return dearest + (others * percent + 99n) / 100n;
}

function isWithin(hour: number, { from, to }: NonNullable<Rule["utc_hours"]>): boolean {
  return from < to ? hour >= from && hour < to : hour >= from || hour < to;
}
