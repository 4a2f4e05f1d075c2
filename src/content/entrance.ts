import { createHash, timingSafeEqual } from "node:crypto";
import { PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../lib/errors.ts";

type Handle = (request: Request) => Promise<Response>;

const RETRY_AFTER_SECONDS = "2";

/** Stands before the operations: admits requests with the token, and says when the service is stopping. */
export class Entrance {
  readonly #app: Handle;
  readonly #expected: Buffer | undefined;
  #isDraining = false;

  /** Without `token`, all requests are admitted. */
  constructor(app: Handle, token: string | undefined) {
    this.#app = app;
    this.#expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  }

  /** From now on the service says that it is not ready, and closes each connection after its response. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Never throws. */
  async fetch(request: Request): Promise<Response> {
    if (!this.#isAllowed(request)) return unauthorized();
    const { pathname } = new URL(request.url);
    if (pathname === "/ready" || (pathname === "/health" && this.#isDraining)) return this.#readiness(request);
    const response = await this.#app(request);
    if (this.#isDraining) response.headers.set("connection", "close");
    return response;
  }

  /** The comparison of two digests takes the same time wherever the tokens differ, and whatever their lengths. */
  #isAllowed(request: Request): boolean {
    if (this.#expected === undefined) return true;
    return timingSafeEqual(digest(request.headers.get("authorization") ?? ""), this.#expected);
  }

  #readiness({ method }: Request): Response {
    if (method !== "GET" && method !== "HEAD") {
      return problem(new TurnpikeError("method-not-allowed", "This is called with GET"), { allow: "GET, HEAD" });
    }
    if (!this.#isDraining) return Response.json({ status: "ok" });
    const headers = { "retry-after": RETRY_AFTER_SECONDS, connection: "close" };
    return problem(new TurnpikeError("overloaded", "The content service is stopping"), headers);
  }
}

function unauthorized(): Response {
  const error = new TurnpikeError("unauthorized", "This content service requires its token as Authorization: Bearer");
  return problem(error, { "www-authenticate": 'Bearer realm="turnpike content"' });
}

function problem(error: TurnpikeError, headers: Record<string, string>): Response {
  const body = JSON.stringify(toProblem(error, undefined));
  return new Response(body, { status: error.status, headers: { "content-type": PROBLEM_CONTENT_TYPE, ...headers } });
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
