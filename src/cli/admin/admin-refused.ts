import { type IncomingHttpHeaders } from "node:http";
import { isObject, type JsonRecord } from "../../lib/is-object.ts";
import { membersOf, wordsOf } from "../common/problem-text.ts";
import { StartError } from "../common/start-error.ts";

/** Errors of a problem that are shown; the others are only counted. */
const MAX_DIAGNOSTICS = 200;

/** The admin interface refused a request and gave the reason. */
export class AdminRefused extends StartError {
  readonly status: number;
  /** The code of the problem, such as `changed_on_disk`; empty if it has no code. */
  readonly code: string;
  readonly problem: JsonRecord;

  constructor(
    status: number,
    problem: JsonRecord,
    text: { readonly message: string; readonly lines: readonly string[] },
  ) {
    super(text.message, { lines: text.lines });
    this.status = status;
    this.code = wordsOf(problem["code"]);
    this.problem = problem;
  }
}

/** The response to a request that the admin interface did not accept. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The error for a refused request. Its lines are the errors of the problem document (RFC 9457), if the response has one. */
export function refusalOf(origin: string, { status, headers, text }: RefusedResponse): AdminRefused {
  const body = membersOf(text);
  if (typeof body["title"] !== "string") {
    const redirect = status >= 300 && status <= 399 ? ", a redirect, which is not followed" : "";
    const message = `Cannot use the response of ${origin}: status ${status}${redirect}, without a problem document; is that an admin interface?`;
    return new AdminRefused(status, {}, { message, lines: [] });
  }
  const diagnostics = Array.isArray(body["errors"]) ? body["errors"].filter(isObject) : [];
  const lines = diagnostics.slice(0, MAX_DIAGNOSTICS).map(({ path, message }) => {
    const at = wordsOf(path);
    return `${at === "" ? "" : `${at}: `}${wordsOf(message)}`;
  });
  if (diagnostics.length > MAX_DIAGNOSTICS) lines.push(`and ${diagnostics.length - MAX_DIAGNOSTICS} more`);
  const title = wordsOf(body["title"]);
  const detail = wordsOf(body["detail"]);
  const message = (detail === "" ? `${status} ${title}`.trim() : detail) + hintOf(origin, detail, { status, headers });
  return new AdminRefused(status, body, { message, lines });
}

/** Names the interface if the key may belong to another one. Says when to try again if the problem does not. */
function hintOf(
  origin: string,
  detail: string,
  { status, headers }: Pick<RefusedResponse, "status" | "headers">,
): string {
  if (status === 401) return ` (${origin})`;
  const seconds = status === 429 ? headers["retry-after"] : undefined;
  if (seconds === undefined || !/^\d{1,6}$/.test(seconds) || detail.includes(seconds)) return "";
  return `; try again in ${seconds} s`;
}
