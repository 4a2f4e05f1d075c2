import { type TimerWheel } from "../../../lib/time/timer-wheel.ts";
import { tellOwnSink } from "../../proxy/subrequest.ts";
import { type ForwardTarget } from "../../proxy/target.ts";
import { type Upstream } from "../../upstream/upstream.ts";
import { MAX_CALL_BODY_BYTES, MAX_CALL_MS } from "./call-limits.ts";

const CONNECT_TIMEOUT_MS = 5000;
/** Milliseconds that the total timeout exceeds the longest timeout of a call, which ends the call first. */
const GRACE_MS = 1000;

export interface CallTargetOptions {
  readonly wheel: TimerWheel;
  /** The pseudonym in Via. */
  readonly serviceName: string;
}

/** The target for calls of filters to an upstream. Calls have timeouts of their own; those here are limits. */
export function callTarget(upstream: Upstream, { wheel, serviceName }: CallTargetOptions): ForwardTarget {
  return {
    wheel,
    upstream,
    serviceName,
    split: undefined,
    variants: undefined,
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
      // Retries GET, HEAD and OPTIONS, and every request that no server has received.
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
    extraNames: [],
    respondWithError: tellOwnSink,
  };
}
