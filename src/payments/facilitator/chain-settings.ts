import { type EmbeddedChainOptions, type EmbeddedOptions } from "../evm/embedded-facilitator.ts";
import { parseNetwork } from "../x402/networks.ts";
import { type Environment, readSecret } from "./secrets.ts";

/** Consecutive chain calls that a response may need, and `SLACK_MS` for all other work, in milliseconds. */
const CALLS_PER_RESPONSE = 4;
const SLACK_MS = 1000;
/** The longest delay of a timer, in milliseconds. Longer timeouts are reduced to it. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** One entry of `x402.chains`. */
export interface ChainSettings extends Omit<EmbeddedChainOptions, "network" | "rpc_url"> {
  readonly network: string;
  readonly rpc_url_env: string;
}

/** The keys of `x402` that the embedded facilitator reads. */
export interface EmbeddedSettings {
  readonly embedded: { readonly enabled: boolean; readonly key_env: string; readonly max_pending: number };
  readonly chains: readonly ChainSettings[];
}

/** The chains with the URLs from the environment. Throws if a URL is missing; the error names the configuration key. */
export function readChains(chains: readonly ChainSettings[], environment: Environment): EmbeddedChainOptions[] {
  return chains.map(({ network: name, rpc_url_env: variable, ...options }, i) => {
    const network = parseNetwork(name);
    if (network === undefined) throw new Error(`Cannot use x402.chains[${i}].network: "${name}" is not an EVM chain`);
    return { ...options, network, rpc_url: readSecret(environment, variable, `x402.chains[${i}].rpc_url_env`) };
  });
}

/** The embedded facilitator's options; undefined if it is off. Throws like `readChains`. */
export function readEmbedded(
  { embedded, chains }: EmbeddedSettings,
  environment: Environment,
): EmbeddedOptions | undefined {
  if (!embedded.enabled) return undefined;
  if (chains.length === 0) throw new Error("Cannot use x402.embedded: x402.chains is empty");
  return {
    chains: readChains(chains, environment),
    key: readSecret(environment, embedded.key_env, "x402.embedded.key_env"),
    max_pending: embedded.max_pending,
  };
}

/** Milliseconds until an embedded facilitator elsewhere responds to /verify: some calls to the slowest chain. */
export function verifyTimeoutOf(chains: readonly ChainSettings[]): number {
  const slowest = Math.max(0, ...chains.map(({ timeout_ms: timeoutMs }) => timeoutMs));
  return Math.min(CALLS_PER_RESPONSE * slowest + SLACK_MS, MAX_TIMEOUT_MS);
}

/** Time in which an embedded facilitator in another process responds to /settle, in milliseconds. */
export function settleTimeoutOf(chains: readonly ChainSettings[]): number {
  const receipt = Math.max(0, ...chains.map(({ receipt_timeout_ms: receiptMs }) => receiptMs));
  return Math.min(receipt + verifyTimeoutOf(chains), MAX_TIMEOUT_MS);
}
