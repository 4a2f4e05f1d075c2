import { readJsonResponse } from "../lib/response-bytes.ts";
import { isObject } from "../lib/is-object.ts";
import { describeReceipt, type Paid, PriceTooHigh } from "../payments/client/client.ts";
import { TotalTooHigh } from "../payments/client/spending.ts";
import { say, sayNote } from "./terminal.ts";

/** Characters of each text of a problem, and fields of it, that are shown. The rest is left out. */
const MAX_PROBLEM_TEXT = 2000;
const MAX_PROBLEM_FIELDS = 20;

const ADDRESS_REFUSED = "urn:turnpike:error:address-refused";
const ALLOW_PRIVATE = "the service reads private and loopback addresses only if it was started with --allow-private";

/** Prints the payment. Prints nothing if the response was free. */
export function sayPaid({ response, choice: requirements, receipt }: Paid): void {
  if (requirements !== undefined && receipt?.success === true)
    sayNote(`paid ${describeReceipt(requirements, receipt)}`);
  else if (requirements !== undefined && response.ok)
    say("no receipt: the server charged nothing, or does not say what it charged");
}

/** Adds the flag that would raise the limit to the error's message. */
export function withHint(error: unknown): unknown {
  if (error instanceof PriceTooHigh) return new Error(`${error.message}; raise it with --max-price`, { cause: error });
  if (!(error instanceof TotalTooHigh)) return error;
  return new Error(`${error.message}; raise it with --max-total`, { cause: error });
}

/** True for an error of fetch that means that the server could not be reached. */
export function isNetworkError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/**
 * A failed response in readable form: its detail, and each invalid field on a line of its own. Texts of the response cannot
 * begin a new line.
 */
export async function describeFailure({ response, receipt, isOpen }: Paid): Promise<string> {
  const body = await readJsonResponse(response).catch(() => undefined);
  const problem = isObject(body) ? body : {};
  const title = wordsOf(problem["title"]) || wordsOf(response.statusText);
  const detail = wordsOf(problem["detail"]) || wordsOf(receipt?.errorReason);
  const status = `${response.status} ${title}`.trim();
  const errors: unknown[] = Array.isArray(problem["errors"]) ? problem["errors"].slice(0, MAX_PROBLEM_FIELDS) : [];
  const fields = errors.filter(isObject).map(({ path, message }) => `  ${wordsOf(path)}: ${wordsOf(message)}`);
  const hint = problem["type"] === ADDRESS_REFUSED ? [ALLOW_PRIVATE] : [];
  const warning = isOpen ? ["the result of the payment is not known; another call pays again"] : [];
  return [detail === "" ? status : `${status}: ${detail}`, ...fields, ...hint, ...warning].join("\n");
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_PROBLEM_TEXT).replaceAll(/\s+/g, " ").trim() : "";
}
