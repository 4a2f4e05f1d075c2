import { readFileSync } from "node:fs";
import { whyUnreadable } from "../../lib/caught.ts";
import { nearestWord } from "../../lib/text/nearest-word.ts";
import { flagTable, parseFlags } from "../common/flags.ts";
import { type Operation, OPERATIONS } from "./operations.ts";
import { payerFlags, type PayerSettings, payerSettings } from "./payer.ts";
import { UsageError } from "../common/usage-error.ts";

export interface CallRequest {
  readonly name: string;
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly gateway: URL;
  readonly out: string | undefined;
  readonly json: boolean;
  /** The response is a job, which the command follows unless it is to be detached. */
  readonly isJob: boolean;
  readonly detach: boolean;
  readonly payer: PayerSettings;
}

/** The gateway that requests go to by default. */
export const DEFAULT_GATEWAY = "http://127.0.0.1:8080";

/** The most that one call may cost by default. */
export const DEFAULT_MAX_PRICE = "1 USDC";

export const CALL_FLAGS = {
  ...flagTable({
    "set KEY=VALUE...":
      "a parameter; values are JSON if they parse as JSON; dots nest:\n--set format=text --set timeout=60 --set selectors.title=h1",
    "gateway URL": `the gateway (default $TURNPIKE_GATEWAY, else ${DEFAULT_GATEWAY})`,
    "o, out PATH":
      "write the result to this file; the pages of a job to this new folder, or to a new file of lines of JSON if it ends in .ndjson",
    detach: "start a job, print its ID, and do not wait for it",
    json: "print the whole response as JSON, not only its main content",
  }),
  ...payerFlags({ maxPrice: DEFAULT_MAX_PRICE, maxTotal: "no limit" }),
};

/** Reads the command line. Throws as `parseFlags`. */
export function parseCall(args: readonly string[]): CallRequest {
  const { values, positionals } = parseFlags(args, CALL_FLAGS);
  const [name, ...rest] = positionals;
  if (name === undefined) throw new UsageError("Name an operation");
  const operation = operationOf(name);
  if (operation === undefined) throw new UsageError(`No operation "${name}"${likely(name)}`);
  const parameters = readParameters(name, operation, rest, values.set ?? []);
  const isJob = operation.isJob === true || (operation.isJob === false && parameters["async"] === true);
  if (values.detach === true && !isJob) throw new UsageError(`${name} is not a job; --detach is for jobs`);
  // The content of results has a price of its own, and so an operation of its own.
  const called = name === "search" && "content" in parameters ? "search_content" : name;
  return {
    name: called,
    operation: operationOf(called) ?? operation,
    parameters: called === "search_content" ? { content: "markdown", ...parameters } : parameters,
    gateway: gatewayUrl(values.gateway),
    out: values.out,
    json: values.json === true,
    isJob,
    detach: values.detach === true,
    payer: payerSettings(values, { maxPrice: DEFAULT_MAX_PRICE, maxTotal: undefined }),
  };
}

/** The URL of the flag `--gateway`, of the environment, or the default. Throws UsageError. */
export function gatewayUrl(flag: string | undefined): URL {
  const text = flag ?? (process.env["TURNPIKE_GATEWAY"] || DEFAULT_GATEWAY);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${text}" is not an http or https URL`);
  return url;
}

function operationOf(name: string): Operation | undefined {
  return Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
}

function likely(name: string): string {
  const nearest = nearestWord(name, Object.keys(OPERATIONS));
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

type Parameters = Record<string, unknown>;

function isParameters(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readParameters(
  name: string,
  operation: Operation,
  given: readonly string[],
  sets: readonly string[],
): Parameters {
  // An object without a prototype, so that `__proto__` is a normal key.
  const parameters: Parameters = Object.create(null);
  for (const set of sets) assign(parameters, set);
  const { argument, many, isNumber, method } = operation;
  if (argument === undefined) {
    if (given.length > 0 || (method === "GET" && sets.length > 0)) throw new UsageError(`${name} takes no arguments`);
    return parameters;
  }
  if (given.length > 1 && many !== true) {
    throw new UsageError(`${name} takes one ${argument}; quote text that has spaces`);
  }
  if (argument === "file" && given.length > 0) return { ...parameters, file: fileOf(given[0] ?? "") };
  if (isNumber === true && given.some((text) => !/^\d{1,9}$/.test(text))) {
    throw new UsageError(`${name} takes a number of ${argument}, not "${given.join(" ")}"`);
  }
  const texts = argument === "url" || argument === "urls" ? given.map(withScheme) : given;
  const values = isNumber === true ? texts.map(Number) : texts;
  if (values.length > 0) parameters[argument] = many === true ? values : values[0];
  if (!(argument in parameters) && !(operation.optional === true && sets.length > 0))
    throw new UsageError(`${name} requires an argument: turnpike call ${name} ${argument.toUpperCase()}`);
  return parameters;
}

/** A file in base64. Throws UsageError. */
function fileOf(path: string): string {
  try {
    return readFileSync(path, "base64");
  } catch (error) {
    throw new UsageError(`Cannot read the file "${path}": ${whyUnreadable(error)}`);
  }
}

const LOCAL = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?=[/?#]|$)/i;
const HOST = /^(?:[\w-]+(?:\.[\w-]+)+\.?|\[[\da-f:.]+\])(?::\d{1,5})?(?=[/?#]|$)/i;

/** Completes `example.com/news` to a URL: http for this machine, https for others. Other text stays. */
export function withScheme(text: string): string {
  if (LOCAL.test(text)) return `http://${text}`;
  return HOST.test(text) ? `https://${text}` : text;
}

/** Sets one parameter from `a.b=value`; dots separate nested names. The value is JSON if valid, else text. */
function assign(parameters: Parameters, set: string): void {
  const equals = set.indexOf("=");
  const path = set.slice(0, equals).split(".");
  const last = path.pop();
  if (equals < 1 || last === undefined || last === "" || path.includes("")) {
    throw new UsageError(`--set "${set}" is not key=value`);
  }
  let place = parameters;
  for (const key of path) {
    const next = place[key] ?? Object.create(null);
    if (!isParameters(next)) throw new UsageError(`--set "${set}": "${key}" has a value already`);
    place[key] = next;
    place = next;
  }
  const text = set.slice(equals + 1);
  // A selector is always text, even if it looks like a number or other JSON.
  place[last] = path[0] === "selectors" ? text : parseValue(text);
}

function parseValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}
