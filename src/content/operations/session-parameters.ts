import { string } from "../../lib/schema.ts";
import { type ErrorCode } from "../../lib/errors.ts";
import { limits } from "./field-rules.ts";

const MAX_LENGTH = 64;

/** A name or a secret that the service has made. A database does not take every character. */
export const madeText = string()
  .min(1)
  .max(MAX_LENGTH)
  .regex(/^[\x21-\x7e]*$/, "must be visible ASCII characters");

/** The parameters of operations whose page can belong to a session. */
export const sessionParameters = {
  session: madeText
    .optional()
    .describe(
      "Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and leaves its own there",
    ),
  session_secret: madeText.optional().describe("Its secret, if X-Session-Secret does not have it"),
};

/** In a session, no parameter lets others see a page, its client get it later, or several pages load at once. */
export const SESSION_RULES = [
  limits("session", { max_age: false, changes: false, urls: false, learn: { const: false } }),
];

/** Errors of the session of a page. */
export const SESSION_FAILURES = [
  "not-found",
  "session-busy",
  "store-unavailable",
] as const satisfies readonly ErrorCode[];

/** The secret of the session that the fields of a request name. */
export function sessionSecret(headers: Headers): string {
  return headers.get("x-session-secret") ?? "";
}
