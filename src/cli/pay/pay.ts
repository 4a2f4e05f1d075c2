import { open } from "node:fs/promises";
import { codeOf } from "../../lib/caught.ts";
import { readResponse } from "../../lib/http/response-bytes.ts";
import { formatDollars } from "../../payments/client/choice.ts";
import { type Paid, payAndFetch, PaymentOutcomeUnknown } from "../../payments/client/client.ts";
import { atBoundary } from "../common/boundary.ts";
import { type Output, writeBinary, writeText } from "../common/call-output.ts";
import { cannotWrite, refuseUnwritable } from "../common/output-file.ts";
import { describeFailure, isNetworkError, sayPaid, unreachable, withHint } from "../common/paid-response.ts";
import { bodyOf, parsePay, PAY_FLAGS, type PayRequest, typeOf } from "./pay-arguments.ts";
import { createPayer } from "./payer.ts";
import { showProgress } from "../common/progress.ts";
import { writeStandard } from "../common/standard-output.ts";
import { say } from "../common/terminal.ts";
import { flagsText } from "../common/flags.ts";

const USAGE = `usage: turnpike pay [METHOD] URL [-d BODY] [-H "NAME: VALUE" ...] [--out FILE]
                    [--max-price X] [--max-total X] [--max-deposit X] [--allow-asset TOKEN ...] [--prefer METHOD ...]
                    [--ca FILE]

Sends a request to any server, pays its price by x402 (version 2 or 1), and prints the response.

  METHOD: GET, or POST with -d

${flagsText(PAY_FLAGS)}

Pays from the wallet in $TURNPIKE_HOME or ~/.turnpike, which is made on first use; the receipt goes to standard error.

  turnpike pay api.example.com/reports/1
  turnpike pay POST https://api.example.com/read -d '{"url": "https://example.com/"}' --max-price 0.01`;

/** Milliseconds until a response begins; beyond them the command fails. The body has no time limit. */
const MAX_WAIT_MS = 300_000;
const TEXT = /^text\/|[/+](?:json|xml|javascript|x-ndjson|yaml)$/;

/** `turnpike pay`: pays for any URL, prints the response. Returns 0 done, 1 refused or failed, 2 wrong usage. */
export function pay(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const request = parsePay(args);
    if (request.out !== undefined) refuseUnwritable(request.out);
    await perform(request);
    return 0;
  });
}

async function perform(request: PayRequest): Promise<void> {
  const progress = showProgress(`${request.method} ${request.url.host}`);
  const paid = await send(request, (line) => {
    progress.clear();
    say(line);
  }).finally(() => progress.stop());
  sayPaid(paid);
  if (!paid.response.ok) throw new Error(await describeFailure(paid));
  try {
    await print(paid.response, request);
  } finally {
    const further = paid.further?.() ?? 0n;
    if (further > 0n) say(`paid at most ${formatDollars(further)} further for the rest of the response`);
  }
}

async function send({ url, method, headers, data, payer }: PayRequest, tell: typeof say): Promise<Paid> {
  const body = data === undefined ? undefined : await bodyOf(data);
  if (body !== undefined && !headers.has("content-type")) headers.set("content-type", typeOf(body));
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), MAX_WAIT_MS);
  const init: RequestInit = { method, headers, signal: abort.signal, ...(body === undefined ? {} : { body }) };
  try {
    return await payAndFetch(url.href, init, createPayer(payer, tell));
  } catch (error) {
    if (error instanceof PaymentOutcomeUnknown) throw error;
    if (abort.signal.aborted) {
      throw new Error(`Cannot get a response from ${url.origin} within ${MAX_WAIT_MS / 1000} s`, { cause: error });
    }
    if (isNetworkError(error)) throw unreachable(error, url);
    throw withHint(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Streams the body to a file or a pipe. On a terminal it prints only text. */
async function print(response: Response, { out, url }: PayRequest): Promise<void> {
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const output: Output = { out, isTerminal: process.stdout.isTTY, say };
  try {
    if (out !== undefined) {
      await using file = await open(out, "w");
      await copy(response, `"${out}"`, (chunk) => file.writeFile(chunk));
      say(`wrote ${out}`);
    } else if (!output.isTerminal) {
      await copy(response, "standard output", writeStandard);
    } else if (type === "" || TEXT.test(type)) {
      await writeText(new TextDecoder().decode(await readResponse(response)), output);
    } else {
      await writeBinary(await readResponse(response), type, fileName(url), output);
    }
  } catch (error) {
    if (!isNetworkError(error)) throw error;
    throw new Error(`Cannot read the response of ${url.origin} to its end: ${error.message}`, { cause: error });
  }
}

/** Writes each chunk of the body. Throws an error without a code, which names `place`, if it cannot be written. */
async function copy({ body }: Response, place: string, write: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  for await (const chunk of body ?? []) {
    try {
      await write(chunk);
    } catch (error) {
      // The reader of the pipe has closed it, as `head` does.
      if (codeOf(error) === "EPIPE") return;
      throw cannotWrite(place, error);
    }
  }
}

/** The last part of the path as a file name without extension, if it has only letters, digits, `_` and `-`. */
function fileName({ pathname }: URL): string {
  return /([\w-]{1,100})(?:\.\w+)?$/.exec(pathname)?.[1] ?? "response";
}
