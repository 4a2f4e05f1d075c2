import { isObject } from "../is-object.ts";
import { FORMATS } from "./formats.ts";
import { canonical, type Json, jsonText } from "./json.ts";
import { type Check } from "./node.ts";
import { compilePattern } from "../patterns/pattern.ts";

interface FormatContext {
  /** True if `format` is checked; otherwise it is only a remark. */
  readonly checksFormats: boolean;
  /** True if an unknown format is an error. */
  readonly knowsFormats: boolean;
  readonly warn: (message: string) => void;
}

/** Compiles the check of a keyword with a value of the metaschema's type; undefined: it checks nothing. */
export type ValueKeyword = (value: Json, context: FormatContext) => Check | undefined;

const ignore = (): void => {};

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether the value has a type of JSON Schema. */
export function isType(value: Json, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

function compileType(type: Json): Check {
  const types = [type].flat().map(jsonText);
  const message = `must be ${types.join(" or ")}`;
  const [only] = types;
  if (types.length === 1 && only !== "integer" && only !== undefined) {
    return (value, run) => typeOf(value) === only || run.fail(message);
  }
  return (value, run) => types.some((each) => isType(value, each)) || run.fail(message);
}

/** Characters of all values of an `enum` or a `const` that errors list. */
const MAX_LISTED = 300;

/** The error of a value that is not in the list. */
function choiceError(allowed: readonly Json[], keyword: "enum" | "const"): string {
  const texts = allowed.map((each) => canonical(each, ignore));
  const list = texts.length > 1 ? `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}` : texts.join("");
  return list === "" || list.length > MAX_LISTED ? `must be a value of ${keyword}` : `must be ${list}`;
}

function compileChoice(allowed: readonly Json[], keyword: "enum" | "const"): Check {
  const keys = new Set(allowed.map((each) => canonical(each, ignore)));
  const message = choiceError(allowed, keyword);
  return (value, run) => keys.has(canonical(value, run.spend)) || run.fail(message);
}

function numberCheck(message: string, fits: (value: number) => boolean): Check {
  return (value, run) => typeof value !== "number" || fits(value) || run.fail(message);
}

/** Counts the characters of a text. It has at least as many UTF-16 units. */
function characters(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1) count++;
  return count;
}

function lengthCheck(limit: number, isMost: boolean): Check {
  const message = `must have at ${isMost ? "most" : "least"} ${limit} characters`;
  return (value, run) => {
    if (typeof value !== "string") return true;
    run.spend(value.length >> 4);
    const fits = isMost ? value.length <= limit || characters(value) <= limit : characters(value) >= limit;
    return fits || run.fail(message);
  };
}

function countCheck(limit: number, isMost: boolean, of: "items" | "properties"): Check {
  const message = `must have at ${isMost ? "most" : "least"} ${limit} ${of}`;
  return (value, run) => {
    if (of === "items" ? !Array.isArray(value) : !isObject(value)) return true;
    const count = Array.isArray(value) ? value.length : Object.keys(value as object).length;
    if (of === "properties") run.spend(count);
    return (isMost ? count <= limit : count >= limit) || run.fail(message);
  };
}

function compileUnique(isWanted: Json): Check | undefined {
  if (isWanted !== true) return undefined;
  return (value, run) => {
    if (!Array.isArray(value)) return true;
    // Items are compared by their texts. Comparing each pair would take a second for some thousand items, and hours for
    // the largest body.
    const seen = new Set<string>();
    for (const item of value) {
      const key = canonical(item, run.spend);
      if (seen.has(key)) return run.fail("must not have an item twice");
      seen.add(key);
    }
    return true;
  };
}

function compileText(source: Json): Check {
  const pattern = compilePattern(jsonText(source));
  const message = `must match ${JSON.stringify(source)}`;
  return (value, run) => {
    if (typeof value !== "string") return true;
    run.spend(pattern.steps(value.length));
    return pattern.test(value) || run.fail(message);
  };
}

function compileRequired(names: Json): Check {
  const wanted = [names].flat().map(jsonText);
  return (value, run) => {
    if (!isObject(value)) return true;
    run.spend(wanted.length >> 4);
    let fits = true;
    for (const name of wanted) {
      if (Object.hasOwn(value, name)) continue;
      fits = run.fail(`requires ${JSON.stringify(name)}`);
      if (run.stopsAtFirst) break;
    }
    return fits;
  };
}

/** The words after an error that only a value with this member has. */
export function besides(name: string): string {
  return ` with ${JSON.stringify(name)}`;
}

function compileDependentRequired(dependents: Json): Check {
  const wanted = Object.entries(isObject(dependents) ? dependents : {}).map(
    ([name, names]) => [name, compileRequired(names)] as const,
  );
  return (value, run, seen) => {
    if (!isObject(value)) return true;
    let fits = true;
    for (const [name, check] of wanted) {
      if (Object.hasOwn(value, name) && !run.worded("", besides(name), () => check(value, run, seen))) fits = false;
    }
    return fits;
  };
}

/** True if `value` is a whole multiple of `divisor`. Both are compared in decimal notation. */
function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const a = decimal(value);
  const b = decimal(divisor);
  // Exponents of doubles are a few hundred at most, so the powers stay small.
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = ({ digits, exponent: own }: Decimal): bigint => digits * 10n ** BigInt(own - exponent);
  return scaled(a) % scaled(b) === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = value.toString().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function compileFormat(name: Json, { checksFormats, knowsFormats, warn }: FormatContext): Check | undefined {
  if (!checksFormats) return undefined;
  const is = FORMATS.get(jsonText(name));
  if (is === undefined) {
    // JSON Schema Validation §7.2.3.
    if (knowsFormats) throw new Error("an unknown format, and its metaschema requires format-assertion");
    warn(`format ${JSON.stringify(name)} is not checked`);
    return undefined;
  }
  const message = `must be of format ${JSON.stringify(name)}`;
  return (value, run) => {
    if (typeof value !== "string") return true;
    run.spend(value.length >> 4);
    return is(value) || run.fail(message);
  };
}

/** Keywords that depend only on their own value. */
export const VALUE_KEYWORDS: ReadonlyMap<string, ValueKeyword> = new Map<string, ValueKeyword>([
  ["type", compileType],
  ["enum", (allowed) => compileChoice([allowed].flat(), "enum")],
  ["const", (wanted) => compileChoice([wanted], "const")],
  ["multipleOf", (n) => numberCheck(`must be a multiple of ${Number(n)}`, (value) => isMultipleOf(value, Number(n)))],
  ["maximum", (n) => numberCheck(`must be ${Number(n)} or less`, (value) => value <= Number(n))],
  ["exclusiveMaximum", (n) => numberCheck(`must be less than ${Number(n)}`, (value) => value < Number(n))],
  ["minimum", (n) => numberCheck(`must be ${Number(n)} or more`, (value) => value >= Number(n))],
  ["exclusiveMinimum", (n) => numberCheck(`must be more than ${Number(n)}`, (value) => value > Number(n))],
  ["maxLength", (n) => lengthCheck(Number(n), true)],
  ["minLength", (n) => lengthCheck(Number(n), false)],
  ["pattern", compileText],
  ["maxItems", (n) => countCheck(Number(n), true, "items")],
  ["minItems", (n) => countCheck(Number(n), false, "items")],
  ["uniqueItems", compileUnique],
  ["maxProperties", (n) => countCheck(Number(n), true, "properties")],
  ["minProperties", (n) => countCheck(Number(n), false, "properties")],
  ["required", compileRequired],
  ["dependentRequired", compileDependentRequired],
  ["format", compileFormat],
]);
