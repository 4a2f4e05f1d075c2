import { readAnswer, readJsonAnswer } from "../lib/answer-bytes.ts";
import { codeOf, messageOf } from "../lib/caught.ts";
import { describeReceipt, type Paid, payAndFetch, PaymentUnanswered, PriceTooHigh } from "../payments/client/client.ts";
import { TotalTooHigh } from "../payments/client/spending.ts";
import { type CallRequest, DEFAULT_GATEWAY, DEFAULT_MAX_PRICE, OPERATIONS, parseCall } from "./call-arguments.ts";
import { isRecord, render } from "./call-render.ts";
import { type Output, withoutControls, writeBinary, writeText } from "./call-output.ts";
import { createPayer } from "./payer.ts";
import { type Progress, showProgress } from "./progress.ts";
import { UsageError } from "./usage-error.ts";

const USAGE = `usage: turnpike call OPERATION [URL or TEXT] [--set key=value ...] [--gateway URL]
                     [--out FILE] [--json] [--max-price $X] [--max-total $X] [--allow-asset TOKEN ...]

  OPERATION     ${Object.keys(OPERATIONS).join(", ")}
  --set         a parameter; values are read as JSON where they can be, dots nest:
                --set format=text --set timeout=60 --set selectors.title=h1
  --gateway     where to send it (default $TURNPIKE_GATEWAY, else ${DEFAULT_GATEWAY})
  --out         write the result to this file
  --json        print the whole answer as JSON, not only what people read of it
  --max-price   the most that this may cost (default ${DEFAULT_MAX_PRICE})
  --max-total   the most that the wallet may pay in a day (UTC), over all calls (default $TURNPIKE_MAX_TOTAL, else no limit)
  --allow-asset a token to pay with that is not known, taken to be worth a dollar: NETWORK:ADDRESS:NAME:VERSION:DECIMALS

Pays by itself, from the wallet in $TURNPIKE_HOME or ~/.turnpike; the receipt goes to standard error. Of several prices it takes
the cheapest, where the wallet has money if $TURNPIKE_RPC_<chain id> names an endpoint to ask.
Pictures and PDFs go to --out or a pipe; on a terminal they get a file of their own.

  turnpike call batch https://example.com/ https://example.org/ --set format=text
  turnpike call extract https://example.com/ --set selectors.title=h1 --set selectors.links=a@href
  turnpike call screenshot https://example.com/ --set full_page=true --out page.png`;

/** Milliseconds that a call may take, its answer read: more than any operation does. */
const MAX_CALL_MS = 300_000;
/** Characters that are shown of each text of a problem, and fields that it names. */
const MAX_PROBLEM_TEXT = 2000;
const MAX_PROBLEM_FIELDS = 20;

/** A call that came to nothing: its message is what the user reads. */
class CallFailed extends Error {}

function say(line: string): void {
  // Titles, details and reasons come from the other side.
  console.error(process.stderr.isTTY ? withoutControls(line) : line);
}

/** `turnpike call`: pays for an operation and prints its result, within `limitMs` milliseconds. Returns the exit code: 0 done, 1 refused or failed, 2 usage. */
export async function call(args: readonly string[], limitMs = MAX_CALL_MS): Promise<number> {
  try {
    const request = parseCall(args);
    if (request === "help") console.log(USAGE);
    else await performWithin(limitMs, request);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      say(`turnpike call: ${error.message}\n\n${USAGE}`);
      return 2;
    }
    say(`turnpike call: ${messageOf(error)}${hintOn(error)}`);
    return 1;
  }
}

function hintOn(error: unknown): string {
  if (error instanceof PriceTooHigh) return "; raise it with --max-price";
  return error instanceof TotalTooHigh ? "; raise it with --max-total" : "";
}

async function performWithin(limitMs: number, request: CallRequest): Promise<void> {
  const gateway = gatewayUrl(request);
  const signal = AbortSignal.timeout(limitMs);
  try {
    await perform(request, gateway, signal);
  } catch (error) {
    if (!signal.aborted || error instanceof PaymentUnanswered) throw error;
    throw new CallFailed(`Cannot get an answer from ${gateway.origin} within ${limitMs / 1000} s`, { cause: error });
  }
}

async function perform(request: CallRequest, gateway: URL, signal: AbortSignal): Promise<void> {
  const progress = showProgress(describe(request));
  const paid = await send(gateway, request, progress, signal).finally(() => progress.stop());
  const { response, offer, receipt } = paid;
  if (offer !== undefined && receipt?.success === true) say(`paid ${describeReceipt(offer, receipt)}`);
  else if (offer !== undefined && response.ok) say("paid, but the gateway gave no receipt");
  if (!response.ok) throw new CallFailed(await describeFailure(paid));
  const output: Output = { out: request.out, isTerminal: process.stdout.isTTY, say };
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
  if (type === "application/json") {
    const { text, notes } = render(request, await readJsonAnswer(response));
    await writeText(text, output);
    for (const note of notes) say(note);
  } else if (type.startsWith("text/") || request.operation.file === undefined)
    await writeText(new TextDecoder().decode(await readAnswer(response)), output);
  else await writeBinary(await readAnswer(response), type, request.operation.file, output);
}

function gatewayUrl({ gateway }: CallRequest): URL {
  const text = gateway ?? (process.env["TURNPIKE_GATEWAY"] || DEFAULT_GATEWAY);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${text}" is no http or https URL`);
  return url;
}

/** What is under way, in the words of the progress line. */
function describe({ name, parameters }: CallRequest): string {
  const { urls } = parameters;
  return Array.isArray(urls) ? `${name} of ${urls.length} pages` : name;
}

async function send(gateway: URL, request: CallRequest, progress: Progress, signal: AbortSignal): Promise<Paid> {
  const { name, operation, parameters } = request;
  const url = `${gateway.href.replace(/\/+$/, "")}/${name}`;
  const init: RequestInit =
    operation.method === "GET"
      ? { signal }
      : { signal, method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(parameters) };
  try {
    const payer = createPayer(request.payer, (line) => {
      progress.clear();
      say(line);
    });
    return await payAndFetch(url, init, payer);
  } catch (error) {
    if (codeOf(error) === "ECONNREFUSED") {
      throw new CallFailed(`Cannot reach ${gateway.origin}: is the gateway running? npm start`, { cause: error });
    }
    if (!isNetworkError(error)) throw error;
    throw new CallFailed(`Cannot reach ${gateway.origin}: ${error.message}`, { cause: error });
  }
}

function isNetworkError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}

/** What a refusal says for people, with what is wrong where: each on a line of its own, which its words cannot end. */
async function describeFailure({ response, receipt, isOpen }: Paid): Promise<string> {
  const body = await readJsonAnswer(response).catch(() => undefined);
  const problem = isRecord(body) ? body : {};
  const title = wordsOf(problem["title"]) || wordsOf(response.statusText);
  const detail = wordsOf(problem["detail"]) || wordsOf(receipt?.errorReason);
  const status = `${response.status} ${title}`.trim();
  const errors: unknown[] = Array.isArray(problem["errors"]) ? problem["errors"].slice(0, MAX_PROBLEM_FIELDS) : [];
  const fields = errors.filter(isRecord).map(({ path, message }) => `  ${wordsOf(path)}: ${wordsOf(message)}`);
  const warning = isOpen ? ["what became of the payment is not known; another call is paid anew"] : [];
  return [detail === "" ? status : `${status}: ${detail}`, ...fields, ...warning].join("\n");
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_PROBLEM_TEXT).replaceAll(/\s+/g, " ").trim() : "";
}
