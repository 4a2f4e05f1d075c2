import { type TimerWheel } from "../../../lib/timer-wheel.ts";
import { tellOwnSink } from "../../proxy/subrequest.ts";
import { type ForwardTarget } from "../../proxy/target.ts";
import { type Upstream } from "../../upstream/upstream.ts";
import { MAX_CALL_BODY_BYTES, MAX_CALL_MS } from "./call-limits.ts";

const CONNECT_TIMEOUT_MS = 5000;
/** Beyond what the call's own time ends. */
const GRACE_MS = 1000;

/** What is the same for the calls to any upstream. */
export interface CallTargetOptions {
  readonly wheel: TimerWheel;
  /** The pseudonym in Via. */
  readonly serviceName: string;
}

/** How calls of filters are forwarded to an upstream. A call has a time of its own, so the times here only bound it. */
export function callTarget(upstream: Upstream, { wheel, serviceName }: CallTargetOptions): ForwardTarget {
  return {
    wheel,
    upstream,
    serviceName,
    split: undefined,
    mirror: undefined,
    gather: undefined,
    responses: undefined,
    rewrite: undefined,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    sendTimeoutMs: MAX_CALL_MS,
    readTimeoutMs: MAX_CALL_MS,
    totalTimeoutMs: MAX_CALL_MS + GRACE_MS,
    maxBodyBytes: MAX_CALL_BODY_BYTES,
    maxResponseBytes: MAX_CALL_BODY_BYTES,
    retry: {
      // GET, HEAD and OPTIONS, and what no server has got.
      maxRetries: 1,
      connectAnyMethod: true,
      anyMethod: false,
      statuses: new Set(),
      tryTimeoutMs: Number.POSITIVE_INFINITY,
      backoffMs: 0,
      maxBackoffMs: 0,
      random: Math.random,
    },
    tellsClient: false,
    host: undefined,
    extraFields: "",
    extraFieldsWithoutHost: "",
    extraNames: [],
    respondWithError: tellOwnSink,
  };
}
