import { LastingError, PROBLEM_CONTENT_TYPE, toProblem, type TurnpikeError } from "../../lib/errors.ts";

const RETRY_AFTER_SECONDS = "2";

/** The error as a problem document (RFC 9457). A 503 has Retry-After, unless a retry cannot help. */
export function problemResponse(
  error: TurnpikeError,
  requestId: string | undefined,
  extra?: Record<string, string>,
): Response {
  const headers: Record<string, string> = { "content-type": PROBLEM_CONTENT_TYPE, ...extra };
  if (error.status === 503 && !(error instanceof LastingError)) headers["retry-after"] = RETRY_AFTER_SECONDS;
  return new Response(JSON.stringify(toProblem(error, requestId)), { status: error.status, headers });
}
