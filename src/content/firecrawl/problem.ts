import { SETTLEMENT_OVERRIDES } from "../../payments/x402/charge.ts";
import { LastingError, type TurnpikeError } from "../../lib/errors.ts";
import { PageBurnt } from "../page/page-errors.ts";

/** Codes of Firecrawl for errors that both know. */
const CODES: Readonly<Partial<Record<TurnpikeError["code"], string>>> = {
  "invalid-parameters": "BAD_REQUEST",
  "bad-request": "BAD_REQUEST",
  "page-timeout": "SCRAPE_TIMEOUT",
  "page-failed": "SCRAPE_ALL_ENGINES_FAILED",
};

/**
 * An error in Firecrawl's form. Its SDK repeats only a request that fails with 502, so a reader of jobs gets that in place of 503:
 * it would otherwise take the results so far for all of them.
 */
export function firecrawlProblem(error: TurnpikeError, method: string): Response {
  const { code, errors, members } = error;
  const status = code === "page-timeout" ? 408 : error.status === 503 && method === "GET" ? 502 : error.status;
  const body = {
    success: false,
    error: error.message,
    code: CODES[code] ?? code.toUpperCase().replaceAll("-", "_"),
    ...(errors === undefined ? {} : { details: errors }),
    ...(members.page_status === undefined ? {} : { details: { statusCode: members.page_status } }),
  };
  const isBusy = error.status === 503 && !(error instanceof LastingError);
  const headers = {
    ...(isBusy ? { "retry-after": "2" } : {}),
    ...(error instanceof PageBurnt ? { [SETTLEMENT_OVERRIDES]: '{"amount":"100%"}' } : {}),
  };
  return Response.json(body, { status, headers });
}
