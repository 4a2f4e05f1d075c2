/** Who is at fault for an error: decides blame in logs and whether a retry elsewhere can help. */
export type ErrorOrigin = "client" | "upstream" | "gateway" | "config" | "page" | "facilitator";

export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly origin: ErrorOrigin;
  /** True where the very same request may succeed later. */
  readonly retryable: boolean;
}

function kind(status: number, title: string, origin: ErrorOrigin, retryable = false): ErrorKind {
  return { status, title, origin, retryable };
}

/** Every error that Turnpike itself answers with; the key is the last part of the problem `type`. */
export const ERRORS = {
  "bad-request": kind(400, "Bad Request", "client"),
  "bad-path": kind(400, "Bad Path", "client"),
  "host-not-allowed": kind(400, "Host Not Allowed", "client"),
  "invalid-parameters": kind(400, "Invalid Parameters", "client"),
  "invalid-payment": kind(400, "Invalid Payment", "client"),
  unauthorized: kind(401, "Unauthorized", "client"),
  "payment-required": kind(402, "Payment Required", "client"),
  forbidden: kind(403, "Forbidden", "client"),
  "not-found": kind(404, "Not Found", "client"),
  "method-not-allowed": kind(405, "Method Not Allowed", "client"),
  "request-timeout": kind(408, "Request Timeout", "client", true),
  "payment-conflict": kind(409, "Payment Already Used", "client"),
  "precondition-failed": kind(412, "Precondition Failed", "client"),
  "body-too-large": kind(413, "Content Too Large", "client"),
  "uri-too-long": kind(414, "URI Too Long", "client"),
  "unsupported-media-type": kind(415, "Unsupported Media Type", "client"),
  "page-type-unsupported": kind(415, "Page Type Not Supported", "page"),
  "range-not-satisfiable": kind(416, "Range Not Satisfiable", "client"),
  "expectation-failed": kind(417, "Expectation Failed", "client"),
  "upgrade-required": kind(426, "Upgrade Required", "client"),
  "rate-limited": kind(429, "Too Many Requests", "client", true),
  "head-too-large": kind(431, "Request Header Fields Too Large", "client"),
  internal: kind(500, "Internal Error", "gateway"),
  "scrape-failed": kind(500, "Scrape Failed", "page"),
  "not-implemented": kind(501, "Not Implemented", "client"),
  "upstream-failed": kind(502, "Upstream Failed", "upstream", true),
  "no-upstream": kind(502, "No Upstream Reachable", "upstream", true),
  "response-too-large": kind(502, "Upstream Response Too Large", "upstream"),
  "page-failed": kind(502, "Page Could Not Be Loaded", "page", true),
  "page-challenge": kind(502, "Page Behind A Bot Challenge", "page", true),
  "page-consent-wall": kind(502, "Page Behind A Consent Wall", "page"),
  "page-empty": kind(502, "Page Without Content", "page", true),
  "address-refused": kind(400, "Address Refused", "client"),
  "facilitator-failed": kind(502, "Facilitator Failed", "facilitator", true),
  overloaded: kind(503, "Overloaded", "gateway", true),
  "auth-unavailable": kind(503, "Authentication Unavailable", "gateway", true),
  "facilitator-unavailable": kind(503, "Facilitator Unavailable", "facilitator", true),
  "settlement-pending": kind(503, "Settlement Pending", "facilitator", true),
  "browser-unavailable": kind(503, "Browser Unavailable", "gateway", true),
  "upstream-timeout": kind(504, "Upstream Timeout", "upstream", true),
  "not-cached": kind(504, "Not Cached", "client", false),
  "search-failed": kind(502, "Search Failed", "upstream", true),
  "search-unavailable": kind(503, "Search Unavailable", "upstream", true),
  "search-timeout": kind(504, "Search Timeout", "upstream", true),
  "page-timeout": kind(504, "Page Timeout", "page", true),
  "version-not-supported": kind(505, "HTTP Version Not Supported", "client"),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** A failure that is answered to the client as it stands: `detail` must hold no secret, file path or upstream address. */
export class TurnpikeError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;

  constructor(code: ErrorCode, detail: string, errors?: readonly FieldError[]) {
    super(detail);
    this.name = "TurnpikeError";
    this.code = code;
    this.errors = errors;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** One thing that is wrong with a request, and where: `path` is dotted, as in `selectors.price`. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export const PROBLEM_CONTENT_TYPE = "application/problem+json";

/** The RFC 9457 problem object of an error; `instance` is the request id. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly errors?: readonly FieldError[];
}

export function toProblem(error: TurnpikeError, requestId?: string): Problem {
  const { status, title } = ERRORS[error.code];
  return {
    type: `urn:turnpike:error:${error.code}`,
    title,
    status,
    detail: error.message,
    ...(requestId === undefined ? {} : { instance: requestId }),
    ...(error.errors === undefined ? {} : { errors: error.errors }),
  };
}
