import { type z } from "zod";
import { isAddress } from "../x402/address.ts";
import { httpChannels } from "./channel-calls.ts";
import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import { FacilitatorBreaker } from "./circuit-breaker.ts";
import { type Facilitator, type Outcome, type Settlement, type Verification, type Kind } from "../x402/facilitator.ts";
import {
  type CallResponse,
  type Call,
  type CallOptions,
  createCall,
  type CallError,
  type Request,
} from "./facilitator-call.ts";
import {
  FIND_EXTENSION,
  findResponseSchema,
  PARTIAL,
  readKinds,
  SIMULATED,
  supportedSchema,
} from "./facilitator-messages.ts";
import { GAS_APPROVAL } from "../signatures/gas-approval.ts";
import { GAS_PERMIT } from "../signatures/gas-permit.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import {
  type PaymentPayload,
  type PaymentRequirements,
  settleResponseSchema,
  verifyResponseSchema,
} from "../x402/messages.ts";
import { isDefinite, toReason } from "../x402/reasons.ts";
import { isForeign, isSolana } from "../x402/networks.ts";
import { payerIn } from "../x402/payment-key.ts";
import { fromBase58 } from "../solana/base58.ts";

const EVM_TRANSACTION = /^0x[0-9a-fA-F]{64}$/;
/** Bytes of a signature, by which Solana names a transaction. */
const SOLANA_TRANSACTION_BYTES = 64;
/** The name of an account or of a transaction on a network that this program does not know. */
const FOREIGN_NAME = /^[!-~]{1,128}$/;
/** Statuses of a proxy whose backend is away. A 500 is the facilitator's own, perhaps for one payment. */
const DOWN = new Set([502, 503, 504]);
const TOO_MANY_REQUESTS = 429;

export interface HttpFacilitatorOptions extends CallOptions {
  /** Timeout of each call, in milliseconds. */
  readonly timeoutMs: number;
  /** Timeout of a settlement, in milliseconds, if it is longer. */
  readonly settleTimeoutMs?: number;
  /** True if it is a part of this program, whose word counts that it has sent nothing. */
  readonly isOwn?: boolean;
  /** Called when the circuit breaker opens and closes. */
  readonly onBreaker?: (isOpen: boolean) => void;
}

interface Ask<T> extends Omit<Request, "body" | "timeoutMs"> {
  readonly schema: z.ZodType<T>;
  readonly payment?: object;
  readonly requirements?: object;
}

interface Said<T> {
  readonly status: number;
  readonly data: T;
}

const OPEN: CallError = { error: "unavailable", isDown: true, cause: "its circuit breaker is open" };

/**
 * A facilitator over HTTP. After some failures in a row, it gets no calls for a while, except settlements: money may
 * have moved, and only this facilitator knows.
 */
export class HttpFacilitator implements Facilitator {
  readonly #options: HttpFacilitatorOptions;
  readonly #call: Call;
  readonly #breaker: FacilitatorBreaker;
  /** Undefined until the facilitator has listed its extensions. */
  #canFind: boolean | undefined;
  #isClosed = false;
  readonly channels: ChannelFacilitator;

  constructor(options: HttpFacilitatorOptions) {
    this.#options = options;
    this.#call = createCall(options);
    this.channels = httpChannels((call) => this.#ask(call), options.isOwn === true);
    this.#breaker = new FacilitatorBreaker({
      now: () => performance.now(),
      onChange: (isOpen) => {
        if (!this.#isClosed) options.onBreaker?.(isOpen);
      },
    });
  }

  async supported(): Promise<readonly Kind[]> {
    const said = await this.#ask({ path: "/supported", schema: supportedSchema, mayRepeat: true });
    if (isCallError(said)) throw new UnsupportedError(said.cause);
    if (said.status >= 400) throw new UnsupportedError(`it responded with ${said.status}`);
    this.#canFind = said.data.extensions.includes(FIND_EXTENSION);
    const sponsoring = [GAS_PERMIT, GAS_APPROVAL].filter((name) => said.data.extensions.includes(name));
    const shared = {
      ...(sponsoring.length === 0 ? {} : { sponsoring }),
      ...(said.data[SIMULATED] === true ? { isSimulated: true as const } : {}),
    };
    const kinds = readKinds(said.data.kinds, said.data.signers).map((kind) => ({ ...kind, ...shared }));
    if (said.data[PARTIAL] === true) throw new UnsupportedError("it cannot query one of its chains", kinds);
    return kinds;
  }

  async verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification> {
    const call = { path: "/verify", schema: verifyResponseSchema, payment, requirements, mayRepeat: true } as const;
    const said = await this.#ask(call);
    if (isCallError(said)) return { kind: said.error, cause: said.cause };
    const { status, data } = said;
    if (data.isValid && status < 400) return { kind: "valid", payer: payerOf(data.payer, payment) };
    const reason = toReason(data.invalidReason);
    // A facilitator with an internal error has not judged the payment, unless it names a reason for the refusal.
    const isVerdict = !data.isValid && (status < 500 || reason !== "payment_refused");
    if (isVerdict) return { kind: "refused", reason };
    return { kind: status < 500 ? "failed" : "unavailable", cause: `it responded with ${status}` };
  }

  async settle(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    const call = { path: "/settle", schema: settleResponseSchema, payment, requirements, mayRepeat: false } as const;
    const said = await this.#ask(call);
    if (isCallError(said)) {
      const { cause, isUnsent } = said;
      return { kind: "unknown", cause, transaction: "", isUnsent };
    }
    const settlement = settlementOf(said, payment, requirements);
    const isUnsent = this.#options.isOwn === true && said.data.extra?.unsent === true;
    return settlement.kind === "unknown" && isUnsent ? { ...settlement, isUnsent } : settlement;
  }

  async find(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Outcome> {
    if (this.#canFind === undefined) await this.supported().catch(() => []);
    if (this.#canFind !== true) return { kind: "unknown", cause: "no chain is configured" };
    const call = { path: "/find", schema: findResponseSchema, payment, requirements, mayRepeat: true } as const;
    const said = await this.#ask(call);
    if (isCallError(said)) return { kind: "unknown", cause: said.cause };
    const { outcome, transaction = "", payer } = said.data;
    if (said.status >= 400) return { kind: "unknown", cause: `it responded with ${said.status}` };
    if (outcome === "unspent" || outcome === "void") return { kind: outcome };
    if (outcome === "unknown" || !isTransaction(transaction, requirements)) {
      return { kind: "unknown", cause: "it does not know the result" };
    }
    return { kind: "settled", transaction, payer: payerOf(payer, payment) };
  }

  /** Calls in progress continue. fetch closes its connections by itself. */
  async close(): Promise<void> {
    if (this.#breaker.isOpen && !this.#isClosed) this.#options.onBreaker?.(false);
    this.#isClosed = true;
  }

  async #ask<T>({ schema, payment, requirements, path, mayRepeat }: Ask<T>): Promise<Said<T> | CallError> {
    const { timeoutMs, settleTimeoutMs = timeoutMs } = this.#options;
    const isSettlement = path === "/settle";
    // /supported is called rarely, and not for clients. It is the first call to find out that the facilitator is
    // available again.
    if (!isSettlement && path !== "/supported" && !this.#breaker.admits()) return OPEN;
    const response = await this.#call({
      path,
      mayRepeat,
      timeoutMs: isSettlement ? settleTimeoutMs : timeoutMs,
      ...(payment === undefined
        ? {}
        : { body: { x402Version: 2, paymentPayload: payment, paymentRequirements: requirements } }),
    });
    if ("error" in response && !response.isDown) return response;
    const read = readResponse(response, schema, path);
    if (isCallError(read) && read.isDown) this.#breaker.failed();
    else this.#breaker.succeeded();
    return read;
  }
}

function readResponse<T>(response: CallResponse | CallError, schema: z.ZodType<T>, path: string): Said<T> | CallError {
  if ("error" in response) return response;
  const { status, json } = response;
  const parsed = schema.safeParse(json);
  if (parsed.success && (status < 300 || status >= 400)) return { status, data: parsed.data };
  const isDown = DOWN.has(status);
  const cause = `it responded with ${status}`;
  if (status >= 500 || status === TOO_MANY_REQUESTS) return { error: "unavailable", isDown, cause };
  if (status >= 300) return { error: "failed", isDown, cause };
  return { error: "failed", isDown, cause: `its response (${status}) to ${path} is invalid` };
}

type SettleReply = z.infer<typeof settleResponseSchema>;

function settlementOf(
  { status, data }: Said<SettleReply>,
  payment: PaymentPayload,
  requirements: PaymentRequirements,
): Settlement {
  const said = data.transaction ?? "";
  const transaction = isTransaction(said, requirements) ? said : "";
  if (!data.success) {
    const reason = toReason(data.errorReason);
    if (isDefinite(reason, transaction) || data.extra?.definite === true) return { kind: "refused", reason };
    return { kind: "unknown", cause: "it left the outcome open", transaction };
  }
  if (status >= 400) return { kind: "unknown", cause: `it reports success with status ${status}`, transaction };
  // Under `upto` a charge of 0 has no transaction.
  const isFree = requirements.scheme === "upto" && requirements.amount === "0";
  if ((transaction === "" && !isFree) || data.network !== requirements.network) {
    return { kind: "unknown", cause: "its receipt is for no transaction on this network", transaction };
  }
  return { kind: "settled", transaction, payer: payerOf(data.payer, payment) };
}

function isCallError(response: object): response is CallError {
  return "error" in response;
}

function isTransaction(text: string, { network }: PaymentRequirements): boolean {
  if (isSolana(network)) return fromBase58(text, SOLANA_TRANSACTION_BYTES) !== undefined;
  return (isForeign(network) ? FOREIGN_NAME : EVM_TRANSACTION).test(text);
}

/** A contract may pay for a signer on an EVM chain. On Solana the transaction itself says who pays. */
function payerOf(said: string | null | undefined, payment: PaymentPayload): string {
  const { network } = payment.accepted;
  const isKnown = said && (isForeign(network) ? FOREIGN_NAME.test(said) : isAddress(said) && !isSolana(network));
  return isKnown ? said : payerIn(payment);
}
