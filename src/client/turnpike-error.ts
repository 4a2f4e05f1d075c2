import { readJsonResponse } from "../lib/http/response-bytes.ts";

/**
 * An error response of the service or the gateway (RFC 9457). Nothing was charged, unless `onPayment` was called, as on
 * routes that are paid in advance. With the code `settlement-pending` the outcome is unknown, and another call pays
 * again.
 */
export class TurnpikeProblem extends Error {
  readonly status: number;
  /** The last part of the problem's type, such as `page-timeout`; empty if the response was not a problem document. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** The request's id, as in the service's logs. */
  readonly requestId: string | undefined;
  /** The errors in the request's fields. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The HTTP status of the page's server; undefined if it is not the reason for the error. */
  readonly pageStatus: number | undefined;
  /** Seconds to wait before another try; undefined if the response does not contain them. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: unknown, headers: Headers) {
    const fields = typeof problem === "object" && problem !== null ? new Map(Object.entries(problem)) : new Map();
    const text = (name: string) => {
      const value: unknown = fields.get(name);
      return typeof value === "string" ? value : "";
    };
    const title = text("title") || `HTTP ${status}`;
    const detail = text("detail");
    super(detail === "" ? `${status} ${title}` : `${status} ${title}: ${detail}`);
    this.name = "TurnpikeProblem";
    this.status = status;
    this.code = /^urn:turnpike:error:([\w-]+)$/.exec(text("type"))?.[1] ?? "";
    this.title = title;
    this.detail = detail;
    this.requestId = text("instance") || (headers.get("x-request-id") ?? undefined);
    this.errors = fieldErrors(fields.get("errors"));
    const pageStatus: unknown = fields.get("page_status");
    this.pageStatus = typeof pageStatus === "number" ? pageStatus : undefined;
    const seconds = headers.get("retry-after") ?? "";
    this.retryAfter = /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined;
  }
}

/** The problem of an error response, whose body it reads. */
export async function problemOf(response: Response): Promise<TurnpikeProblem> {
  const problem: unknown = await readJsonResponse(response).catch(() => undefined);
  return new TurnpikeProblem(response.status, problem, response.headers);
}

function fieldErrors(value: unknown): readonly { readonly path: string; readonly message: string }[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((error: unknown) => {
    if (typeof error !== "object" || error === null || !("path" in error) || !("message" in error)) return [];
    return [{ path: String(error.path), message: String(error.message) }];
  });
}

/** A payment that was not made, or whose outcome is unknown. */
export class TurnpikePaymentError extends Error {
  /** True if money may have moved; false if nothing was signed. */
  readonly maybeCharged: boolean;

  constructor(message: string, maybeCharged: boolean, cause: unknown) {
    super(message, { cause });
    this.name = "TurnpikePaymentError";
    this.maybeCharged = maybeCharged;
  }
}
