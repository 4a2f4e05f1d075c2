import { refusalWords } from "./refusal-words.ts";
import { type ErrorCode, TurnpikeError, toProblem } from "../../../../lib/errors.ts";
import { fieldLine, type Fields, fieldValue } from "../../../../lib/http/fields.ts";
import { type BlockhashUrl } from "../../../../payments/browser/pay-script.ts";
import { chargeRequest, isChargeable } from "../../../../payments/mpp/evm-charge.ts";
import { type PaymentProblem, paymentProblem, type Problem, problemOf } from "../../../../payments/mpp/problems.ts";
import { findAsset } from "../../../../payments/x402/assets.ts";
import { encodeHeader, MAX_HEADER_LENGTH } from "../../../../payments/x402/header.ts";
import {
  PAYMENT_REQUIRED,
  type PaymentRequired,
  type PaymentRequirements,
} from "../../../../payments/x402/messages.ts";
import { meterSchema, unitsTitle } from "../../../../payments/x402/meter.ts";
import { networkTitle } from "../../../../payments/x402/networks.ts";
import { formatAmount } from "../../../../payments/x402/price.ts";
import { type Reason } from "../../../../payments/x402/reasons.ts";
import { STOCK_CLIENTS } from "../../../../payments/x402/stock-client.ts";
import { agrees, type TermsError } from "../../../../payments/x402/terms.ts";
import { v1Accepts } from "../../../../payments/x402/v1.ts";
import { type Exchange, type RequestHead } from "../../../exchange/exchange.ts";
import { type CreditError } from "../../../../payments/credit/credit-error.ts";
import { requiresIdentifier } from "../protocol/payment-identifier.ts";
import { type TermsSigner } from "../protocol/signed-terms.ts";
import { respondHtml, respondJson, respondProblem } from "../protocol/respond.ts";
import { type MppError, type OfferedCharge, type PaymentAuth } from "../mpp/payment-auth.ts";
import { ID_MARK, marked, PreparedHeader, PreparedJson } from "./challenge-text.ts";
import { paymentPage } from "./payment-page.ts";
import { requestedUrls, type ResourceLocation } from "./resource-url.ts";

export type ChallengeError = typeof UNPAID | TermsError | Reason | CreditError | MppError;

interface Prepared {
  readonly error: TurnpikeError;
  readonly header: PreparedHeader;
  readonly body: PreparedJson;
}

/** The parts of a challenge that are not payment requirements. */
export interface ChallengeOptions {
  readonly location: ResourceLocation;
  readonly testMode: boolean;
  readonly signer?: Pick<TermsSigner, "offering"> | undefined;
  readonly auth?: PaymentAuth | undefined;
  readonly blockhashUrl?: BlockhashUrl | undefined;
}

/** A challenge that contains the requested URL, as JSON. Nothing else in it depends on the request. */
interface Named {
  readonly url: string;
  readonly json: string;
}

interface Charged extends OfferedCharge {
  readonly requirements: PaymentRequirements;
}

/** Challenges of the `Payment` scheme in one response: each takes 700 bytes of its head. */
const MAX_CHARGES = 4;

/** The errors about a payment that the `Payment` scheme has a problem type for. */
const MPP_PROBLEMS: ReadonlyMap<ErrorCode, PaymentProblem> = new Map([
  ["payment-conflict", "invalid-challenge"],
  ["payment-required", "verification-failed"],
]);

const UNPAID = "Payment required";
/** The payer has not allowed Permit2 to move the token. A new signature would not help, so it has its own status. */
const ALLOWANCE_MISSING = "permit2_allowance_required";
/** Browsers and programs get different bodies. */
const VARY = fieldLine("Vary", "Accept, User-Agent");

/** The 402 of a route, encoded once for each error. For each unpaid request, only the URL and the id are filled in. */
export class Challenge {
  /** The challenge of the catalogue, with the route's own URL. */
  readonly required: PaymentRequired;
  readonly #options: ChallengeOptions;
  #title: string | undefined;
  #charges: readonly Charged[] | undefined;
  readonly #prepared = new Map<ChallengeError, Prepared>();

  constructor(required: PaymentRequired, options: ChallengeOptions) {
    this.required = required;
    this.#options = options;
  }

  get #price(): string {
    return (this.#title ??= this.required.accepts.map(priceTitle).join(", or "));
  }

  /** Throws if the challenge is too long for a header. */
  check(): void {
    const { required } = this;
    const { header } = this.#prepare(UNPAID);
    const length = header.lengthWith(Buffer.byteLength(JSON.stringify(required.resource.url)));
    if (length > MAX_HEADER_LENGTH) {
      throw new Error(
        `Cannot accept payments: the challenge has ${length} characters, and a header field can have ${MAX_HEADER_LENGTH}`,
      );
    }
  }

  /** Responds with the payment requirements and the reason: a page for a browser, JSON otherwise. */
  respond(exchange: Exchange, error: ChallengeError): void {
    const { error: told, header, body } = this.#preparedFor(error);
    const named = this.#name(exchange.head, header);
    const fields = fieldLine(PAYMENT_REQUIRED, this.#headerFor(named, header, error)) + this.#auth(exchange) + VARY;
    if (exchange.paymentCredential !== undefined && error !== UNPAID) {
      respondProblem(exchange, paymentProblem(problemOf(error), detailOf(error, this.#price)), fields);
      return;
    }
    if (error === UNPAID && wantsPage(exchange)) {
      const { testMode, blockhashUrl } = this.#options;
      const content = { required: this.#naming(named.url), price: this.#price, testMode, blockhashUrl };
      const page = paymentPage(content, exchange.head);
      respondHtml(exchange, told.status, page.html, fields + page.fields);
      return;
    }
    respondJson(exchange, told, body.write(named.json, exchange.id), fields);
  }

  /** As `respond`, and the requirements in `corrected` come first, in place of those that they are for. */
  respondCorrected(exchange: Exchange, error: Reason, corrected: PaymentRequirements): void {
    const { error: told, header } = this.#preparedFor(error);
    const others = this.required.accepts.filter((own) => !agrees(corrected, own));
    const required = { ...this.#naming(this.#name(exchange.head, header).url), accepts: [corrected, ...others], error };
    const problem = toProblem(new TurnpikeError("payment-required", detailOf(error, this.#price)), exchange.id);
    const json = JSON.stringify({ ...problem, ...this.#terms(required, error) });
    respondJson(exchange, told, json, fieldLine(PAYMENT_REQUIRED, encodeHeader(required)));
  }

  /** Responds with an error about the payment that was sent, and with the payment requirements for another payment. */
  respondError(exchange: Exchange, error: TurnpikeError, { reason = "", fields = "" } = {}): void {
    const problem = exchange.paymentCredential === undefined ? undefined : MPP_PROBLEMS.get(error.code);
    if (problem !== undefined) {
      this.respondProblem(exchange, paymentProblem(problem, error.message));
      return;
    }
    const { header } = this.#preparedFor(UNPAID);
    const named = this.#name(exchange.head, header);
    const terms = this.#terms({ ...this.#naming(named.url), error: UNPAID }, reason || error.message);
    const json = JSON.stringify({ ...toProblem(error, exchange.id), ...terms });
    respondJson(
      exchange,
      error,
      json,
      fieldLine(PAYMENT_REQUIRED, this.#headerFor(named, header, UNPAID)) + this.#auth(exchange) + fields,
    );
  }

  /** Responds with a problem of the `Payment` scheme, and with the payment requirements for another payment. */
  respondProblem(exchange: Exchange, problem: Problem): void {
    const { header } = this.#preparedFor(UNPAID);
    const required = this.#headerFor(this.#name(exchange.head, header), header, UNPAID);
    respondProblem(exchange, problem, fieldLine(PAYMENT_REQUIRED, required) + this.#auth(exchange));
  }

  /** The requirements that a challenge of the `Payment` scheme with this `request` is for. */
  chargedBy(request: string): PaymentRequirements | undefined {
    return this.#charged.find((charge) => charge.request === request)?.requirements;
  }

  /** The requirements that the `Payment` scheme offers too. */
  get charges(): readonly PaymentRequirements[] {
    return this.#options.auth === undefined ? [] : this.#charged.map(({ requirements }) => requirements);
  }

  get #charged(): readonly Charged[] {
    return (this.#charges ??= this.required.accepts
      .filter(isChargeable)
      .slice(0, MAX_CHARGES)
      .map((requirements) => ({
        request: chargeRequest(requirements),
        maxTimeoutSeconds: requirements.maxTimeoutSeconds,
        requirements,
      })));
  }

  #auth(exchange: Exchange): Fields {
    return this.#options.auth?.challengesFor(exchange, this.#charged) ?? "";
  }

  /** True if a payment for `url` is valid here: it is the request's URL, or the route's as in the catalogue. */
  isFor(url: string, head: RequestHead): boolean {
    if (url === this.required.resource.url) return true;
    return requestedUrls(this.#options.location, head).includes(url);
  }

  /** The URL of the resource that a request asks for. */
  urlOf(head: RequestHead): string {
    return this.#name(head, this.#preparedFor(UNPAID).header).url;
  }

  /** With signed offers, if there is room for them. */
  #headerFor({ url, json }: Named, header: PreparedHeader, error: ChallengeError): string {
    const signed = this.#options.signer?.offering({ ...this.#naming(url), error });
    const whole = signed === undefined ? "" : encodeHeader(signed);
    return whole === "" || whole.length > MAX_HEADER_LENGTH ? header.write(json) : whole;
  }

  #name(head: RequestHead, header: PreparedHeader): Named {
    for (const url of requestedUrls(this.#options.location, head)) {
      const json = JSON.stringify(url);
      if (header.lengthWith(json.length) <= MAX_HEADER_LENGTH) return { url, json };
    }
    const { url } = this.required.resource;
    return { url, json: JSON.stringify(url) };
  }

  #naming(url: string): PaymentRequired {
    return { ...this.required, resource: { ...this.required.resource, url } };
  }

  #preparedFor(error: ChallengeError): Prepared {
    return this.#prepared.get(error) ?? this.#prepare(error);
  }

  #prepare(error: ChallengeError): Prepared {
    const code = error === ALLOWANCE_MISSING ? "precondition-failed" : "payment-required";
    const required = { ...marked(this.required), error };
    const detail = detailOf(error, this.#price) + (this.#options.testMode ? " Test mode: no money moves." : "");
    const told = new TurnpikeError(code, detail);
    const body = new PreparedJson({ ...toProblem(told, ID_MARK), ...this.#terms(required, error) });
    const prepared = { error: told, header: new PreparedHeader(required), body };
    this.#prepared.set(error, prepared);
    return prepared;
  }

  /** Clients of version 1 read only the body. If they cannot pay, the body is the same as the header. */
  #terms(required: PaymentRequired, error: string): object {
    // Version 1 has no field for a payment id.
    const accepts = requiresIdentifier(required.extensions) ? [] : v1Accepts(required);
    const forV1 = accepts.length === 0 ? { ...required, error } : { x402Version: 1, error, accepts };
    return { ...forV1, paymentRequired: required };
  }
}

function detailOf(error: ChallengeError, price: string): string {
  if (error === UNPAID) return `This costs ${price}. Pay with an x402 client, such as ${STOCK_CLIENTS}.`;
  if (error === ALLOWANCE_MISSING) {
    return `The payment was refused: the payer has not approved Permit2 to move the token. This costs ${price}.`;
  }
  return `The payment was refused: ${refusalWords(error)}. This costs ${price}.`;
}

/** The price in one set of payment requirements, for people: `0.01 USDC on Base (eip155:8453)`. */
function priceTitle({ scheme, amount, asset, network, extra }: PaymentRequirements): string {
  const known = findAsset(network, asset);
  const most = scheme === "upto" ? "up to " : "";
  const meter = meterSchema.safeParse(extra["meter"]).data;
  const end = `on ${networkTitle(network)}${meter === undefined ? "" : ` for ${unitsTitle(meter)}`}`;
  if (known === undefined) return `${most}${amount} units of ${asset} ${end}`;
  return `${most}${formatAmount(amount, known.decimals)} ${known.symbol} ${end}`;
}

/** True for a person with a browser. Programs that send a browser's name must ask for HTML too. */
function wantsPage({ head }: Exchange): boolean {
  const accept = fieldValue(head.fields, "accept");
  if (accept === undefined || !accept.includes("text/html")) return false;
  return fieldValue(head.fields, "user-agent")?.startsWith("Mozilla/") === true;
}
