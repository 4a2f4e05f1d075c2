import { TurnpikeError } from "../lib/errors.ts";
import { bearerCheck } from "../lib/http/authorization.ts";
import { type Responder, type Upgrade } from "./listen.ts";
import { problemResponse } from "./api/problem-response.ts";

/**
 * Checks requests before they reach the operations: admits those with the token, and reports that the service drains.
 */
export class Entrance {
  readonly #app: Responder;
  readonly #isAllowed: ((request: Request) => boolean) | undefined;
  #isDraining = false;

  /** Without `token`, it admits all requests. */
  constructor(app: Responder, token: string | undefined) {
    this.#app = app;
    this.#isAllowed = token === undefined ? undefined : bearerCheck(token);
  }

  /** From now on the service reports that it is not ready, and closes each connection after its response. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Never throws. */
  async fetch(request: Request, upgrade?: Upgrade): Promise<Response> {
    if (this.#isAllowed?.(request) === false) return unauthorized();
    // The token is that of the gateway: operations must not take it for the key of a client.
    if (this.#isAllowed !== undefined) request.headers.delete("authorization");
    const { pathname } = new URL(request.url);
    if (pathname === "/ready" || (pathname === "/health" && this.#isDraining)) return this.#readiness(request);
    const response = await this.#app(request, upgrade);
    if (this.#isDraining) response.headers.set("connection", "close");
    return response;
  }

  #readiness({ method }: Request): Response {
    if (method !== "GET" && method !== "HEAD") {
      const error = new TurnpikeError("method-not-allowed", "This is called with GET");
      return problemResponse(error, undefined, { allow: "GET, HEAD" });
    }
    if (!this.#isDraining) return Response.json({ status: "ok" });
    const error = new TurnpikeError("overloaded", "The content service is stopping");
    return problemResponse(error, undefined, { connection: "close" });
  }
}

function unauthorized(): Response {
  const error = new TurnpikeError("unauthorized", "This content service requires its token as Authorization: Bearer");
  return problemResponse(error, undefined, { "www-authenticate": 'Bearer realm="turnpike content"' });
}
