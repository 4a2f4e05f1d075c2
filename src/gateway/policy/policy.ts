import { type RouteConfig } from "../config/config.ts";
import { type Exchange } from "../exchange/exchange.ts";

/** The gateway holds the request, and pauses its client's body, for `pauseMs`. Then it continues. */
export interface Backpressure {
  /** Milliseconds, at most `MAX_PAUSE_MS`. */
  readonly pauseMs: number;
}

/** Maximum milliseconds for which a policy can hold a request. */
export const MAX_PAUSE_MS = 60_000;

/**
 * The decision of a policy before the handler runs, with the names of the definition:
 *
 *   allow                       "continue"
 *   modify                      "continue", with fields added to `exchange.addedFields`, or a sink before `exchange.response`
 *   skip                        "skip": later policies are skipped, except those that guard
 *   reject                      "responded": the policy has begun to respond through `exchange.response`
 *   rate_limit_backpressure     `Backpressure`
 */
export type Decision = "continue" | "skip" | "responded" | Backpressure;

/** One policy of a route's chain, created with the configuration: requests never read raw configuration. */
export interface Policy {
  readonly name: string;
  /** It decides which clients may pass, as authentication and payment do. It is never skipped. */
  readonly guards?: boolean;
  /** It edits upstream and local responses. It also runs for a request that is refused before any policy runs. */
  readonly runsOnLocalReply?: boolean;
  /**
   * Runs before the handler. It can put a sink before `exchange.response`, and so see every upstream or local response.
   * If it throws, the client gets an error. A policy that need not wait returns its decision directly, because a
   * promise costs more than most policies.
   */
  request(exchange: Exchange): Decision | Promise<Decision>;
}

/** The policies of one kind that a configuration asks for. Its feature provides them, and closes what they hold. */
export interface PolicyFeature {
  /** Traced requests have a span for its work. */
  readonly isTraced?: boolean;
  /** Undefined: not configured, and costs nothing. `route` undefined: the policy of requests without a route. */
  policy(route: RouteConfig | undefined): Policy | undefined;
  /** Called when the configuration is in use. */
  use?(): void;
  /** Closes everything that the same feature of the next configuration does not take over. */
  close?(next: PolicyFeature | undefined): void;
}
