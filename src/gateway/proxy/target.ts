import { type Fields } from "../../lib/fields.ts";
import { type TimerWheel } from "../../lib/timer-wheel.ts";
import { type AnswerError } from "../answer.ts";
import { type Upstream } from "../upstream/upstream.ts";
import { type RequestCopier } from "./request-copy.ts";
import { type GatherBounds } from "./request-pump.ts";
import { type ResponseBuffering } from "./response-buffer.ts";
import { type RetrySettings } from "./retry-pause.ts";
import { type TrafficSplit } from "./split.ts";

/** Where a route sends its requests and within which bounds; compiled when the configuration is loaded. Times in milliseconds. */
export interface ForwardTarget {
  readonly wheel: TimerWheel;
  readonly upstream: Upstream;
  /** Chooses an upstream in the place of that one. */
  readonly split: TrafficSplit | undefined;
  /** Copies what is forwarded. */
  readonly mirror: RequestCopier | undefined;
  /** Undefined: bodies of requests are sent as they come. */
  readonly gather: GatherBounds | undefined;
  /** Undefined: a response is read from its server as fast as its client reads it. */
  readonly responses: ResponseBuffering | undefined;
  readonly rewrite: ((path: string) => string) | undefined;
  readonly connectTimeoutMs: number;
  readonly sendTimeoutMs: number;
  readonly readTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Of a call of gRPC these hold for each message; a stream of events has no limit. */
  readonly maxBodyBytes: number;
  readonly maxResponseBytes: number;
  readonly retry: RetrySettings;
  /** The upstream is told the client's address. */
  readonly tellsClient: boolean;
  /** What `upstream_headers` has in the place of the client's Host. */
  readonly host: string | undefined;
  /** Lines of `upstream_headers`, and their lower-case names: the client's own of those names are left out. */
  readonly extraFields: Fields;
  readonly extraFieldsWithoutHost: Fields;
  readonly extraNames: readonly string[];
  readonly answerError: AnswerError;
  /** The pseudonym in Via. */
  readonly serviceName: string;
}
