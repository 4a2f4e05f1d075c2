import { type Config } from "../gateway/config/config.ts";
import { findingText } from "../gateway/config/finding.ts";
import { loadFile, loadValue } from "../gateway/config/load.ts";
import { type FacilitatorPlace } from "../payments/serve-facilitator.ts";
import { StartError } from "./start-error.ts";
import { UsageError } from "./usage-error.ts";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export interface FacilitatorFlags {
  readonly config: string | undefined;
  /** As `base-sepolia=RPC_VARIABLE`. */
  readonly chains: readonly string[];
  readonly keyEnv: string | undefined;
  readonly test: boolean;
}

/** `HOST:PORT`, `[::1]:PORT` or `unix:/path`. Throws UsageError. */
export function parsePlace(text: string): FacilitatorPlace {
  if (text.startsWith("unix:/")) return { unix: text.slice("unix:".length) };
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):([0-9]{1,5})$/.exec(text);
  const hostname = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (hostname === undefined || port > 65_535) {
    throw new UsageError(`--listen "${text}" is neither HOST:PORT nor unix:/path`);
  }
  return { hostname, port };
}

/** The name of an environment variable. Throws UsageError, without repeating what may be the secret itself. */
export function variableName(flag: string, text: string): string {
  if (!VARIABLE_NAME.test(text)) throw new UsageError(`${flag} takes the name of an environment variable`);
  return text;
}

/** `x402` of the file, or its defaults, with what the flags say. Throws UsageError, and StartError naming every problem. */
export async function readSettings(flags: FacilitatorFlags): Promise<Config["x402"]> {
  const chains = flags.chains.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError("--chain takes NETWORK=VARIABLE, as base-sepolia=BASE_SEPOLIA_RPC");
    return { network: text.slice(0, at), rpc_url_env: variableName("--chain", text.slice(at + 1)) };
  });
  const change = (value: unknown): unknown => withFlags(value, flags, chains);
  const loaded = flags.config === undefined ? loadValue(change({})) : await loadFile(flags.config, change);
  if (loaded.config !== undefined) return loaded.config.x402;
  const name = flags.config ?? "flags";
  throw new StartError(loaded.problems.map((problem) => `${name}: ${findingText(problem)}`).join("\n"));
}

/** What is wrong with the file is for the loader to say. */
function withFlags(value: unknown, { keyEnv, test }: FacilitatorFlags, chains: readonly object[]): unknown {
  if (!isObject(value)) return value;
  const x402 = isObject(value["x402"]) ? value["x402"] : {};
  const embedded = isObject(x402["embedded"]) ? x402["embedded"] : {};
  return {
    ...value,
    x402: {
      ...x402,
      enabled: true,
      test_mode: test,
      embedded: { ...embedded, enabled: !test, ...(keyEnv === undefined ? {} : { key_env: keyEnv }) },
      ...(chains.length === 0 ? {} : { chains }),
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
