import { readJsonUpTo } from "../../lib/http/response-bytes.ts";
import { codeOf } from "../../lib/caught.ts";
import { timeoutSignal } from "../../lib/time/timeout-signal.ts";

/** Longest response of a facilitator, in bytes; a longer one is an error. A large one's /supported has some 10 KB. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Prefix of the URL of a facilitator on a Unix socket; the socket's path follows. */
const UNIX = "unix:";

/**
 * Settlements that this process waits for at the same time, over all facilitators. A further one is not sent and counts as
 * unavailable. @operator Each may take as long as a block, and Bun has at most 256 HTTP requests in progress. The rest is
 * for verifications, chains and records.
 */
const MAX_SETTLEMENTS = 160;
let settlements = 0;
/** Errors before there is a connection. Bun never sends a POST again over another connection. */
const UNSENT: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "ENOENT"]);

export interface CallResponse {
  readonly status: number;
  /** Undefined if the body is too long or not JSON. */
  readonly json: unknown;
}

/**
 * `isDown`: the facilitator does not respond, or says itself that it is unavailable. `cause` is for the log: it
 * contains no address and no content.
 */
export interface CallError {
  readonly error: "unavailable" | "failed";
  readonly isDown: boolean;
  /** True if the facilitator certainly got nothing of the call. */
  readonly isUnsent?: boolean;
  readonly cause: string;
}

export interface CallOptions {
  /** The URL before /verify and /settle: http, https, or `unix:` and the path of a socket. */
  readonly url: string;
  /** Sent with each call. They contain secrets and must not appear anywhere else. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Request {
  readonly path: "/supported" | "/verify" | "/settle" | "/find";
  /** Without a body the call is a GET. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  /** Sends the call again if its connection breaks. Only for calls that change nothing. */
  readonly mayRepeat: boolean;
}

/** Calls a facilitator. Does not reject: without a response the result is an error. */
export type Call = (request: Request) => Promise<CallResponse | CallError>;

/** True for a URL that can be called. */
export function isFacilitatorUrl(url: string): boolean {
  if (url.startsWith(UNIX)) return url.startsWith("/", UNIX.length);
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol);
}

/** Calls one facilitator, over persistent connections. */
export function createCall({ url, headers }: CallOptions): Call {
  const unix = url.startsWith(UNIX) ? url.slice(UNIX.length) : undefined;
  const base = unix === undefined ? url.replace(/\/+$/, "") : "http://localhost";

  function send({ path, body }: Request, signal: AbortSignal): Promise<Response> {
    return fetch(base + path, {
      // A redirect would send a spendable payment to its target.
      redirect: "manual",
      signal,
      headers: {
        ...headers,
        accept: "application/json",
        // Compressed responses could be short on the wire and endless when decompressed, so none is requested.
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      decompress: false,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      ...(unix === undefined ? {} : { unix }),
    });
  }

  async function once(request: Request, signal: AbortSignal): Promise<CallResponse> {
    const response = await send(request, signal);
    return { status: response.status, json: await readJsonUpTo(response, MAX_RESPONSE_BYTES) };
  }

  async function ask(request: Request): Promise<CallResponse | CallError> {
    const signal = timeoutSignal(request.timeoutMs);
    try {
      return await once(request, signal).catch((error: unknown) => {
        if (!request.mayRepeat || !hasDied(error)) throw error;
        return once(request, signal);
      });
    } catch (error) {
      const cause = signal.aborted ? `no response within ${request.timeoutMs} ms` : "no connection";
      return { error: "unavailable", isDown: true, isUnsent: UNSENT.has(codeOf(error)), cause };
    }
  }

  return async function call(request) {
    if (request.path !== "/settle") return await ask(request);
    if (settlements >= MAX_SETTLEMENTS) {
      const cause = "too many settlements are under way: nothing was sent";
      return { error: "unavailable", isDown: false, isUnsent: true, cause };
    }
    settlements += 1;
    try {
      return await ask(request);
    } finally {
      settlements -= 1;
    }
  };
}

/** True if the call's connection broke, perhaps because it had been idle for too long. */
function hasDied(error: unknown): boolean {
  return codeOf(error) === "ECONNRESET" || codeOf(error) === "EPIPE";
}
