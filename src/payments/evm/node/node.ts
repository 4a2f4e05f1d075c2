import { chainId, type EvmNetwork, parseEvmNetwork } from "../../x402/networks.ts";
import { chainIdRequest } from "./requests.ts";
import { type Responses, Rpc, type RpcError, isRpcError, type Request, type Requests } from "./rpc.ts";

/**
 * Time after which a node is asked for its chain id again, in milliseconds: the node behind an address may change.
 * @bound
 */
const CHECK_MS = 60_000;

/** An entry of `x402.chains`, with the URL from its environment variable. */
export interface ChainOptions {
  /** For example `eip155:84532` or `base-sepolia`. */
  readonly network: string;
  readonly rpc_url: string;
  readonly timeout_ms: number;
  readonly poll_ms: number;
  readonly confirmations: number;
}

/** A chain, for a facilitator with a key or for a reader. It refuses to work if the node's chain is another one. */
export class EvmNode {
  readonly network: EvmNetwork;
  /** Number of blocks, including its own, after which a transaction counts. */
  readonly confirmations: number;
  /** Time between two checks for a receipt, in milliseconds. */
  readonly pollMs: number;
  /** Our own clock, in Unix milliseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly steady: () => number;
  readonly #rpc: Rpc;
  /** Time of the last successful check of the chain id, by `steady`. */
  #checkedAt = Number.NEGATIVE_INFINITY;
  #checking: Promise<RpcError | undefined> | undefined;

  /** Throws if the network is invalid, or if the URL is not an http or https URL. The error never contains the URL. */
  constructor(options: ChainOptions, now: () => number, steady: () => number = () => performance.now()) {
    const network = parseEvmNetwork(options.network);
    if (network === undefined) throw new Error(`Cannot use the chain "${options.network}": it is not an EVM network`);
    const url = URL.parse(options.rpc_url);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      throw new Error(`Cannot use the chain ${network}: its RPC endpoint is not an http or https URL`);
    }
    this.#rpc = new Rpc(options.rpc_url, options.timeout_ms);
    this.network = network;
    this.confirmations = options.confirmations;
    this.pollMs = options.poll_ms;
    this.now = now;
    this.steady = steady;
  }

  /** Asks for the chain id if it is unknown or was not checked recently. Returns the error, or undefined. */
  async check(): Promise<RpcError | undefined> {
    if (this.steady() - this.#checkedAt < CHECK_MS) return undefined;
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = undefined;
    });
    return await this.#checking;
  }

  async read<T>(request: Request<T>): Promise<T | RpcError> {
    const [response] = await this.readAll<[T]>(request);
    return response;
  }

  /** Sends several reads as one HTTP request. */
  async readAll<T extends readonly unknown[]>(...requests: Requests<T>): Promise<Responses<T>> {
    const error = await this.check();
    // The same error is the result of each request.
    if (error !== undefined) return requests.map(() => error) as unknown as Responses<T>;
    return await this.#rpc.readAll<T>(requests);
  }

  /** Sends a call that changes something. It is never repeated. */
  async write<T>(request: Request<T>): Promise<T | RpcError> {
    return (await this.check()) ?? this.#rpc.write(request);
  }

  async #ask(): Promise<RpcError | undefined> {
    const [id] = await this.#rpc.readAll<[bigint]>([chainIdRequest()]);
    if (isRpcError(id)) return id;
    if (id !== chainId(this.network)) return { error: "failed", cause: "the node's chain id is another network's" };
    this.#checkedAt = this.steady();
    return undefined;
  }
}
