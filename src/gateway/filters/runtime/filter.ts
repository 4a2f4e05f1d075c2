import { type Exchange } from "../../exchange/exchange.ts";
import { type CommandOutcome } from "../control/protocol/control-connection.ts";

export type FilterDecision =
  /** The request continues. `upstream`: what the filter gave to `set_upstream` after a park, a tenant's socket. */
  | { readonly kind: "continue"; readonly upstream?: string }
  /** The filter has begun to respond through `exchange.response`, also if it failed. Nothing else can respond. */
  | { readonly kind: "responded" };

export const CONTINUE: FilterDecision = { kind: "continue" };

/** A loaded entry of `wasm_filters` in one worker, of either ABI. */
export interface Filter {
  /** The name in logs, metrics and traces. */
  readonly name: string;
  /**
   * Runs before the request is forwarded. A filter that reads the response puts its sink before `exchange.response`. A
   * filter that reads the request's body replaces `exchange.body` with its own. Fails closed.
   */
  request(exchange: Exchange): FilterDecision | Promise<FilterDecision>;
  /** True if the filter reads all messages of a gRPC call before it decides. */
  readonly readsCalls: boolean;
  /** The number of instances that exist, and of those that are reserved for one request. */
  readonly instances: { readonly all: number; readonly pinned: number };
  /** No request begins after this call. Requests in progress continue to their end. */
  close(): void;
}

/** The connection to the sandbox: of this worker, or of the supervisor, which all workers share. */
export interface ControlLink {
  /** True if the sandbox is connected and accepts commands. */
  readonly isReady: boolean;
  /** Sends a command. `done` is called once, not before `call` returns. The returned function cancels it. */
  call(bytes: Buffer, done: (outcome: CommandOutcome) => void): () => void;
  close(): void;
}
