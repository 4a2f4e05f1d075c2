import { chainId, type Network, parseNetwork } from "../x402/networks.ts";
import { chainIdRequest } from "./requests.ts";
import { type Answers, createRpc, type Fault, isFault, type Request, type Requests } from "./rpc.ts";

/** Milliseconds after which a node is asked for its chain's id again: what is behind an address may change. @bound */
const CHECK_MS = 60_000;

/** A chain, as a facilitator's own key or a mere reader sees it. */
export interface EvmNode {
  readonly network: Network;
  /** Blocks, its own among them, until a transaction counts. */
  readonly confirmations: number;
  /** Milliseconds between two looks for a receipt. */
  readonly pollMs: number;
  /** Our own clock, in milliseconds. */
  readonly now: () => number;
  read<T>(request: Request<T>): Promise<T | Fault>;
  /** Several reads as one HTTP request. */
  readAll<T extends readonly unknown[]>(...requests: Requests<T>): Promise<Answers<T>>;
  /** A call that changes something; never tried again. */
  write<T>(request: Request<T>): Promise<T | Fault>;
  /** Asks for the chain's id where that is not known, or not of late; what is wrong with it, or undefined. */
  check(): Promise<Fault | undefined>;
}

/** A chain of `x402.chains`, with the URL that its variable holds. */
export interface ChainOptions {
  /** As `eip155:84532` or `base-sepolia`. */
  readonly network: string;
  readonly rpc_url: string;
  readonly timeout_ms: number;
  readonly poll_ms: number;
  readonly confirmations: number;
}

/** Refuses to speak to a node of another chain than `network`. Throws where the network is none, or the URL none of http or https, and never repeats the URL. */
export function createNode(options: ChainOptions, now: () => number): EvmNode {
  const network = parseNetwork(options.network);
  if (network === undefined) throw new Error(`Cannot use the chain "${options.network}": it is not an EVM network`);
  const url = URL.parse(options.rpc_url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot use the chain ${network}: its RPC endpoint is not an http or https URL`);
  }
  const rpc = createRpc(options.rpc_url, options.timeout_ms);
  const expected = chainId(network);
  /** When its id was the right one, in milliseconds. */
  let checkedAt: number | undefined;
  let checking: Promise<Fault | undefined> | undefined;

  async function ask(): Promise<Fault | undefined> {
    const [id] = await rpc.readAll<[bigint]>([chainIdRequest()]);
    if (isFault(id)) return id;
    if (id !== expected) return { fault: "failed", cause: "the node's chain id is another network's" };
    checkedAt = now();
    return undefined;
  }

  async function check(): Promise<Fault | undefined> {
    // A clock may be put back.
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
      const fault = await check();
      if (fault !== undefined) return fault;
      const [answer] = await rpc.readAll([request]);
      return answer;
    },
    async readAll<T extends readonly unknown[]>(...requests: Requests<T>): Promise<Answers<T>> {
      const fault = await check();
      // One fault answers each request.
      if (fault !== undefined) return requests.map(() => fault) as unknown as Answers<T>;
      return await rpc.readAll<T>(requests);
    },
    async write(request) {
      return (await check()) ?? (await rpc.write(request));
    },
  };
}
