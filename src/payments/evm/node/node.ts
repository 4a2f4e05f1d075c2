import { chainId, type Network, parseNetwork } from "../../x402/networks.ts";
import { chainIdRequest } from "./requests.ts";
import { type Responses, Rpc, type RpcError, isRpcError, type Request, type Requests } from "./rpc.ts";

/**
 * Time after which a node is asked for its chain id again, in milliseconds: the node behind an address may change.
 * @bound
 */
const CHECK_MS = 60_000;

/** A chain, for a facilitator with a key or for a reader. */
export interface EvmNode {
  readonly network: Network;
  /** Number of blocks, including its own, after which a transaction counts. */
  readonly confirmations: number;
  /** Time between two checks for a receipt, in milliseconds. */
  readonly pollMs: number;
  /** Our own clock, in milliseconds. */
  readonly now: () => number;
  read<T>(request: Request<T>): Promise<T | RpcError>;
  /** Sends several reads as one HTTP request. */
  readAll<T extends readonly unknown[]>(...requests: Requests<T>): Promise<Responses<T>>;
  /** Sends a call that changes something. It is never repeated. */
  write<T>(request: Request<T>): Promise<T | RpcError>;
  /** Asks for the chain id if it is unknown or was not checked recently. Returns the error, or undefined. */
  check(): Promise<RpcError | undefined>;
}

/** An entry of `x402.chains`, with the URL from its environment variable. */
export interface ChainOptions {
  /** For example `eip155:84532` or `base-sepolia`. */
  readonly network: string;
  readonly rpc_url: string;
  readonly timeout_ms: number;
  readonly poll_ms: number;
  readonly confirmations: number;
}

/**
 * Creates a node that refuses to work if its chain is not `network`. Throws if the network is invalid, or if the URL is
 * not an http or https URL. The error never contains the URL.
 */
export function createNode(options: ChainOptions, now: () => number): EvmNode {
  const network = parseNetwork(options.network);
  if (network === undefined) throw new Error(`Cannot use the chain "${options.network}": it is not an EVM network`);
  const url = URL.parse(options.rpc_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot use the chain ${network}: its RPC endpoint is not an http or https URL`);
  }
  const rpc = new Rpc(options.rpc_url, options.timeout_ms);
  const expected = chainId(network);
  /** Time of the last successful check of the chain id, in milliseconds. */
  let checkedAt: number | undefined;
  let checking: Promise<RpcError | undefined> | undefined;

  async function ask(): Promise<RpcError | undefined> {
    const [id] = await rpc.readAll<[bigint]>([chainIdRequest()]);
    if (isRpcError(id)) return id;
    if (id !== expected) return { error: "failed", cause: "the node's chain id is another network's" };
    checkedAt = now();
    return undefined;
  }

  async function check(): Promise<RpcError | undefined> {
    // The clock may be set back.
    const age = checkedAt === undefined ? CHECK_MS : Math.abs(now() - checkedAt);
    if (age < CHECK_MS) return undefined;
    checking ??= ask().finally(() => {
      checking = undefined;
    });
    return await checking;
  }

  return {
    network,
    confirmations: options.confirmations,
    pollMs: options.poll_ms,
    now,
    check,
    async read(request) {
      const error = await check();
      if (error !== undefined) return error;
      const [response] = await rpc.readAll([request]);
      return response;
    },
    async readAll<T extends readonly unknown[]>(...requests: Requests<T>): Promise<Responses<T>> {
      const error = await check();
      // The same error is the result of each request.
      if (error !== undefined) return requests.map(() => error) as unknown as Responses<T>;
      return await rpc.readAll<T>(requests);
    },
    async write(request) {
      return (await check()) ?? (await rpc.write(request));
    },
  };
}
