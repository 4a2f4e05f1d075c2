import { createHash } from "node:crypto";
import { messageOf } from "../../../lib/caught.ts";
import { ERRORS } from "../../../lib/errors.ts";
import { fieldValues } from "../../../lib/fields.ts";
import { findAsset } from "../../../payments/assets.ts";
import { checkTerms } from "../../../payments/exact.ts";
import { type Facilitator } from "../../../payments/facilitator.ts";
import { decodeHeader, MAX_HEADER_LENGTH } from "../../../payments/header.ts";
import { type PaymentPayload, type PaymentRequirements, paymentPayloadSchema } from "../../../payments/messages.ts";
import { networkTitle } from "../../../payments/networks.ts";
import { paymentKey } from "../../../payments/payment-key.ts";
import { formatAmount } from "../../../payments/price.ts";
import { type ChallengeTemplate } from "../../../payments/template.ts";
import { compileTerms, findMismatch, type Terms } from "../../../payments/terms.ts";
import { transferOf } from "../../../payments/transfer.ts";
import { type Ledger, MAX_CUTS, type Payment, type Reservation } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange.ts";
import { hostOf } from "../../routing/table.ts";
import { type Decision, type Policy } from "../policy.ts";
import { type Answers } from "./answers.ts";
import { Attempt } from "./attempt.ts";
import { Challenge, type ChallengeError } from "./challenge.ts";
import { deliver } from "./deliver.ts";
import { isPreflight, PreflightResponse } from "./preflight.ts";
import { paymentError, respondError } from "./respond.ts";
import { withoutPayment } from "./response-fields.ts";
import { receiptOf, type Sale } from "./sale.ts";

/** `routes[].x402`, as far as the gate needs it. Empty strings are not set. */
export interface PaymentTerms extends Terms {
  readonly resource_url: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

export interface PaymentConfig {
  readonly path_prefix: string;
  readonly x402: PaymentTerms;
  readonly test_mode: boolean;
  /** What resource URLs start with, no slash at the end: `x402.public_url`, else the first listener's own. Never the Host. */
  readonly base_url: string;
  /** `x402.payment_required_b64`, decoded. */
  readonly template?: ChallengeTemplate;
}

export interface PaymentDeps {
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  /** One per process: it outlives the policies of a configuration. */
  readonly answers: Answers;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  /** What is sold, for people. */
  readonly description?: string;
}

/** When a client may ask again whose payment another request works on, in seconds. */
const IN_FLIGHT_RETRY_S = 1;
const NO_ROOM = "Too many paid answers wait for settlement; nothing was charged. Send the same payment again.";

/**
 * Lets a request through once it is paid for, and its answer out once the money has moved. Every request that it sees is
 * priced, but for CORS preflights: which routes are is the routing table's to say. Throws where the terms cannot be sold on.
 */
export function createPaymentPolicy(config: PaymentConfig, deps: PaymentDeps): Policy {
  const requirements = termsOf(config);
  const { extensions, resource_url } = config.x402;
  const { template = { resource: {}, extensions: {} } } = config;
  const allExtensions = { ...template.extensions, ...extensions };
  const challenge = new Challenge(
    {
      x402Version: 2,
      resource: {
        ...template.resource,
        url: resource_url || config.base_url + config.path_prefix,
        ...(deps.description === undefined ? {} : { description: deps.description }),
      },
      accepts: [requirements],
      ...(Object.keys(allExtensions).length === 0 ? {} : { extensions: allExtensions }),
    },
    priceTitle(requirements),
  );
  const { ledger, facilitator, answers, clock, log } = deps;
  const sale: Sale = {
    route: config.path_prefix,
    challenge,
    requirements,
    testMode: config.test_mode,
    ledger,
    facilitator,
    answers,
    clock,
    log,
  };

  return {
    name: "payment",
    request(exchange) {
      const { head } = exchange;
      const presented = fieldValues(head.fields, "payment-signature");
      head.fields = withoutPayment(head.fields);
      if (presented.length > 0) return takePayment(sale, exchange, presented);
      if (isPreflight(exchange)) {
        exchange.response = new PreflightResponse(exchange);
        return "continue";
      }
      challenge.respond(exchange, "Payment required");
      return "answered";
    },
    close() {
      // Ledger, facilitator and answers are the process's own.
    },
  };
}

function termsOf({ path_prefix, x402 }: PaymentConfig): PaymentRequirements {
  try {
    return compileTerms(x402);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`Cannot serve route "${path_prefix}": ${reason}`, { cause: error });
  }
}

function priceTitle({ amount, asset, network }: PaymentRequirements): string {
  const known = findAsset(network, asset);
  if (known === undefined) return `${amount} units of ${asset} on ${networkTitle(network)}`;
  return `${formatAmount(amount, known.decimals)} ${known.symbol} on ${networkTitle(network)}`;
}

async function takePayment(sale: Sale, exchange: Exchange, presented: readonly string[]): Promise<Decision> {
  const [header = ""] = presented;
  const payload = presented.length === 1 ? readPayload(header) : undefined;
  if (payload === undefined) {
    respondError(exchange, malformed(header));
    return "answered";
  }
  const reservation = reservationOf(sale, exchange, payload, header);
  const objection = objectionTo(sale, payload);
  // What was begun is finished, even where price or time have moved on: a new challenge would make the client pay twice.
  if (objection !== undefined && !(await isBegun(sale, reservation))) {
    sale.challenge.respond(exchange, objection);
    return "answered";
  }
  const { answers } = sale;
  if (!answers.admits() && !answers.has(reservation.fingerprint, sale.clock())) {
    respondError(exchange, paymentError("overloaded", NO_ROOM), IN_FLIGHT_RETRY_S);
    return "answered";
  }
  const { held, payment } = await sale.ledger.reserve(reservation);
  if (held) return new Attempt(sale, exchange, payload, payment).run();
  return answerTaken(sale, exchange, payment, reservation.fingerprint);
}

function readPayload(header: string): PaymentPayload | undefined {
  const parsed = paymentPayloadSchema.safeParse(decodeHeader(header));
  return parsed.success ? parsed.data : undefined;
}

function malformed(header: string): ReturnType<typeof paymentError> {
  const detail =
    header.length > MAX_HEADER_LENGTH
      ? `Cannot read the payment: the header exceeds ${MAX_HEADER_LENGTH} characters`
      : "Cannot read the payment: PAYMENT-SIGNATURE must be one base64 header with an x402 version 2 payment by EIP-3009";
  return paymentError("invalid-payment", detail);
}

function objectionTo(sale: Sale, payload: PaymentPayload): ChallengeError | undefined {
  return findMismatch(payload, sale.challenge.required) ?? checkTerms(payload, sale.requirements, sale.clock() / 1000);
}

async function isBegun(sale: Sale, reservation: Reservation): Promise<boolean> {
  const standing = await sale.ledger.find(reservation);
  if (standing === undefined || standing.fingerprint !== reservation.fingerprint) return false;
  return standing.state === "settling" || standing.state === "unknown" || standing.state === "settled";
}

function reservationOf(sale: Sale, exchange: Exchange, payload: PaymentPayload, header: string): Reservation {
  const { method, authority, path, query } = exchange.head;
  return {
    ...paymentKey(payload, sale.requirements),
    token: sale.requirements.asset.toLowerCase(),
    scheme: sale.requirements.scheme,
    amount: sale.requirements.amount,
    payTo: sale.requirements.payTo.toLowerCase(),
    route: sale.route,
    // With the host, by which routes are told apart, and without its port, which says nothing of what is sold.
    fingerprint: createHash("sha256")
      .update(`${header}\n${method}\n${hostOf(authority)}\n${path}${query}`)
      .digest("base64url"),
    // Beyond what a number holds only where the terms were objected to, and then only what is begun is looked for.
    validBefore: Math.min(Number(transferOf(payload, sale.requirements).validBefore), Number.MAX_SAFE_INTEGER),
    payload: JSON.stringify(payload),
  };
}

/** Answers who comes with a payment that another request works on, or that is used up. */
async function answerTaken(sale: Sale, exchange: Exchange, payment: Payment, fingerprint: string): Promise<Decision> {
  const { title } = ERRORS["payment-conflict"];
  if (payment.fingerprint !== fingerprint) {
    respondError(exchange, paymentError("payment-conflict", `${title}: it belongs to another request.`));
  } else if (payment.state !== "settled") {
    const error = paymentError("payment-conflict", "This payment is being worked on. Send the same payment again.");
    respondError(exchange, error, IN_FLIGHT_RETRY_S);
  } else {
    const answer = await sale.answers.get(fingerprint, sale.clock());
    if (answer !== undefined) {
      const receipt = receiptOf(sale, payment.transaction, payment.payer);
      await deliver(exchange, answer, receipt).finally(() => sale.answers.release(answer));
    } else if (payment.delivered) {
      respondError(
        exchange,
        paymentError("payment-conflict", `${title}: its answer was delivered, and is not kept any more.`),
      );
    } else if (payment.cuts >= MAX_CUTS) {
      const detail = `${title}: its answer was begun ${payment.cuts} times and never taken whole, and is not kept any more.`;
      respondError(exchange, paymentError("payment-conflict", detail));
    } else {
      const error = paymentError(
        "payment-conflict",
        "The answer to this payment is on its way. Send the same payment again.",
      );
      respondError(exchange, error, IN_FLIGHT_RETRY_S);
    }
  }
  return "answered";
}
