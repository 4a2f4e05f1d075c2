import { type Exchange } from "../exchange.ts";

/**
 * What a policy decides before the handler runs: `continue`, or `answered` where it has begun to answer by itself
 * through `exchange.response`.
 */
export type Decision = "continue" | "answered";

/** One link of a route's chain. It is made when the configuration is loaded; a request never reads raw configuration. */
export interface Policy {
  readonly name: string;
  /** Runs before the handler; it may put a sink in front of `exchange.response`. A throw is answered as an error. */
  request(exchange: Exchange): Decision | Promise<Decision>;
  close(): void | Promise<void>;
}
