import { z } from "zod";
import { isRpcError, Rpc } from "../evm/node/rpc.ts";
import { isSolanaAddress } from "../solana/address.ts";
import { type SolanaCluster } from "./solana-reader.ts";

/**
 * Milliseconds for which one blockhash is given to all callers, and an error as well, so that callers cannot make the gateway
 * call a node often. A blockhash lives for about a minute. @bound
 */
const KEPT_MS = 2000;

const latest = z.object({ value: z.object({ blockhash: z.string().refine(isSolanaAddress) }) });

interface KeptBlockhash {
  readonly at: number;
  readonly blockhash: Promise<string | undefined>;
}

/** The newest blockhashes of clusters, for payers that cannot ask a node themselves. */
export class Blockhashes {
  readonly #nodes: ReadonlyMap<string, Rpc>;
  readonly #now: () => number;
  readonly #kept = new Map<string, KeptBlockhash>();

  /** `now` returns monotonic milliseconds. Throws if a URL is invalid. */
  constructor(clusters: readonly SolanaCluster[], now: () => number = () => performance.now()) {
    this.#nodes = new Map(clusters.map(({ network, rpc_url: url, timeout_ms }) => [network, new Rpc(url, timeout_ms)]));
    this.#now = now;
  }

  has(network: string): boolean {
    return this.#nodes.has(network);
  }

  /** A blockhash that a new transaction can use; undefined if the node of the network does not respond. */
  async of(network: string): Promise<string | undefined> {
    const node = this.#nodes.get(network);
    if (node === undefined) return undefined;
    const kept = this.#kept.get(network);
    const now = this.#now();
    if (kept !== undefined && now - kept.at < KEPT_MS) return await kept.blockhash;
    const blockhash = ask(node);
    this.#kept.set(network, { at: now, blockhash });
    return await blockhash;
  }
}

async function ask(node: Rpc): Promise<string | undefined> {
  const [response] = await node.readAll<[z.infer<typeof latest>]>([
    { method: "getLatestBlockhash", params: [{ commitment: "confirmed" }], schema: latest },
  ]);
  return isRpcError(response) ? undefined : response.value.blockhash;
}
