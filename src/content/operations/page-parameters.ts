import { object, oneOf, type Output, string } from "../../lib/schema.ts";
import { type ErrorCode, TurnpikeError } from "../../lib/errors.ts";
import { hasCredentials, isAbsoluteUrl } from "../../lib/http/url-text.ts";
import { type PageRequest } from "../page/page.ts";
import { acceptsStatus, acceptStatus } from "./accept-status.ts";
import { invalidParameters } from "./operation.ts";
import { ACTION_RULES, actionParameters, stepsOf } from "./action-parameters.ts";
import { type FieldRule, members, when } from "./field-rules.ts";
import { ownRequest, REQUEST_RULES, requestParameters, userAgentOf } from "./request-parameters.ts";
import { text, flag, whole } from "./text.ts";

export const PAGE_FAILURES = [
  "invalid-parameters",
  "address-refused",
  "page-type-unsupported",
  "page-failed",
  "action-failed",
  "page-challenge",
  "page-consent-wall",
  "page-terms",
  "page-empty",
  "overloaded",
  "browser-unavailable",
  "page-timeout",
] as const satisfies readonly ErrorCode[];

/** The value of a User-Agent field: visible ASCII and spaces, so that it cannot end its line. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;

/** The user agent of a viewport of a phone. */
export const PHONE_USER_AGENT =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Mobile Safari/537.36";

/** Maximum number of characters of a URL. Servers accept no longer ones either. */
const MAX_URL_LENGTH = 8192;
/** Maximum number of characters of a CSS selector. */
export const MAX_SELECTOR_LENGTH = 2000;

/**
 * The URL of a page to load. User names and passwords are rejected, because they would appear in responses and logs.
 */
export const pageUrl = text(MAX_URL_LENGTH, 1)
  .refine(isAbsoluteUrl, "must be an absolute URL")
  .refine((url) => !hasCredentials(url), "must not hold a user name or a password")
  .openapi({ format: "url", description: "Page to load; http and https only", example: "https://example.com/" });

export const pageParameters = {
  url: pageUrl,
  selector: text(MAX_SELECTOR_LENGTH, 1)
    .optional()
    .openapi({ description: "CSS selector of an element to wait for before acting", example: "main article" }),
  stealth: flag().describe("Present the fingerprint of an ordinary browser to the page"),
  timeout: whole(1, 120).default(30).describe("Page load timeout in seconds"),
  user_agent: string()
    .min(1)
    .max(512)
    .regex(HEADER_TEXT, "must be visible ASCII characters and spaces")
    .optional()
    .describe("Custom User-Agent"),
  wait: whole(0, 30).optional().describe("Extra seconds to wait after the page event; not counted in the timeout"),
  wait_until: oneOf(["load", "domcontentloaded", "networkidle0"]).default("load").describe("Page event to wait for"),
  engine: oneOf(["auto", "static", "browser"])
    .default("auto")
    .describe("Engine that loads the page; auto uses a browser only if the page or the request needs one"),
  partial: flag().describe("At the timeout, return the content so far instead of an error"),
  accept_status: acceptStatus,
  ...requestParameters,
  ...actionParameters,
};

export const PAGE_RULES: readonly FieldRule[] = [
  ...REQUEST_RULES,
  ...ACTION_RULES,
  when(
    "engine",
    "static",
    members({
      actions: false,
      selector: false,
      stealth: { const: false },
      wait: { maximum: 0 },
      wait_until: { enum: ["load", "domcontentloaded"] },
    }),
  ),
];

/** The rule of operations that show pages. */
export const SHOWN_RULE: FieldRule = members({ engine: { enum: ["auto", "browser"] } });

/** Seconds: 30 days. */
const MAX_AGE = 2_592_000;

/** The parameters of operations whose pages callers may share. */
export const sharingParameters = {
  max_age: whole(0, MAX_AGE)
    .optional()
    .describe(
      "Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0 only keeps it",
    ),
  private: flag().describe("With max_age: do not keep the page for others, who could see that it was requested"),
};

/** The sharing that a request for a page allows. */
export function sharingOf({ max_age: maxAge, private: isPrivate }: Output<typeof sharing>) {
  return { maxAgeMs: maxAge === undefined ? undefined : maxAge * 1000, isPrivate };
}

const sharing = object(sharingParameters);

/** The characters of content that a caller may request. */
export const maxLength = whole(1, 1_000_000)
  .optional()
  .describe("Maximum content length in characters; longer content is cut");

const schema = object(pageParameters);

/**
 * Makes the request to the page engine. `forBrowser` names a further parameter that needs a browser. Throws
 * `address-refused` if the URL is neither http nor https, and `invalid-parameters` if the `static` engine cannot serve
 * a parameter.
 */
export function pageRequest(input: Output<typeof schema>, signal: AbortSignal, forBrowser?: string): PageRequest {
  if (forBrowser !== undefined && input.engine === "static") {
    throw invalidParameters([{ path: "engine", message: `must be auto or browser with ${forBrowser}` }]);
  }
  const url = webUrl(input.url);
  const own = ownRequest(input, url);
  const steps = stepsOf(input);
  const phone = own?.viewport?.mobile === true ? PHONE_USER_AGENT : undefined;
  return {
    url,
    engine: forBrowser === undefined ? input.engine : "browser",
    partial: input.partial,
    timeoutMs: input.timeout * 1000,
    waitMs: (input.wait ?? 0) * 1000,
    waitUntil: input.wait_until,
    selector: input.selector,
    userAgent: input.user_agent ?? userAgentOf(input) ?? phone,
    stealth: input.stealth,
    ...(own === undefined ? {} : { own }),
    ...(steps === undefined ? {} : { steps }),
    accepts: (status) => acceptsStatus(input.accept_status, status),
    signal,
  };
}

/** The parsed URL. Throws `address-refused` if it is neither http nor https. */
export function webUrl(address: string): URL {
  const url = new URL(address);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new TurnpikeError(
    "address-refused",
    `Cannot load the page: only http and https are allowed, not ${url.protocol}`,
  );
}
