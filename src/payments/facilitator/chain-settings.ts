import { type EmbeddedChainOptions, type EmbeddedOptions } from "../evm/embedded-facilitator.ts";
import { type Network, parseNetwork } from "../x402/networks.ts";
import { type Environment, readSecret } from "./secrets.ts";

/** Calls to a chain, one after another, that an answer may need; and time for all else, in milliseconds. */
const CALLS_PER_ANSWER = 4;
const SLACK_MS = 1000;
/** The longest that a timer takes, in milliseconds. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/** One of `x402.chains`. */
export interface ChainSettings extends Omit<EmbeddedChainOptions, "network" | "rpc_url"> {
  readonly network: string;
  readonly rpc_url_env: string;
}

/** The same with what the environment holds. */
export interface ReadChain extends EmbeddedChainOptions {
  readonly network: Network;
}

/** What an embedded facilitator is made of. */
export interface ReadEmbedded extends EmbeddedOptions {
  readonly chains: readonly ReadChain[];
}

export interface EmbeddedSettings {
  readonly embedded: { readonly enabled: boolean; readonly key_env: string; readonly max_pending: number };
  readonly chains: readonly ChainSettings[];
}

/** The chains with the URLs that the environment holds. Throws, naming the place in the configuration, where one is missing. */
export function readChains(chains: readonly ChainSettings[], environment: Environment): ReadChain[] {
  return chains.map(({ network: name, rpc_url_env: variable, ...options }, i) => {
    const network = parseNetwork(name);
    if (network === undefined) throw new Error(`Cannot use x402.chains[${i}].network: "${name}" is not an EVM chain`);
    return { ...options, network, rpc_url: readSecret(environment, variable, `x402.chains[${i}].rpc_url_env`) };
  });
}

/** The embedded facilitator's options; undefined where it is off. Throws as `readChains` does. */
export function readEmbedded(
  { embedded, chains }: EmbeddedSettings,
  environment: Environment,
): ReadEmbedded | undefined {
  if (!embedded.enabled) return undefined;
  if (chains.length === 0) throw new Error("Cannot use x402.embedded: x402.chains names no chain");
  return {
    chains: readChains(chains, environment),
    key: readSecret(environment, embedded.key_env, "x402.embedded.key_env"),
    max_pending: embedded.max_pending,
  };
}

/** Milliseconds in which an embedded facilitator in another process answers: a few calls to the slowest chain. */
export function verifyTimeoutOf(chains: readonly ChainSettings[]): number {
  const slowest = Math.max(0, ...chains.map(({ timeout_ms: timeoutMs }) => timeoutMs));
  return Math.min(CALLS_PER_ANSWER * slowest + SLACK_MS, MAX_TIMEOUT_MS);
}

/** Milliseconds in which it says what became of a settlement. */
export function settleTimeoutOf(chains: readonly ChainSettings[]): number {
  const receipt = Math.max(0, ...chains.map(({ receipt_timeout_ms: receiptMs }) => receiptMs));
  return Math.min(receipt + verifyTimeoutOf(chains), MAX_TIMEOUT_MS);
}
