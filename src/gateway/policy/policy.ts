import { type Exchange } from "../exchange.ts";

/** Hold the request, and what its client sends, for so long; then go on. */
export interface Backpressure {
  /** Milliseconds, `MAX_PAUSE_MS` at most. */
  readonly pauseMs: number;
}

/** The longest that a policy may hold a request, in milliseconds. */
export const MAX_PAUSE_MS = 60_000;

/**
 * What a policy decides before the handler runs. The definition's names:
 *
 *   allow                       "continue"
 *   modify                      "continue", with fields put into `exchange.addedFields`, or a sink before `exchange.response`
 *   skip                        "skip": the policies that follow are passed over, but for those that guard
 *   reject                      "responded": it has begun to respond by itself through `exchange.response`
 *   rate_limit_backpressure     `Backpressure`
 */
export type Decision = "continue" | "skip" | "responded" | Backpressure;

/** One link of a route's chain. It is made when the configuration is loaded; a request never reads raw configuration. */
export interface Policy {
  readonly name: string;
  /** It decides who may pass, as authentication and payment do: nothing skips it. */
  readonly guards?: boolean;
  /** It changes answers, whoever gives them: it runs as well for a request that is refused before any policy is asked. */
  readonly runsOnLocalReply?: boolean;
  /**
   * Runs before the handler; it may put a sink in front of `exchange.response`, and so see every response, whoever gives it. A
   * throw is answered as an error. What needs no waiting answers at once: a promise costs more than most policies.
   */
  request(exchange: Exchange): Decision | Promise<Decision>;
  close(): void | Promise<void>;
}
