/** The party that causes an error. Logs show it, and it decides whether a retry with another server can help. */
export type ErrorOrigin = "client" | "upstream" | "gateway" | "config" | "page" | "facilitator";

/** The properties that all errors with one code share. */
export interface ErrorKind {
  readonly status: number;
  readonly title: string;
  readonly origin: ErrorOrigin;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
}

function kind(status: number, title: string, origin: ErrorOrigin, retryable = false): ErrorKind {
  return { status, title, origin, retryable };
}

/** All errors of Turnpike's own responses. The key is the last part of the problem's `type`. */
export const ERRORS = {
  "bad-request": kind(400, "Bad Request", "client"),
  "bad-path": kind(400, "Bad Path", "client"),
  "host-not-allowed": kind(400, "Host Not Allowed", "client"),
  "invalid-parameters": kind(400, "Invalid Parameters", "client"),
  "invalid-configuration": kind(400, "Invalid Configuration", "config"),
  "invalid-payment": kind(400, "Invalid Payment", "client"),
  unauthorized: kind(401, "Unauthorized", "client"),
  "missing-csrf-token": kind(403, "Missing CSRF Token", "client"),
  "payment-required": kind(402, "Payment Required", "client"),
  forbidden: kind(403, "Forbidden", "client"),
  "not-found": kind(404, "Not Found", "client"),
  "method-not-allowed": kind(405, "Method Not Allowed", "client"),
  "request-timeout": kind(408, "Request Timeout", "client", true),
  "payment-conflict": kind(409, "Payment Already Used", "client"),
  "refund-refused": kind(409, "Refund Refused", "client"),
  "session-busy": kind(409, "Session In Use", "client", true),
  "already-exists": kind(409, "Already Exists", "client"),
  "guard-lost": kind(409, "Guard Lost", "client"),
  "ambiguous-route": kind(409, "Ambiguous Route", "client"),
  "changed-on-disk": kind(409, "Changed On Disk", "config"),
  "no-config-file": kind(409, "No Configuration File", "config"),
  "precondition-failed": kind(412, "Precondition Failed", "client"),
  "body-too-large": kind(413, "Content Too Large", "client"),
  "uri-too-long": kind(414, "URI Too Long", "client"),
  "unsupported-media-type": kind(415, "Unsupported Media Type", "client"),
  "range-not-satisfiable": kind(416, "Range Not Satisfiable", "client"),
  "expectation-failed": kind(417, "Expectation Failed", "client"),
  misdirected: kind(421, "Misdirected Request", "client", true),
  "upgrade-required": kind(426, "Upgrade Required", "client"),
  "rate-limited": kind(429, "Too Many Requests", "client", true),
  "head-too-large": kind(431, "Request Header Fields Too Large", "client"),
  internal: kind(500, "Internal Error", "gateway"),
  "filter-failed": kind(500, "Filter Failed", "gateway"),
  "change-failed": kind(500, "Change Failed", "gateway"),
  "persist-failed": kind(500, "Persist Failed", "gateway"),
  "scrape-failed": kind(500, "Scrape Failed", "page"),
  "action-failed": kind(500, "Step In A Page Failed", "page"),
  "page-failed": kind(500, "Page Could Not Be Loaded", "page", true),
  "page-timeout": kind(500, "Page Timeout", "page", true),
  "page-challenge": kind(500, "Page Behind A Bot Challenge", "page", true),
  "page-consent-wall": kind(500, "Page Behind A Consent Wall", "page"),
  "page-terms": kind(500, "Page Refused By Its Terms", "page"),
  "page-empty": kind(500, "Page Without Content", "page", true),
  "page-type-unsupported": kind(500, "Page Type Not Supported", "page"),
  "fields-missing": kind(500, "Fields Missing", "page"),
  "search-failed": kind(500, "Search Failed", "upstream", true),
  "search-timeout": kind(500, "Search Timeout", "upstream", true),
  "not-implemented": kind(501, "Not Implemented", "client"),
  "upstream-failed": kind(502, "Upstream Failed", "upstream", true),
  "no-servers": kind(503, "No Servers", "config", true),
  "no-upstream": kind(502, "No Upstream Reachable", "upstream", true),
  "resolve-failed": kind(502, "Resolution Failed", "upstream", true),
  "model-failed": kind(502, "Language Model Failed", "upstream", true),
  "response-too-large": kind(502, "Upstream Response Too Large", "upstream"),
  "address-refused": kind(400, "Address Refused", "client"),
  "facilitator-failed": kind(502, "Facilitator Failed", "facilitator", true),
  overloaded: kind(503, "Overloaded", "gateway", true),
  "filter-unavailable": kind(503, "Filter Unavailable", "gateway", true),
  "tenant-starting": kind(503, "Tenant Still Starting", "gateway", true),
  "auth-unavailable": kind(503, "Authentication Unavailable", "gateway", true),
  "facilitator-unavailable": kind(503, "Facilitator Unavailable", "facilitator", true),
  "settlement-pending": kind(503, "Settlement Pending", "facilitator", true),
  "page-not-begun": kind(503, "Page Not Begun", "gateway", true),
  "browser-unavailable": kind(503, "Browser Unavailable", "gateway", true),
  "store-unavailable": kind(503, "Store Unavailable", "gateway", true),
  "upstream-timeout": kind(504, "Upstream Timeout", "upstream", true),
  "not-cached": kind(504, "Not Cached", "client", false),
  "search-unavailable": kind(503, "Search Unavailable", "upstream", true),
  "version-not-supported": kind(505, "HTTP Version Not Supported", "client"),
  "disk-full": kind(507, "Disk Full", "gateway", true),
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERRORS;

/** A failure that the client receives unchanged: `detail` must contain no secret, file path or upstream address. */
export class TurnpikeError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly members: ProblemMembers;

  constructor(code: ErrorCode, detail: string, errors?: readonly FieldError[], members: ProblemMembers = {}) {
    super(detail);
    this.name = "TurnpikeError";
    this.code = code;
    this.errors = errors;
    this.members = members;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** A failure that lasts until the operator changes something: its response has no Retry-After. */
export class LastingError extends TurnpikeError {}

/** One error in a request, and its place: `path` is dotted, as in `selectors.price`. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
  /** The place in the request's body, as a JSON pointer (RFC 6901). */
  readonly pointer?: string;
}

/** A step in a page that failed, and the page at that time. */
export interface FailedAction {
  /** From 0 on. */
  readonly index: number;
  readonly type: string;
  readonly url?: string;
  readonly title?: string;
  /** A picture of the window: base64 of a JPEG. */
  readonly screenshot?: string;
}

/** Members that some problems have in addition to the standard members (RFC 9457 §3.2). */
export interface ProblemMembers {
  /** The HTTP status of the response of a page's server. */
  readonly page_status?: number;
  readonly action?: FailedAction;
  /** The hosts of the routes that a request may mean. An empty text stands for the route without a host. */
  readonly hosts?: readonly string[];
  /** The names of those routes, in the same order. An empty text stands for a route without a name. */
  readonly names?: readonly string[];
}

/** The media type of a problem document (RFC 9457 §3). */
export const PROBLEM_CONTENT_TYPE = "application/problem+json";

/** The RFC 9457 problem object of an error; `instance` is the request id. */
export interface Problem extends ProblemMembers {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly errors?: readonly FieldError[];
}

/** The `type` of an error's problem document. */
export function problemType(code: ErrorCode): string {
  return `urn:turnpike:error:${code}`;
}

/** Makes the problem document of an error. Without `requestId` it has no `instance`. */
export function toProblem(error: TurnpikeError, requestId?: string): Problem {
  const { status, title } = ERRORS[error.code];
  return {
    type: problemType(error.code),
    title,
    status,
    detail: error.message,
    ...(requestId === undefined ? {} : { instance: requestId }),
    ...(error.errors === undefined ? {} : { errors: error.errors }),
    ...error.members,
  };
}
