import { isObject } from "../../lib/is-object.ts";
import { type Config } from "../../gateway/config/config.ts";
import { loadFile, loadValue } from "../../gateway/config/load.ts";
import { canonicalAddress, isAddress } from "../../payments/x402/address.ts";
import { type TakenAsset } from "../../payments/facilitator/asset-gate.ts";
import { assetsOn } from "../../payments/x402/assets.ts";
import { isEvm, isSolana, parseNetwork } from "../../payments/x402/networks.ts";
import { isSolanaAddress } from "../../payments/solana/address.ts";
import { type Caller } from "../../payments/facilitator/callers.ts";
import { type Environment, readSecret } from "../../payments/facilitator/secrets.ts";
import { type FacilitatorEndpoint } from "../../payments/facilitator/serve-facilitator.ts";
import { compileTerms } from "../../payments/x402/terms.ts";
import { problemsError } from "../common/configuration.ts";
import { UsageError } from "../common/usage-error.ts";

/** Number of `--asset` flags. More are a usage error. */
const MAX_ASSET_FLAGS = 64;
/** Number of `--caller` flags. More are a usage error. */
const MAX_CALLER_FLAGS = 64;
/** Number of `--verify` flags. More are a usage error. */
const MAX_ORIGIN_FLAGS = 64;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export interface FacilitatorFlags {
  readonly config: string | undefined;
  /** Each is `NETWORK=VARIABLE`, such as `base-sepolia=RPC_VARIABLE`. */
  readonly chains: readonly string[];
  readonly keyEnv: string | undefined;
  readonly solanaKeyEnv: string | undefined;
}

/** Parses `HOST:PORT`, `[::1]:PORT` or `unix:/path`. Throws UsageError. */
export function parseEndpoint(text: string): FacilitatorEndpoint {
  if (text.startsWith("unix:/")) return { unix: text.slice("unix:".length) };
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):([0-9]{1,5})$/.exec(text);
  const hostname = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (hostname === undefined || port > 65_535) {
    throw new UsageError(`--listen "${text}" is neither HOST:PORT nor unix:/path`);
  }
  return { hostname, port };
}

/** Checks the name of an environment variable. Throws UsageError without the text, which may be the secret itself. */
export function variableName(flag: string, text: string): string {
  if (!VARIABLE_NAME.test(text)) throw new UsageError(`${flag} takes the name of an environment variable`);
  return text;
}

/** Parses the callers of `--caller NAME=VARIABLE`, with their tokens. Throws UsageError, or if a variable is not set. */
export function parseCallers(texts: readonly string[], environment: Environment): Caller[] {
  if (texts.length > MAX_CALLER_FLAGS) throw new UsageError(`--caller can be given ${MAX_CALLER_FLAGS} times`);
  const callers = texts.map((text) => {
    const [, name = "", variable = ""] = /^([a-z0-9-]{1,40})=(.+)$/.exec(text) ?? [];
    if (name === "") throw new UsageError("--caller takes NAME=VARIABLE, as shop=SHOP_TOKEN");
    return { name, token: readSecret(environment, variableName("--caller", variable), "--caller") };
  });
  const areDistinct = [callers.map(({ name }) => name), callers.map(({ token }) => token)].every(
    (values) => new Set(values).size === values.length,
  );
  if (!areDistinct) throw new UsageError("two of --caller have the same name or token");
  return callers;
}

/** Parses the origins of `--verify`. Throws UsageError. */
export function parseOrigins(texts: readonly string[]): ReadonlySet<string> {
  if (texts.length > MAX_ORIGIN_FLAGS) throw new UsageError(`--verify can be given ${MAX_ORIGIN_FLAGS} times`);
  return new Set(
    texts.map((text) => {
      const url = URL.parse(text);
      const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
      if (!isOrigin) throw new UsageError("--verify takes an origin, as http://127.0.0.1:8080");
      return url.origin;
    }),
  );
}

/** Parses `--rate`. Throws UsageError. */
export function parseRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new UsageError("--rate takes a whole number from 1 to 999999");
  return Number(text);
}

/** Parses the tokens of `--asset NETWORK:ADDRESS`. Throws UsageError. */
export function parseAssets(texts: readonly string[]): TakenAsset[] {
  if (texts.length > MAX_ASSET_FLAGS) throw new UsageError(`--asset can be given ${MAX_ASSET_FLAGS} times`);
  return texts.map((text) => {
    const [, name = "", address = ""] =
      /^((?:[a-z0-9]{1,10}:)?[A-Za-z0-9-]{1,40}):([A-Za-z0-9]{32,44})$/.exec(text) ?? [];
    const network = parseNetwork(name);
    const isToken =
      network !== undefined && (isSolana(network) ? isSolanaAddress(address) : isEvm(network) && isAddress(address));
    if (!isToken) {
      throw new UsageError("--asset takes NETWORK:ADDRESS, as base-sepolia:0x036CbD53842c5426634e7929541eC2318f3dCF7e");
    }
    return { network, address };
  });
}

/**
 * The tokens that a facilitator for these chains accepts: the known tokens of the chains, the tokens of the configuration's
 * routes, and `named`. Throws UsageError if `named` has a token of another chain.
 */
export function takenAssets(
  { routes }: Pick<Config, "routes">,
  networks: readonly string[],
  named: readonly TakenAsset[],
): TakenAsset[] {
  const stray = named.find(({ network }) => !networks.includes(network));
  if (stray !== undefined) throw new UsageError(`--asset names ${stray.network}, which is not one of the chains`);
  const all = [...networks.flatMap(assetsOn), ...routes.flatMap(assetsOf), ...named];
  // Another facilitator settles payments on the other chains of the routes.
  const here = all.filter(({ network }) => networks.includes(network));
  return [...new Map(here.map((asset) => [`${asset.network} ${canonicalAddress(asset.address)}`, asset])).values()];
}

function assetsOf({ x402 }: Config["routes"][number]): TakenAsset[] {
  if (x402 === undefined) return [];
  return [x402, ...x402.accepts].map((terms) => {
    const { network, asset: address } = compileTerms(terms);
    return { network, address };
  });
}

/** The file's configuration, or the defaults, with the flags. Throws UsageError, and StartError with all problems. */
export async function readSettings(flags: FacilitatorFlags): Promise<Config> {
  const chains = flags.chains.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError("--chain takes NETWORK=VARIABLE, as base-sepolia=BASE_SEPOLIA_RPC");
    return { network: text.slice(0, at), rpc_url_env: variableName("--chain", text.slice(at + 1)) };
  });
  const change = (value: unknown): unknown => withFlags(value, flags, chains);
  const loaded = flags.config === undefined ? loadValue(change({})) : await loadFile(flags.config, change);
  if (loaded.config !== undefined) return loaded.config;
  const name = flags.config ?? "flags";
  throw problemsError(name, loaded.problems);
}

/** Leaves an invalid document unchanged: the loader reports its problems. */
function withFlags(value: unknown, { keyEnv, solanaKeyEnv }: FacilitatorFlags, chains: readonly object[]): unknown {
  if (!isObject(value)) return value;
  const x402 = isObject(value["x402"]) ? value["x402"] : {};
  const embedded = isObject(x402["embedded"]) ? x402["embedded"] : {};
  return {
    ...value,
    x402: {
      ...x402,
      enabled: true,
      test_mode: false,
      embedded: {
        ...embedded,
        enabled: true,
        ...(keyEnv === undefined ? {} : { key_env: keyEnv, signers: [] }),
        ...(solanaKeyEnv === undefined ? {} : { solana_key_env: solanaKeyEnv }),
      },
      ...(chains.length === 0 ? {} : { chains }),
    },
  };
}
