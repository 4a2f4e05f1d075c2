import { type Exchange } from "../exchange.ts";
import { type CommandOutcome } from "./control/control-connection.ts";

/** What a filter decides about a request. */
export type FilterDecision =
  /** The request goes on. `upstream` is what `set_upstream` named after a park: the socket of a tenant. */
  | { readonly kind: "continue"; readonly upstream?: string }
  /** The filter has begun to respond through `exchange.response`, also when it failed: nothing else responds. */
  | { readonly kind: "responded" };

/** The decision of a filter that has nothing to say. */
export const CONTINUE: FilterDecision = { kind: "continue" };

/** A loaded entry of `wasm_filters` in one worker, of either ABI. */
export interface Filter {
  /** In logs, metrics and traces. */
  readonly name: string;
  /**
   * Runs before the request is forwarded. A filter that looks at the response puts its sink before `exchange.response`; one that
   * looks at the request's body puts its own in the place of `exchange.body`. Fails closed.
   */
  request(exchange: Exchange): FilterDecision | Promise<FilterDecision>;
  /** It reads all messages of a gRPC call before it decides. */
  readonly readsCalls: boolean;
  /** Instances that exist, and those that a request has for itself. */
  readonly instances: { readonly all: number; readonly pinned: number };
  /** No request begins from now on; those under way end as they are. */
  close(): void;
}

/** The way to the sandbox: a connection of this worker, or one of the supervisor that all workers share. */
export interface ControlLink {
  /** The sandbox is connected and takes commands. */
  readonly isReady: boolean;
  /** Sends a command. `done` is called once, never from within. The function that is returned forgets the command. */
  call(bytes: Buffer, done: (outcome: CommandOutcome) => void): () => void;
  close(): void;
}
