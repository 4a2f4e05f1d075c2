import { type Diagnostic, type ProblemBody } from "./shapes.ts";

/** A request that the gateway refused, or did not respond to (`status` 0). */
export class Problem extends Error {
  readonly status: number;
  readonly body: ProblemBody;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: ProblemBody, retryAfterSeconds?: number) {
    super(body.detail ?? body.title ?? `The gateway responded with ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.body.errors ?? [];
  }
}

/** Returns `before` if `found` says the same, so that the page does not announce a problem twice. */
export function sameOr(before: Problem | undefined, found: Problem): Problem {
  return before?.status === found.status && before.message === found.message ? before : found;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, { detail: error instanceof Error ? error.message : String(error) });
}
