import { codeOf } from "../../lib/caught.ts";
import { failureText } from "../../lib/http/response-bytes.ts";
import { isObject } from "../../lib/is-object.ts";
import { dollarsOf, formatDollars } from "../../payments/client/choice.ts";
import { describeReceipt, type Paid, PriceTooHigh } from "../../payments/client/client.ts";
import { TotalTooHigh } from "../../payments/client/spending.ts";
import { networkError } from "./network-error.ts";
import { membersOf, wordsOf } from "./problem-text.ts";
import { say, sayNote } from "./terminal.ts";

/** Fields of a problem that are shown. The rest is left out. */
const MAX_PROBLEM_FIELDS = 20;

const ADDRESS_REFUSED = "urn:turnpike:error:address-refused";
const ALLOW_PRIVATE = "the service reads private and loopback addresses only if it was started with --allow-private";

/** Prints the payment. Prints nothing if the response was free. */
export function sayPaid({ response, choice: requirements, receipt }: Paid): void {
  if (requirements !== undefined && receipt?.success === true)
    sayNote(`paid ${describeReceipt(requirements, receipt)}`);
  else if (requirements !== undefined && response.status === 202)
    sayNote(`authorized at most ${formatDollars(dollarsOf(requirements))}, for what the job delivers`);
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

/** The error of a command that could not reach the server of `url`. */
export function unreachable(error: Error, url: URL): Error {
  const why = networkError(codeOf(error), url) ?? error.message;
  return new Error(`Cannot reach ${url.origin}: ${why}`, { cause: error });
}

/**
 * A failed response in readable form: its detail and each invalid field on a line of its own, or its body, and whether it was
 * charged. Texts of the response cannot begin a new line.
 */
export async function describeFailure({ response, receipt, isOpen, isFree }: Paid): Promise<string> {
  const text = await failureText(response);
  const problem = membersOf(text);
  const title = wordsOf(problem["title"]) || wordsOf(response.statusText);
  const body = "title" in problem ? "" : wordsOf(text);
  const detail = wordsOf(problem["detail"]) || wordsOf(receipt?.errorReason) || body;
  const status = `${response.status} ${title}`.trim();
  const errors: unknown[] = Array.isArray(problem["errors"]) ? problem["errors"].slice(0, MAX_PROBLEM_FIELDS) : [];
  const all = errors.filter(isObject).map(({ path, message }) => ({ path: wordsOf(path), message: wordsOf(message) }));
  const isSaid = all.length === 1 && all.every(({ message }) => message !== "" && detail.includes(message));
  const fields = isSaid ? [] : all.map(({ path, message }) => `  ${path === "" ? "" : `${path}: `}${message}`);
  const hint = problem["type"] === ADDRESS_REFUSED ? [ALLOW_PRIVATE] : [];
  const warning = isOpen ? ["the result of the payment is not known; another call pays again"] : [];
  const free = isFree ? ["not charged"] : [];
  return [detail === "" ? status : `${status}: ${detail}`, ...fields, ...hint, ...free, ...warning].join("\n");
}
