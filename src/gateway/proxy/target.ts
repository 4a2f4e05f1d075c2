import { type Fields } from "../../lib/http/fields.ts";
import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { type RespondWithError } from "../exchange/local-response.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type RequestCopier } from "./request-copy.ts";
import { type GatherBounds } from "./request-pump.ts";
import { type ResponseBuffering } from "./response-buffer.ts";
import { type RetrySettings } from "./retry/retries.ts";
import { type Split, type TrafficSplit } from "./split.ts";

/**
 * The upstream of a route, and the limits of its requests, compiled when the configuration is loaded. Times in
 * milliseconds.
 */
export interface ForwardTarget {
  readonly wheel: TimerWheel;
  readonly upstream: Upstream;
  /** Chooses an upstream in place of `upstream`. */
  readonly split: TrafficSplit | undefined;
  /** Chooses another target, or a response. */
  readonly variants: Split<TargetVariant> | undefined;
  /** Copies forwarded requests. */
  readonly mirror: RequestCopier | undefined;
  /** Undefined: request bodies are streamed. */
  readonly gather: GatherBounds | undefined;
  /** Undefined: a response is read from its server only as fast as its client reads it. */
  readonly responses: ResponseBuffering | undefined;
  readonly rewrite: ((path: string) => string) | undefined;
  readonly connectTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** For a gRPC call the limit applies to each message; an event stream has no limit. */
  readonly maxBodyBytes: number;
  readonly maxResponseBytes: number;
  readonly retry: RetrySettings;
  /** The upstream receives the client's address. */
  readonly tellsClient: boolean;
  /** The Host from `upstream_headers`, in place of the client's. */
  readonly host: string | undefined;
  /** Lines of `upstream_headers` without Host, and their lower-case names. The client's own fields with these names are removed. */
  readonly extraFields: Fields;
  readonly extraNames: readonly string[];
  readonly respondWithError: RespondWithError;
  /** The pseudonym in Via. */
  readonly serviceName: string;
}

/** An entry of `traffic_split` that changes more than the upstream. */
export interface TargetVariant {
  /** The target in place of `target`; undefined if the exchange has its response. */
  apply(exchange: Exchange, target: ForwardTarget): ForwardTarget | undefined;
}
