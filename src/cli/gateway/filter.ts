import { readFile } from "node:fs/promises";
import { messageOf } from "../../lib/caught.ts";
import { fieldValue, withoutFields } from "../../lib/http/fields.ts";
import { visibleLines } from "../../lib/text/visible-text.ts";
import { HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";
import { OWN_HEAD } from "../../gateway/proxy/subrequest.ts";
import {
  dryRun,
  type DryRequest,
  type DryRun,
  type DrySettings,
  type Forwarded,
} from "../../gateway/filters/dry-run.ts";
import { MAX_FUEL, PAGE_BYTES } from "../../gateway/filters/module/reading/limits.ts";
import { cannotLoad, compileModule, type FilterModule, hashOf } from "../../gateway/filters/module/module-cache.ts";
import { readModuleFile } from "../../gateway/filters/module/module-file.ts";
import { prepare } from "../../gateway/filters/module/prepare.ts";
import { OwnInstance } from "../../gateway/filters/own-abi/own-instance.ts";
import { type RequestOutcome } from "../../gateway/filters/own-abi/outcome.ts";
import { type RequestView } from "../../gateway/filters/own-abi/views.ts";
import { atBoundary } from "../common/boundary.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { readRequestFile } from "./request-file.ts";
import { writeStandard } from "../common/standard-output.ts";
import { unknownSubcommand, UsageError } from "../common/usage-error.ts";

const DEFAULT_FUEL = 5_000_000;
const MEBIBYTE = 1024 * 1024;
const DEFAULT_MEMORY_BYTES = 32 * MEBIBYTE;
const MAX_MEMORY_BYTES = 64 * MEBIBYTE;

const FLAGS = flagTable({
  "config FILE": "configuration of a proxy-wasm filter, as wasm_filters[].config",
  "root-id ID": "plugin of the module to run, as wasm_filters[].root_id",
  "request FILE": "run this HTTP/1.1 request through the filter, and print the outcome, the log and the fuel used",
  "fuel N": `fuel of the run, as wasm_filters[].fuel (default: ${DEFAULT_FUEL})`,
  "memory BYTES": `memory of the filter, as wasm_filters[].memory_limit_bytes (default: ${DEFAULT_MEMORY_BYTES})`,
});

const USAGE = `usage: turnpike filter check [--request FILE] [--config FILE] [--root-id ID] [--fuel N] [--memory BYTES] MODULE

Prints the ABI, memory, imports and exports of a WebAssembly filter, or why the gateway does not load it.

${flagsText(FLAGS)}`;

/**
 * `turnpike filter check MODULE`: prints the properties of a filter, and with `--request` how the filter handles a request.
 * Returns the exit code: 0 if the gateway loads the filter and the run succeeded, 1 if not, 2 for wrong usage.
 */
export function filter(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    const [action = "", path, ...more] = positionals;
    if (action !== "check") throw unknownSubcommand(action, ["check"]);
    if (path === undefined || more.length > 0) throw new UsageError("Name one module");
    const fuel = wholeNumber("fuel", values.fuel, [1, DEFAULT_FUEL, MAX_FUEL]);
    const memoryBytes = wholeNumber("memory", values.memory, [PAGE_BYTES, DEFAULT_MEMORY_BYTES, MAX_MEMORY_BYTES]);
    const request = values.request === undefined ? undefined : await readRequestFile(values.request);
    const config = values.config === undefined ? "" : await readText(values.config);
    const rootId = values["root-id"] ?? "";
    const module = await load(path, memoryBytes);
    await print(factLines(path, module, memoryBytes));
    return request === undefined ? 0 : await run(module, { fuel, config, rootId, request });
  });
}

function wholeNumber(flag: string, text: string | undefined, range: readonly [number, number, number]): number {
  const [least, byDefault, most] = range;
  if (text === undefined) return byDefault;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${flag} takes a whole number from ${least} to ${most}`);
}

async function load(path: string, memoryBytes: number): Promise<FilterModule> {
  try {
    const file = await readModuleFile(path);
    return await compileModule(await hashOf(file), prepare(file, memoryBytes));
  } catch (error) {
    throw cannotLoad(path, error);
  }
}

type Line = readonly [name: string, text: string];

function factLines(path: string, { abi, facts, hash }: FilterModule, memoryBytes: number): Line[] {
  const { memory } = facts;
  const most = memory?.maximum === undefined ? "" : `, at most ${memory.maximum * PAGE_BYTES} by its own declaration`;
  return [
    ["module", `${path}, ${facts.size} bytes`],
    ["sha-256", hash],
    ["abi", abi.kind === "own" ? "own" : `proxy-wasm ${abi.version}`],
    [
      "memory",
      memory === undefined
        ? "none"
        : `${memory.minimum * PAGE_BYTES} bytes at the start${most}; the limit is ${memoryBytes}`,
    ],
    ["code", `${facts.functions} functions, ${facts.loops} loops`],
    ...facts.imports.map((text) => ["import", text] as const),
    ...facts.exports.map((text) => ["export", text] as const),
  ];
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`Cannot read the configuration of the filter: ${messageOf(error)}`, { cause: error });
  }
}

interface Run extends DrySettings {
  readonly request: RequestView;
}

async function run(module: FilterModule, asked: Run): Promise<number> {
  if (module.abi.kind !== "own") return await runWhole(module, asked);
  const { fuel, request } = asked;
  const lines: Line[] = [];
  const instance = new OwnInstance(module, { fuel, log: (text) => lines.push(["log", text]) });
  const outcome = instance.onRequest(request);
  await print([...lines, ...outcomeLines(outcome), ["fuel", `${fuel - instance.fuelLeft} of ${fuel} used`]]);
  return outcome.kind === "failed" ? 1 : 0;
}

/** Runs a request and the response of a simulated upstream through a proxy-wasm filter. */
async function runWhole(module: FilterModule, asked: Run): Promise<number> {
  const { log, forwarded, response, fuel } = await dryRun(module, asked, exchangeOf(asked.request));
  const isFailed =
    response?.head.error?.code === "filter-failed" || response?.head.error?.code === "filter-unavailable";
  const word = isFailed ? "failed" : forwarded === undefined ? `respond with ${response?.head.status}` : "continue";
  const most = Math.max(0, ...fuel);
  const sum = fuel.reduce((total, used) => total + used, 0);
  await print([
    ...log.map((line) => ["log", line] as const),
    ["outcome", word],
    ...(forwarded === undefined ? [] : requestLines(forwarded)),
    ...(response === undefined || isFailed ? [] : responseLines(response)),
    ["fuel", `${sum} used by ${fuel.length} callbacks, ${most} by one; each has ${asked.fuel}`],
  ]);
  return isFailed ? 1 : 0;
}

function requestLines({ head, body }: Forwarded): Line[] {
  const { method, authority, path, query, fields } = head;
  return [
    ["request", `${method} ${path}${query}`],
    ["field", `host: ${authority}`],
    ...fieldLines(fields),
    ...bodyLine(body),
  ];
}

function responseLines({ head, body }: NonNullable<DryRun["response"]>): Line[] {
  return [["response", String(head.status)], ...fieldLines(head.fields), ...bodyLine(body)];
}

function bodyLine(body: Uint8Array): Line[] {
  return body.length === 0 ? [] : [["body", new TextDecoder().decode(body)]];
}

function exchangeOf({ method, path, fields, body }: RequestView): DryRequest {
  const query = path.indexOf("?");
  return {
    head: {
      ...OWN_HEAD,
      method,
      authority: fieldValue(fields, "host") ?? "",
      path: query === -1 ? path : path.slice(0, query),
      query: query === -1 ? "" : path.slice(query),
      fields: withoutFields(fields, [...HOP_BY_HOP_FIELDS, "host"]),
      bodyLength: body.length,
    },
    body,
  };
}

function outcomeLines(outcome: RequestOutcome): Line[] {
  const { kind } = outcome;
  if (kind === "allow") return [["outcome", kind]];
  if (kind === "modify") return [["outcome", kind], ...fieldLines(outcome.fields)];
  if (kind === "failed") return [["outcome", `failed: the filter ${outcome.reason}`]];
  if (kind === "park") {
    return [
      ["outcome", kind],
      ["command", new TextDecoder().decode(outcome.command)],
    ];
  }
  const { status, body } = outcome.reply ?? { status: 403, body: new Uint8Array() };
  const text = body.length === 0 ? [] : [["body", new TextDecoder().decode(body)] as const];
  return [["outcome", `${kind} with ${status}`], ...fieldLines(outcome.fields), ...text];
}

function fieldLines(fields: string): Line[] {
  return fields.split("\r\n").flatMap((line) => (line === "" ? [] : [["field", line] as const]));
}

async function print(lines: readonly Line[]): Promise<void> {
  const text = lines.map(([name, value]) => `${name.padEnd(8)} ${visibleLines(value)}\n`).join("");
  await writeStandard(text);
}
