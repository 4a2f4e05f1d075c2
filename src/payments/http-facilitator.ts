import { type z } from "zod";
import { type Address, isAddress } from "./address.ts";
import { type Facilitator, type Kind, type Outcome, type Settlement, type Verification } from "./facilitator.ts";
import {
  type PaymentPayload,
  type PaymentRequirements,
  settleResponseSchema,
  supportedSchema,
  verifyResponseSchema,
} from "./messages.ts";
import { isDefinite, toReason } from "./reasons.ts";
import { transferOf } from "./transfer.ts";

/** Longest answer of a facilitator, in bytes; /supported of a large one has some 10 KB. */
const MAX_ANSWER_BYTES = 256 * 1024;
const TRANSACTION = /^0x[0-9a-fA-F]{64}$/;

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** `cause` is for the log: it names neither address nor content. */
interface Fault {
  readonly fault: "unavailable" | "failed";
  readonly cause: string;
}

/** Reads at most MAX_ANSWER_BYTES of a body; undefined where it is longer or no JSON. */
async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    const json: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return json;
  } catch {
    return undefined;
  }
}

type Ask = <T>(
  path: string,
  schema: z.ZodType<T>,
  body?: { payment: PaymentPayload; requirements: PaymentRequirements },
) => Promise<T | Fault>;

/** Calls to one facilitator: each gives what it answered, of the right shape, or why there is no such answer. */
function createAsk(url: string, timeoutMs: number): Ask {
  const base = url.replace(/\/+$/, "");

  async function call(path: string, body?: unknown): Promise<Answer | Fault> {
    try {
      const response = await fetch(base + path, {
        // A redirect would carry a spendable payment to wherever it points.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
        headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      const json = await readJson(response);
      if (response.status >= 500) return { fault: "unavailable", cause: `it answered ${response.status}` };
      if (response.status >= 300 && response.status < 400) {
        return { fault: "failed", cause: `it answered ${response.status}` };
      }
      return { status: response.status, json };
    } catch (error) {
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      return { fault: "unavailable", cause: timedOut ? `no answer within ${timeoutMs} ms` : "no connection" };
    }
  }

  return async function ask(path, schema, body) {
    const request =
      body === undefined
        ? undefined
        : { x402Version: 2, paymentPayload: body.payment, paymentRequirements: body.requirements };
    const answer = await call(path, request);
    if ("fault" in answer) return answer;
    const parsed = schema.safeParse(answer.json);
    if (!parsed.success) return { fault: "failed", cause: `its answer (${answer.status}) to ${path} makes no sense` };
    return parsed.data;
  };
}

/** A facilitator behind HTTP: `url` is the part before /verify and /settle; `timeoutMs` bounds each call. */
export function createHttpFacilitator(url: string, timeoutMs: number): Facilitator {
  const ask = createAsk(url, timeoutMs);

  return {
    async supported(): Promise<readonly Kind[]> {
      const answer = await ask("/supported", supportedSchema);
      if (isFault(answer)) throw new Error(`Cannot learn what the facilitator supports: ${answer.cause}`);
      return answer.kinds
        .filter((kind) => kind.x402Version === 2)
        .map(({ scheme, network, extra }) => ({ scheme, network, ...(extra === undefined ? {} : { extra }) }));
    },

    async verify(payment, requirements): Promise<Verification> {
      const answer = await ask("/verify", verifyResponseSchema, { payment, requirements });
      if (isFault(answer)) return { kind: answer.fault, cause: answer.cause };
      if (!answer.isValid) return { kind: "refused", reason: toReason(answer.invalidReason) };
      return { kind: "valid", payer: payerOf(answer.payer, payment, requirements) };
    },

    async settle(payment, requirements): Promise<Settlement> {
      const answer = await ask("/settle", settleResponseSchema, { payment, requirements });
      if (isFault(answer)) return { kind: "unknown", cause: answer.cause, transaction: "" };
      const said = answer.transaction ?? "";
      const transaction = TRANSACTION.test(said) ? said : "";
      if (!answer.success) {
        const reason = toReason(answer.errorReason);
        if (isDefinite(reason, transaction)) return { kind: "refused", reason };
        return { kind: "unknown", cause: "it left the outcome open", transaction };
      }
      if (transaction === "" || answer.network !== requirements.network) {
        return { kind: "unknown", cause: "its receipt is for no transaction on this network", transaction };
      }
      return { kind: "settled", transaction, payer: payerOf(answer.payer, payment, requirements) };
    },

    async find(): Promise<Outcome> {
      return { kind: "unknown", cause: "no chain to ask" };
    },

    async close() {
      // fetch keeps its own connections, and lets them go by itself.
    },
  };
}

function isFault(answer: object): answer is Fault {
  return "fault" in answer;
}

function payerOf(said: string | null | undefined, payment: PaymentPayload, requirements: PaymentRequirements): Address {
  if (said !== null && said !== undefined && isAddress(said)) return said;
  return transferOf(payment, requirements).from;
}
