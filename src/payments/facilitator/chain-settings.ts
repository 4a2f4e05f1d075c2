import { type EmbeddedChainOptions } from "../evm/embedded-facilitator.ts";
import { readFileSync } from "node:fs";
import { whyUnreadable } from "../../lib/caught.ts";
import { type SignerOptions } from "../evm/signers/open-signer.ts";
import { hasBadChecksum } from "../x402/address-hash.ts";
import { type Address, isAddress } from "../x402/address.ts";
import { isEvm, isSolana, parseNetwork } from "../x402/networks.ts";
import { type SettlingCluster } from "../solana-node/cluster.ts";
import { type OwnOptions } from "./create-own.ts";
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
  /** Dollars for one native coin, or empty. */
  readonly native_price: string;
}

/** A key service as it is configured: its address is not checked yet, and credentials are named. */
type Named<T extends SignerOptions["type"]> = Omit<Extract<SignerOptions, { type: T }>, "address" | "credentials"> & {
  readonly address: string;
};

/** An entry of `x402.embedded.signers`. */
export type SignerSettings =
  | { readonly type: "env"; readonly key_env: string }
  | { readonly type: "file"; readonly path: string }
  | Extract<SignerOptions, { type: "web3signer" }>
  | (Named<"aws_kms"> & {
      readonly access_key_id_env: string;
      readonly secret_access_key_env: string;
      readonly session_token_env: string;
    })
  | Named<"gcp_kms">;

/** The keys of `x402` that the embedded facilitator reads. */
export interface EmbeddedSettings {
  readonly embedded: {
    readonly enabled: boolean;
    readonly key_env: string;
    readonly signers: readonly SignerSettings[];
    readonly max_pending: number;
    readonly wallet_factories: readonly string[];
    /** Empty: no gas is lent to payers. */
    readonly approval_key_env: string;
    /** Empty: nothing is settled on Solana. */
    readonly solana_key_env: string;
  };
  readonly chains: readonly ChainSettings[];
}

/** The EVM chains with the URLs from the environment. Throws if a URL is missing; the error names the configuration key. */
export function readChains(chains: readonly ChainSettings[], environment: Environment): EmbeddedChainOptions[] {
  return readAll(chains, environment).flatMap(({ network, ...options }) =>
    isEvm(network) ? [{ ...options, network }] : [],
  );
}

/** The clusters of Solana, like `readChains`. */
export function readClusters(chains: readonly ChainSettings[], environment: Environment): SettlingCluster[] {
  return readAll(chains, environment).filter(({ network }) => isSolana(network));
}

function readAll(chains: readonly ChainSettings[], environment: Environment) {
  return chains.map(({ network: name, rpc_url_env: variable, ...options }, i) => {
    const network = parseNetwork(name);
    if (network === undefined) throw new Error(`Cannot use x402.chains[${i}].network: "${name}" is unknown`);
    return { ...options, network, rpc_url: readSecret(environment, variable, `x402.chains[${i}].rpc_url_env`) };
  });
}

/** The embedded facilitator's options; undefined if it is off. Throws like `readChains`. */
export function readEmbedded({ embedded, chains }: EmbeddedSettings, environment: Environment): OwnOptions | undefined {
  if (!embedded.enabled) return undefined;
  const own = readChains(chains, environment);
  const key = readKey(embedded, "approval_key_env", environment);
  const solanaKey = readKey(embedded, "solana_key_env", environment);
  const clusters = solanaKey === undefined ? [] : readClusters(chains, environment);
  if (own.length + clusters.length === 0) {
    const missing = solanaKey === undefined ? "EVM chain" : "chain";
    throw new Error(`Cannot use x402.embedded: x402.chains has no ${missing}`);
  }
  return {
    chains: own,
    signers: own.length === 0 ? [] : readSigners(embedded, environment),
    ...(key === undefined ? {} : { lender: { type: "key", key } }),
    ...(solanaKey === undefined || clusters.length === 0 ? {} : { solana: { clusters, key: solanaKey } }),
    max_pending: embedded.max_pending,
    wallet_factories: embedded.wallet_factories,
  };
}

/** A further key of the embedded facilitator; undefined if it is not configured. */
function readKey(
  embedded: EmbeddedSettings["embedded"],
  key: "approval_key_env" | "solana_key_env",
  environment: Environment,
): string | undefined {
  return embedded[key] === "" ? undefined : readSecret(environment, embedded[key], `x402.embedded.${key}`);
}

function readSigners(
  { signers, key_env: name }: EmbeddedSettings["embedded"],
  environment: Environment,
): readonly SignerOptions[] {
  if (signers.length === 0) return [{ type: "key", key: readSecret(environment, name, "x402.embedded.key_env") }];
  return signers.map((signer, i) => readSigner(signer, environment, `x402.embedded.signers[${i}]`));
}

/** The private keys of the embedded facilitator that are in this process, in hex. Throws like `readEmbedded`. */
export function readLocalKeys(embedded: EmbeddedSettings["embedded"], environment: Environment): readonly string[] {
  return readSigners(embedded, environment).flatMap((signer) => (signer.type === "key" ? [signer.key] : []));
}

function readSigner(signer: SignerSettings, environment: Environment, path: string): SignerOptions {
  switch (signer.type) {
    case "env":
      return { type: "key", key: readSecret(environment, signer.key_env, `${path}.key_env`) };
    case "file":
      try {
        return { type: "key", key: readFileSync(signer.path, "utf8") };
      } catch (error) {
        throw new Error(`Cannot use ${path}.path: ${whyUnreadable(error)}`, { cause: error });
      }
    case "web3signer":
      return signer;
    case "aws_kms": {
      const { access_key_id_env: id, secret_access_key_env: secret, session_token_env: session, ...kept } = signer;
      const credentials = {
        accessKeyId: readSecret(environment, id, `${path}.access_key_id_env`),
        secretAccessKey: readSecret(environment, secret, `${path}.secret_access_key_env`),
        sessionToken: environment[session] ?? "",
      };
      return { ...kept, credentials, address: addressOf(signer, path) };
    }
    case "gcp_kms":
    default:
      return { ...signer, address: addressOf(signer, path) };
  }
}

function addressOf({ address }: { readonly address: string }, path: string): Address {
  if (isAddress(address) && !hasBadChecksum(address)) return address;
  throw new Error(`Cannot use ${path}.address: its letters do not fit its checksum (EIP-55)`);
}

/** Milliseconds in which an embedded facilitator in another process responds to /verify: the time of several calls to the slowest chain. */
export function verifyTimeoutOf(chains: readonly ChainSettings[]): number {
  const slowest = Math.max(0, ...chains.map(({ timeout_ms: timeoutMs }) => timeoutMs));
  return Math.min(CALLS_PER_RESPONSE * slowest + SLACK_MS, MAX_TIMEOUT_MS);
}

/** Time in which an embedded facilitator in another process responds to /settle, in milliseconds. */
export function settleTimeoutOf(chains: readonly ChainSettings[]): number {
  const receipt = Math.max(0, ...chains.map(({ receipt_timeout_ms: receiptMs }) => receiptMs));
  return Math.min(receipt + verifyTimeoutOf(chains), MAX_TIMEOUT_MS);
}
