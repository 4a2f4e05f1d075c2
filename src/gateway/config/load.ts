import { stat } from "node:fs/promises";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { type Config, configSchema } from "./config.ts";
import { draftOf, gather } from "./draft.ts";
import { describeFound, type Finding, formatPath, listAt, valueAt } from "./finding.ts";
import { problemsOf } from "./issue.ts";
import { parseJson } from "./json.ts";
import { checkPolicies } from "./rules-policies.ts";
import { checkRoutes } from "./rules-routes.ts";
import { checkSections } from "./rules.ts";
import { checkX402 } from "./rules-x402.ts";
import { checkUpstreams } from "./rules-upstreams.ts";
import { LOAD_BALANCERS } from "./schema/upstreams.ts";
import { unavailableIn } from "./unavailable.ts";

/** A larger configuration file is not read. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** What came of a configuration: `config` is there exactly when there is no problem. */
export type Loaded =
  | { readonly config: Config; readonly problems: readonly []; readonly warnings: readonly Finding[] }
  | { readonly config: undefined; readonly problems: readonly Finding[]; readonly warnings: readonly Finding[] };

function failed(message: string): Loaded {
  return { config: undefined, problems: [{ path: "", message }], warnings: [] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Takes unknown keys out of `raw`, and names them in one warning. */
function dropUnknown(raw: Record<string, unknown>, warnings: Finding[]): void {
  const names: string[] = [];
  for (const issue of configSchema.safeParse(raw).error?.issues ?? []) {
    if (issue.code !== "unrecognized_keys") continue;
    const holder = valueAt(raw, issue.path);
    for (const key of issue.keys) {
      names.push(formatPath([...issue.path, key]));
      if (isObject(holder)) delete holder[key];
    }
  }
  if (names.length === 0) return;
  warnings.push({ path: "", message: `unknown ${names.length === 1 ? "key" : "keys"}, ignored: ${names.join(", ")}` });
}

/** An unknown balancer is no reason to stop: the default takes its place. */
function fallBack(raw: Record<string, unknown>, warnings: Finding[]): void {
  const known: readonly string[] = LOAD_BALANCERS;
  for (const [i, upstream] of listAt(raw, ["upstreams"]).entries()) {
    const name = valueAt(upstream, ["load_balancer"]);
    if (typeof name !== "string" || known.includes(name) || !isObject(upstream)) continue;
    const path = `upstreams[${i}].load_balancer`;
    warnings.push({ path, message: `${describeFound(path, name)} is unknown; ${LOAD_BALANCERS[0]} is used` });
    delete upstream["load_balancer"];
  }
}

/** Checks a parsed configuration file as a whole. Throws nothing; `value` is left as it is. */
export function loadValue(value: unknown): Loaded {
  if (!isObject(value)) return failed(`expected an object, found ${describeFound("", value)}`);
  const raw = structuredClone(value);
  delete raw["$schema"];
  const warnings: Finding[] = [];
  dropUnknown(raw, warnings);
  fallBack(raw, warnings);

  const result = configSchema.safeParse(raw);
  const problems = problemsOf(result.error?.issues ?? [], raw);
  const unavailable = unavailableIn(raw);
  const faulty = problems.map(({ path }) => path);
  problems.push(...unavailable.problems.filter(({ path }) => !faulty.some((other) => other.startsWith(path))));
  warnings.push(...unavailable.warnings);

  const draft = draftOf(raw);
  const report = gather(problems, warnings);
  checkSections(draft, report);
  checkX402(draft, report);
  checkUpstreams(draft, report);
  checkRoutes(draft, report);
  checkPolicies(draft, report);
  if (result.success && problems.length === 0) return { config: result.data, problems: [], warnings };
  return { config: undefined, problems, warnings };
}

/** Changes a parsed configuration before it is checked. */
export type Prepare = (value: unknown) => unknown;

/** Checks the text of a configuration file. Throws nothing. */
export function loadText(text: string, prepare: Prepare = (value) => value): Loaded {
  const parsed = parseJson(text);
  return parsed.ok ? loadValue(prepare(parsed.value)) : failed(parsed.fault);
}

/** Reads and checks a configuration file of at most 16 MiB. Throws nothing: a file that cannot be read is a problem. */
export async function loadFile(path: string, prepare?: Prepare): Promise<Loaded> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) return failed(`Cannot read ${path}: it is over ${MAX_FILE_BYTES} bytes`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await Bun.file(path).bytes());
    return loadText(text, prepare);
  } catch (error) {
    return failed(`Cannot read ${path}: ${readFault(error)}`);
  }
}

function readFault(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  if (code === "EISDIR") return "it is a folder";
  if (error instanceof TypeError) return "it is not UTF-8 text";
  return messageOf(error);
}
