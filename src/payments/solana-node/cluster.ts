import { z } from "zod";
import { isRpcError, type Request, Rpc, type RpcError } from "../evm/node/rpc.ts";

export interface SettlingCluster {
  readonly network: string;
  readonly rpc_url: string;
  readonly timeout_ms: number;
  /** Time between two checks of a transaction, in milliseconds. */
  readonly poll_ms: number;
  /** Time in which a transaction must be confirmed, in milliseconds. */
  readonly receipt_timeout_ms: number;
}

/** Characters of a cluster's genesis hash in its name. */
const NAME_CHARACTERS = 32;
const genesis = z.string().max(64);
const status = z.object({ err: z.unknown(), confirmationStatus: z.string().max(32).nullish() }).nullable();
const statuses = z.object({ value: z.tuple([status]) });
const simulation = z.object({ value: z.object({ err: z.unknown() }) });
const sent = z.string().max(88);
/** Errors of a simulation that concern the account that pays the fee. */
const NO_FUNDS: ReadonlySet<unknown> = new Set(["AccountNotFound", "InsufficientFundsForFee"]);

/** The state of a transaction. `seen`: it may not stay. */
export type TransactionState = "absent" | "seen" | "succeeded" | "failed";

/** A node of a cluster. Methods do not reject: errors are values. */
export class Cluster {
  readonly settings: SettlingCluster;
  readonly #rpc: Rpc;

  /** Throws if the URL is invalid. */
  constructor(settings: SettlingCluster) {
    this.settings = settings;
    this.#rpc = new Rpc(settings.rpc_url, settings.timeout_ms);
  }

  /** The error if the node cannot be asked, or is of another cluster. */
  async check(): Promise<RpcError | undefined> {
    const hash = await this.#read({ method: "getGenesisHash", params: [], schema: genesis });
    if (isRpcError(hash)) return hash;
    const isSame = this.settings.network === `solana:${hash.slice(0, NAME_CHARACTERS)}`;
    return isSame ? undefined : { error: "failed", cause: "the node is of another cluster" };
  }

  async stateOf(signature: string): Promise<TransactionState | RpcError> {
    const params = [[signature], { searchTransactionHistory: false }];
    const found = await this.#read({ method: "getSignatureStatuses", params, schema: statuses });
    if (isRpcError(found)) return found;
    const [entry] = found.value;
    if (entry === null) return "absent";
    const { err, confirmationStatus } = entry;
    if (err !== null && err !== undefined) return confirmationStatus === "finalized" ? "failed" : "seen";
    return confirmationStatus === "confirmed" || confirmationStatus === "finalized" ? "succeeded" : "seen";
  }

  /** Runs a transaction without keeping it. `no funds`: the fee cannot be paid. */
  async simulate(wire: string): Promise<"succeeds" | "fails" | "no funds" | RpcError> {
    const options = { encoding: "base64", sigVerify: false, replaceRecentBlockhash: false, commitment: "confirmed" };
    const found = await this.#read({ method: "simulateTransaction", params: [wire, options], schema: simulation });
    if (isRpcError(found)) return found;
    const { err } = found.value;
    if (err === null || err === undefined) return "succeeds";
    return NO_FUNDS.has(err) ? "no funds" : "fails";
  }

  /** Sends a transaction. `isAgain`: it was sent before, and passed the node's own simulation. */
  async send(wire: string, isAgain: boolean): Promise<string | RpcError> {
    const options = { encoding: "base64", skipPreflight: isAgain, preflightCommitment: "confirmed" };
    return await this.#rpc.write({ method: "sendTransaction", params: [wire, options], schema: sent });
  }

  async #read<T>(request: Request<T>): Promise<T | RpcError> {
    const [response] = await this.#rpc.readAll<[T]>([request]);
    return response;
  }
}
