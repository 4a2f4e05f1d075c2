import { messageOf, whyUnreadable } from "../../lib/caught.ts";
import { atOnce, type Steps } from "../../lib/slices.ts";
import { nearestWord } from "../../lib/text/nearest-word.ts";
import { readRegularFile } from "../../lib/files/read-regular-file.ts";
import { isObject } from "../../lib/is-object.ts";
import { type Config } from "./config.ts";
import { draftOf, gather, type Report } from "./draft.ts";
import { describeFound, type Diagnostic, formatPath, listAt, reportable, valueAt } from "./diagnostic.ts";
import { problemsOf } from "./issue.ts";
import { formatOf } from "./formats/format-of.ts";
import { JSON_FORMAT, type TextFormat } from "./formats/text-format.ts";
import { knownKeysAt } from "./known-keys.ts";
import { parseSteps, type ParsedConfig, ParseCache } from "./parse.ts";
import { PLACEHOLDER, placeholderSteps } from "./secrets.ts";
import { checkGuards, checkOperations } from "./rules-guards.ts";
import { checkPolicies } from "./rules-policies.ts";
import { checkRoutes } from "./rules-routes.ts";
import { checkSections } from "./rules.ts";
import { checkCredit } from "./rules-credit.ts";
import { checkX402 } from "./rules-x402.ts";
import { checkUpstreams } from "./rules-upstreams.ts";
import { type Locate, locatorOf, NOWHERE } from "./source.ts";
import { LOAD_BALANCERS } from "./schema/upstreams.ts";

/** Bytes of a configuration file; a larger file is not read. @operator */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Unknown keys that get a warning of their own; the others are counted in one warning. */
const MAX_UNKNOWN_NAMED = 20;

/** The result of loading a configuration. `config` is set exactly if there are no problems. */
export type Loaded = (
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config: undefined; readonly problems: readonly Diagnostic[] }
) & {
  readonly warnings: readonly Diagnostic[];
  /** Adds the position in the file to a later diagnostic. */
  readonly locate: Locate;
};

/** The result for a configuration that could not be read. */
export function failed(message: string): Loaded {
  return { config: undefined, problems: [{ path: "", message }], warnings: [], locate: NOWHERE };
}

/** A configuration without the keys that are ignored. Changed objects are copied, and all others are shared. */
class Overlooking {
  raw: Record<string, unknown>;
  removed = 0;
  readonly #copies = new Set<object>();

  constructor(raw: Record<string, unknown>) {
    this.raw = raw;
  }

  remove(path: readonly PropertyKey[], key: string): void {
    this.removed++;
    this.raw = this.#without(this.raw, path, key);
  }

  #without<T extends object>(value: T, [next, ...rest]: readonly PropertyKey[], key: string): T {
    const copy = this.#copyOf(value);
    if (next === undefined) Reflect.deleteProperty(copy, key);
    else define(copy, next, this.#without(Object(Reflect.get(value, next)), rest, key));
    return copy;
  }

  #copyOf<T extends object>(value: T): T {
    if (this.#copies.has(value)) return value;
    // A copy of a list is a list.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...value }) as T;
    this.#copies.add(copy);
    return copy;
  }
}

/** Sets an own member, even if its key is `__proto__`. */
function define(holder: object, key: PropertyKey, value: unknown): void {
  Reflect.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

/** Removes unknown keys. Warns about each one, and suggests the known key with the most similar name. */
function dropUnknown(without: Overlooking, { issues }: ParsedConfig, warnings: Diagnostic[]): void {
  let count = 0;
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") continue;
    const known = count < MAX_UNKNOWN_NAMED ? knownKeysAt(issue.path) : [];
    for (const key of issue.keys) {
      without.remove(issue.path, key);
      count++;
      if (count > MAX_UNKNOWN_NAMED) continue;
      const nearest = nearestWord(key, known);
      const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
      warnings.push({ path: formatPath([...issue.path, key]), message: `unknown key, ignored${hint}` });
    }
  }
  const more = count - MAX_UNKNOWN_NAMED;
  if (more > 0) warnings.push({ path: "", message: `${more} more unknown ${more === 1 ? "key" : "keys"}, ignored` });
}

/** Replaces an unknown load balancer with the default and warns, because it is not a reason to stop. */
function fallBack(without: Overlooking, warnings: Diagnostic[]): void {
  const known: readonly string[] = LOAD_BALANCERS;
  for (const [i, upstream] of listAt(without.raw, ["upstreams"]).entries()) {
    const name = valueAt(upstream, ["load_balancer"]);
    if (typeof name !== "string" || known.includes(name) || !isObject(upstream)) continue;
    const path = `upstreams[${i}].load_balancer`;
    warnings.push({ path, message: `${describeFound(path, name)} is unknown; ${LOAD_BALANCERS[0]} is used` });
    without.remove(["upstreams", i], "load_balancer");
  }
}

/** Reports secrets that are the placeholder: a configuration is shown, but not loaded, with placeholders. */
function* placeholders(raw: object, problems: readonly Diagnostic[], report: Report, cache: ParseCache): Steps<void> {
  const wrong = new Set(problems.map(({ path }) => path));
  for (const keys of yield* placeholderSteps(raw, cache.withoutPlaceholder)) {
    const path = formatPath(keys);
    if (wrong.has(path)) continue;
    report.problem(path, `"${PLACEHOLDER}" stands for an existing secret, and there is no such secret`);
  }
}

/** Checks a parsed configuration file as a whole. Throws nothing, and does not change `value`. */
export function loadValue(value: unknown, cache = new ParseCache()): Loaded {
  return atOnce(loadSteps(value, cache));
}

/** Like `loadValue`, in steps. */
export function* loadSteps(value: unknown, cache: ParseCache): Steps<Loaded> {
  if (!isObject(value)) return failed(`expected an object, found ${describeFound("", value)}`);
  const without = new Overlooking(value);
  if (Object.hasOwn(value, "$schema")) without.remove([], "$schema");
  const warnings: Diagnostic[] = [];
  const { removed } = without;
  const first = yield* parseSteps(without.raw, cache);
  dropUnknown(without, first, warnings);
  fallBack(without, warnings);
  const { raw } = without;
  const parsed = removed === without.removed ? first : yield* parseSteps(raw, cache);
  const problems = problemsOf(parsed.issues, raw);
  const report = gather(problems, warnings);
  yield* placeholders(raw, [...problems], report, cache);
  const draft = draftOf(raw, parsed);
  checkSections(draft, report);
  checkX402(draft, report);
  checkCredit(draft, report);
  yield* checkUpstreams(draft, report);
  yield* checkRoutes(draft, report, cache);
  yield* checkPolicies(draft, report);
  yield* checkGuards(draft, report);
  yield* checkOperations(draft, report);
  const told = { warnings: reportable(warnings, "warnings"), locate: NOWHERE };
  if (parsed.config !== undefined && problems.length === 0) return { config: parsed.config, problems: [], ...told };
  return { config: undefined, problems: reportable(problems, "problems"), ...told };
}

/** Changes a parsed configuration before it is checked. */
export type Prepare = (value: unknown) => unknown;

/** Checks the text of a configuration file. Throws nothing. */
export function loadText(text: string, prepare: Prepare = (value) => value, format: TextFormat = JSON_FORMAT): Loaded {
  const parsed = format.parse(text);
  if (!parsed.ok) return failed(parsed.error);
  const loaded = loadValue(prepare(parsed.value));
  const locate = locatorOf(text, format);
  const warnings = loaded.warnings.map(locate);
  if (loaded.config !== undefined) return { ...loaded, warnings, locate };
  return { ...loaded, problems: loaded.problems.map(locate), warnings, locate };
}

/** Reads and checks a configuration file of at most 16 MiB. Throws nothing: a file that cannot be read is a problem. */
export async function loadFile(path: string, prepare?: Prepare): Promise<Loaded> {
  try {
    return loadText(configText(readConfigBytes(path)), prepare, await formatOf(path));
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** The bytes of a configuration file of at most 16 MiB. Throws if it cannot be read or is not a regular file. */
export function readConfigBytes(path: string): Uint8Array {
  try {
    return readRegularFile(path, MAX_FILE_BYTES);
  } catch (error) {
    throw new Error(`Cannot read the file: ${whyUnreadable(error)}`, { cause: error });
  }
}

/** The text of a configuration file. Throws an Error if the bytes are not UTF-8. */
export function configText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error("Cannot read the file: it is not UTF-8 text", { cause: error });
  }
}
