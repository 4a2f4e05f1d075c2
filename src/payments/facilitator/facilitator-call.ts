import { readJsonUpTo } from "../../lib/answer-bytes.ts";
import { codeOf } from "../../lib/caught.ts";

/** Longest answer of a facilitator, in bytes; /supported of a large one has some 10 KB. */
const MAX_ANSWER_BYTES = 256 * 1024;
/** What a URL of a facilitator on a Unix socket begins with; the socket's path follows. */
const UNIX = "unix:";

/**
 * Settlements that this process waits for at one time, whoever carries them out: each may take as long as a block, and Bun has at
 * most 256 HTTP requests under way. What is left is for verifications, chains and records.
 */
const MAX_SETTLEMENTS = 160;
let settlements = 0;

export interface Answer {
  readonly status: number;
  /** Undefined where the body is too long or no JSON. */
  readonly json: unknown;
}

/** `isDown`: nobody is there, or it says so itself. `cause` is for the log: it names neither address nor content. */
export interface Fault {
  readonly fault: "unavailable" | "failed";
  readonly isDown: boolean;
  /** True where it was not asked at all. */
  readonly isUnasked?: boolean;
  readonly cause: string;
}

export interface CallOptions {
  /** The part before /verify and /settle: http, https, or `unix:` and the path of a socket. */
  readonly url: string;
  /** Sent with each call. They hold secrets: they appear in nothing else. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface Request {
  readonly path: "/supported" | "/verify" | "/settle" | "/find";
  /** Left out: a GET. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  /** Sent once more where the connection dies under it: for what changes nothing. */
  readonly mayRepeat: boolean;
}

export type Call = (request: Request) => Promise<Answer | Fault>;

/** True for a URL that calls can be made to. */
export function isFacilitatorUrl(url: string): boolean {
  if (url.startsWith(UNIX)) return url.startsWith("/", UNIX.length);
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol);
}

/** Calls to one facilitator, over connections that are kept. */
export function createCall({ url, headers }: CallOptions): Call {
  const unix = url.startsWith(UNIX) ? url.slice(UNIX.length) : undefined;
  const base = unix === undefined ? url.replace(/\/+$/, "") : "http://localhost";

  function send({ path, body }: Request, signal: AbortSignal): Promise<Response> {
    return fetch(base + path, {
      // A redirect would carry a spendable payment to wherever it points.
      redirect: "manual",
      signal,
      headers: {
        ...headers,
        accept: "application/json",
        // What is short on the wire and endless unpacked is not unpacked.
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      decompress: false,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      ...(unix === undefined ? {} : { unix }),
    });
  }

  async function once(request: Request, signal: AbortSignal): Promise<Answer> {
    const response = await send(request, signal);
    return { status: response.status, json: await readJsonUpTo(response, MAX_ANSWER_BYTES) };
  }

  async function ask(request: Request): Promise<Answer | Fault> {
    const signal = AbortSignal.timeout(request.timeoutMs);
    try {
      return await once(request, signal).catch((error: unknown) => {
        if (!request.mayRepeat || !hasDied(error)) throw error;
        return once(request, signal);
      });
    } catch {
      const cause = signal.aborted ? `no response within ${request.timeoutMs} ms` : "no connection";
      return { fault: "unavailable", isDown: true, cause };
    }
  }

  return async function call(request) {
    if (request.path !== "/settle") return await ask(request);
    if (settlements >= MAX_SETTLEMENTS) {
      const cause = "too many settlements are under way: nothing was sent";
      return { fault: "unavailable", isDown: false, isUnasked: true, cause };
    }
    settlements += 1;
    try {
      return await ask(request);
    } finally {
      settlements -= 1;
    }
  };
}

/** The connection was there, and was cut: perhaps because it had been idle for too long. */
function hasDied(error: unknown): boolean {
  return codeOf(error) === "ECONNRESET" || codeOf(error) === "EPIPE";
}
