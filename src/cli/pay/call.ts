import { commandName } from "../../lib/files/one-file.ts";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readResponse, readJsonResponse } from "../../lib/http/response-bytes.ts";
import { codeOf } from "../../lib/caught.ts";
import { type Paid, payAndFetch, PaymentOutcomeUnknown } from "../../payments/client/client.ts";
import { CALL_FLAGS, type CallRequest, parseCall } from "./call-arguments.ts";
import { OPERATIONS } from "./operations.ts";
import { isFailedBatch, render } from "./call-render.ts";
import { type Output, writeBinary, writeText } from "../common/call-output.ts";
import { refuseUnwritable } from "../common/output-file.ts";
import { atBoundary } from "../common/boundary.ts";
import { describeFailure, isNetworkError, sayPaid, unreachable, withHint } from "../common/paid-response.ts";
import { followJob } from "./jobs/follow-job.ts";
import { type KeptJob, KeptJobs, type OrderedJob, startedJobOf } from "./jobs/kept-jobs.ts";
import { refuseUsed } from "./jobs/result-sink.ts";
import { createPayer } from "./payer.ts";
import { type Progress, showProgress } from "../common/progress.ts";
import { writeStandard } from "../common/standard-output.ts";
import { say, sayNote } from "../common/terminal.ts";
import { flagsText } from "../common/flags.ts";

const USAGE = `usage: turnpike call OPERATION [URL or TEXT] [--set key=value ...] [--gateway URL]
                     [--out PATH] [--detach] [--json] [--max-price X] [--max-total X] [--max-deposit X] [--allow-asset TOKEN ...]
                     [--prefer METHOD ...] [--ca FILE]

  OPERATION: ${Object.keys(OPERATIONS).join(", ")}
             turnpike call OPERATION --help prints its parameters

${flagsText(CALL_FLAGS)}

Pays from the wallet in $TURNPIKE_HOME or ~/.turnpike; the receipt goes to standard error. Of several prices it pays
the cheapest. If $TURNPIKE_RPC_<chain id> names an RPC endpoint, it pays only where the wallet has enough money.
A crawl is a job, which goes on without the command: after Ctrl-C, "turnpike jobs resume ID" writes the rest of its results.
Pictures and PDFs go to --out or a pipe; on a terminal they are written to a new file.

Exit codes: 0 done; 1 refused or failed, also if every page of a batch failed; 2 wrong usage; 130 after Ctrl-C, while the
job goes on.

  turnpike call read example.com --max-price 0.01
  turnpike call crawl https://docs.example.com/ --set limit=200 --out docs
  turnpike call batch https://example.com/ https://example.org/ --set format=text
  turnpike call extract https://example.com/ --set selectors.title=h1 --set selectors.links=a@href
  turnpike call screenshot https://example.com/ --set full_page=true --out page.png`;

/** Milliseconds that a call may take, until its response is read. More than any operation takes; beyond it the call fails. */
const MAX_CALL_MS = 300_000;
/** Tries while the gateway is not ready, and the longest Retry-After in seconds that is waited for. */
const MAX_TRIES = 4;
const MAX_RETRY_AFTER_S = 10;

/** `turnpike call`: pays for an operation within `limitMs`. Returns 0 done, 1 refused or failed, 2 wrong usage. */
export async function call(args: readonly string[], limitMs = MAX_CALL_MS): Promise<number> {
  return await atBoundary(await usageFor(args), async () => {
    const request = parseCall(args);
    if (request.out !== undefined) (request.isJob ? refuseUsed : refuseUnwritable)(request.out);
    const done = await performWithin(limitMs, request);
    return typeof done === "number" ? done : await follow(request, done);
  });
}

/** The usage of the operation that the arguments ask about, or else of the command. */
async function usageFor(args: readonly string[]): Promise<string> {
  const [name = ""] = args;
  if (!Object.hasOwn(OPERATIONS, name) || !args.some((arg) => arg === "--help" || arg === "-h")) return USAGE;
  // It has the schemas of all operations, which take longer to load than the rest.
  const { operationHelp } = await import("./call-help.ts");
  return operationHelp(name, OPERATIONS[name]?.argument);
}

/** The exit code, or the job that the call has started. */
async function performWithin(limitMs: number, request: CallRequest): Promise<number | KeptJob> {
  const { gateway } = request;
  const signal = AbortSignal.timeout(limitMs);
  try {
    return await perform(request, signal);
  } catch (error) {
    if (!signal.aborted || error instanceof PaymentOutcomeUnknown) throw withHint(error);
    throw new Error(`Cannot get a response from ${gateway.origin} within ${limitMs / 1000} s`, { cause: error });
  }
}

function about({ name, parameters, gateway, out }: CallRequest) {
  const [first] = [parameters["urls"]].flat();
  const what = `${name} of ${typeof first === "string" ? first : "pages"}`;
  return { gateway: baseOf(gateway), what, ...(out === undefined ? {} : { out: resolve(out) }) };
}

async function follow({ json, detach, payer }: CallRequest, kept: KeptJob): Promise<number> {
  if (!detach) return await followJob(kept, payer.send, { goesOn: false, json });
  await writeStandard(`${json ? JSON.stringify(kept.job) : kept.job.id}\n`);
  return 0;
}

function baseOf({ href }: URL): string {
  return href.replace(/\/+$/, "");
}

async function perform(request: CallRequest, signal: AbortSignal): Promise<number | KeptJob> {
  const progress = showProgress(describe(request));
  const order = new PaidOrder(request);
  const paid = await sendUntilReady(order, progress, signal)
    .finally(() => progress.stop())
    .catch((error: unknown) => {
      if (error instanceof PaymentOutcomeUnknown) order.tell();
      throw error;
    });
  const { response } = paid;
  sayPaid(paid);
  if (response.ok ? response.status !== 202 : !paid.isOpen) order.forget();
  if (!response.ok) throw new Error((await describeFailure(paid)) + parametersHint(request, paid));
  const output: Output = { out: request.out, isTerminal: process.stdout.isTTY, say };
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
  if (type === "application/json") {
    const body = await readJsonResponse(response);
    if (response.status === 202) return order.started(body);
    const { text, notes } = render(request, body);
    await writeText(text, output);
    for (const note of notes) say(note);
    return isFailedBatch(request, body) ? 1 : 0;
  }
  if (type.startsWith("text/") || request.operation.file === undefined)
    await writeText(new TextDecoder().decode(await readResponse(response)), output);
  else await writeBinary(await readResponse(response), type, request.operation.file, output);
  return 0;
}

/** A request that is refused without a payment has wrong parameters. */
function parametersHint({ name }: CallRequest, { response, choice }: Paid): string {
  if (response.status !== 400 || choice !== undefined) return "";
  return `\n"${commandName()} call ${name} --help" lists the parameters`;
}

/** The paid request for a job. It is kept until the job is, so that the gateway can be asked for its response again. */
class PaidOrder {
  readonly request: CallRequest;
  readonly #jobs = new KeptJobs();
  #kept: OrderedJob | undefined;

  constructor(request: CallRequest) {
    this.request = request;
  }

  keep(url: string, headers: Headers, body: string): void {
    if (!this.request.isJob) return;
    const order = { url, headers: Object.fromEntries(headers), body };
    this.#kept = this.#jobs.keepOrder({ ...about(this.request), order });
  }

  started(body: unknown): KeptJob {
    const job = this.#jobs.keep({ ...about(this.request), job: startedJobOf(body) });
    this.forget();
    return job;
  }

  tell(): void {
    if (this.#kept !== undefined)
      say(`the order is kept; send it again with: turnpike jobs resume ${this.#kept.order.id}`);
  }

  forget(): void {
    if (this.#kept !== undefined) this.#jobs.forget(this.#kept);
    this.#kept = undefined;
  }
}

function describe({ name, parameters }: CallRequest): string {
  const { urls } = parameters;
  return Array.isArray(urls) ? `${name} of ${urls.length} pages` : name;
}

/** Sends the call again while the gateway is not ready. `payAndFetch` repeats a call with a payment. */
async function sendUntilReady(order: PaidOrder, progress: Progress, signal: AbortSignal): Promise<Paid> {
  for (let tries = 1; ; tries += 1) {
    const paid = await send(order, progress, signal);
    const { response, choice: requirements } = paid;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    const isBusy = response.status === 503 && seconds <= MAX_RETRY_AFTER_S && requirements === undefined;
    if (!isBusy || tries >= MAX_TRIES) return paid;
    await response.body?.cancel();
    progress.clear();
    sayNote(`${order.request.gateway.host} is not ready; the call is made again in ${seconds} s`);
    await sleep(seconds * 1000, undefined, { signal });
  }
}

async function send(order: PaidOrder, progress: Progress, signal: AbortSignal): Promise<Paid> {
  const { gateway, name, operation, parameters, payer: settings } = order.request;
  const url = `${baseOf(gateway)}${operation.path ?? `/${name}`}`;
  const body = JSON.stringify(parameters);
  const init: RequestInit =
    operation.method === "GET"
      ? { signal }
      : { signal, method: "POST", headers: { "content-type": "application/json" }, body };
  const told = (line: string): void => {
    progress.clear();
    say(line);
  };
  try {
    const payer = createPayer(settings, told, (headers) => order.keep(url, headers, body));
    return await payAndFetch(url, init, payer);
  } catch (error) {
    if (codeOf(error) === "ECONNREFUSED") {
      const hint = `start a gateway with "${commandName()} start", or name another with --gateway`;
      throw new Error(`Cannot reach ${gateway.origin}: nothing listens there; ${hint}`, { cause: error });
    }
    if (!isNetworkError(error)) throw error;
    throw unreachable(error, gateway);
  }
}
