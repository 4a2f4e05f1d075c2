import { codeOf } from "../../../lib/caught.ts";
import { ERRORS, TurnpikeError } from "../../../lib/errors.ts";
import { fittedName } from "../../../lib/shared-names.ts";
import { checkTerms } from "../../../payments/signatures/check-payment.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { paymentKey } from "../../../payments/x402/payment-key.ts";
import { toStored } from "../../../payments/settlement/stored-payment.ts";
import { agrees, findMismatch } from "../../../payments/x402/terms.ts";
import { transferOf } from "../../../payments/x402/transfer.ts";
import { fromV1 } from "../../../payments/signatures/from-v1.ts";
import { MAX_CUTS, type Payment, type Reservation } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange.ts";
import { type Decision } from "../policy.ts";
import { nameOf } from "./ask-facilitator.ts";
import { Attempt, type Deal } from "./attempt.ts";
import { type Challenge, type ChallengeError } from "./challenge/challenge.ts";
import { deliver } from "./answers/deliver.ts";
import { readIdentifier } from "./identifier.ts";
import { fingerprintOf, isResuming } from "./fingerprint.ts";
import { withReceipt } from "./answers/inline-receipt.ts";
import { keptAnswer } from "./answers/kept-answer.ts";
import { type Presented } from "./presented.ts";
import { receiptFields, receiptOf } from "./receipt.ts";
import { respondRefused, respondSpent } from "./refusals.ts";
import { RequestDigest } from "./request-digest.ts";
import { paymentError, respondError } from "./respond.ts";
import { type Sale } from "./sale.ts";

/** Seconds after which a client can retry if another request is using its payment. */
const IN_FLIGHT_RETRY_S = 1;
/** Seconds after which a client can retry if the ledger did not respond. */
const LEDGER_RETRY_S = 5;
const NO_LEDGER = "The payment could not be looked up. Send the same payment again, and no new one.";
const NO_ROOM = "Too many paid answers wait for settlement; nothing was charged. Send the same payment again.";
const BAD_ID = "Cannot read the payment: the id of payment-identifier must be 16 to 128 of A-Z a-z 0-9 _ -";
const NO_ID = "Cannot take the payment: this route asks for an id with it, by the extension payment-identifier";

/**
 * A payment that was sent with a request. It is accepted if there is no objection, or if work on it has already begun.
 */
interface Offered {
  readonly payload: PaymentPayload;
  /** The payment requirements that it accepts. If the route has no such requirements, the ones that the client sent. */
  readonly requirements: PaymentRequirements;
  readonly objection: ChallengeError | undefined;
}

/**
 * Handles a request with a payment, or rejects it with the reason. If the ledger is not available, no request passes.
 */
export async function admit(sale: Sale, exchange: Exchange, presented: Presented): Promise<Decision> {
  try {
    return await look(sale, exchange, presented);
  } catch (error) {
    const name = error instanceof Error ? error.name : typeof error;
    sale.log(`payment: the ledger failed on ${sale.route}: ${name} ${codeOf(error) ?? ""}`.trimEnd());
    if (!exchange.started) respondError(exchange, paymentError("overloaded", NO_LEDGER), LEDGER_RETRY_S);
    return "answered";
  }
}

async function look(sale: Sale, exchange: Exchange, presented: Presented): Promise<Decision> {
  const offered = match(sale, exchange, presented);
  if (offered === undefined) {
    respondRefused(exchange, sale, "No matching payment requirements");
    return "answered";
  }
  const { payload, requirements, objection } = offered;
  const identifier = readIdentifier(payload);
  const idFault = identifier === "invalid" ? BAD_ID : identifier === undefined && sale.requiresId ? NO_ID : undefined;
  const reservation = await resumed(
    sale,
    exchange,
    reservationOf(sale, exchange, offered, presented.header),
    presented.header,
  );
  // Work that has begun is finished, even if the terms or the time have changed: a new challenge would make the client
  // pay twice.
  if ((objection ?? idFault) !== undefined && !(await isBegun(sale, reservation))) {
    refuse({ sale, exchange }, objection, idFault);
    return "answered";
  }
  if (!hasRoom(sale, reservation.fingerprint)) {
    respondError(exchange, paymentError("overloaded", NO_ROOM), IN_FLIGHT_RETRY_S);
    return "answered";
  }
  const { held, payment } = await sale.ledger.reserve(reservation, sale.maxPartials);
  const deal: Deal = { payload, requirements, version: presented.version, id: idOf(identifier) };
  if (!held) return answerTaken({ sale, exchange, deal }, payment, reservation.fingerprint);
  if ((objection ?? idFault) !== undefined && payment.state === "reserved") {
    // The earlier use ended without a result during the lookup. So this is a new payment, and the route does not accept
    // its terms.
    await sale.ledger.move(payment, { state: "released", hold: false });
    refuse({ sale, exchange }, objection, idFault);
    return "answered";
  }
  return new Attempt(sale, exchange, deal, payment).run();
}

function refuse(
  { sale, exchange }: Pick<Request, "sale" | "exchange">,
  objection: ChallengeError | undefined,
  idFault: string | undefined,
): void {
  if (idFault !== undefined) respondSpent(exchange, sale, paymentError("invalid-payment", idFault));
  else if (objection !== undefined) respondRefused(exchange, sale, objection);
}

function idOf(identifier: ReturnType<typeof readIdentifier>): string | undefined {
  return identifier === "invalid" ? undefined : identifier?.id;
}

/** Finds the payment requirements that the client accepted. Undefined if the payment cannot be identified at all. */
function match(sale: Sale, { head }: Exchange, presented: Presented): Offered | undefined {
  const challenge = sale.offers.current();
  const offers = challenge?.required.accepts ?? [];
  const payload = presented.version === 2 ? presented.payment : fromV1(presented.payment, offers);
  if (payload === undefined) return undefined;
  const way = offers.find((offer) => agrees(payload.accepted, offer));
  return {
    payload,
    requirements: way ?? payload.accepted,
    objection: objectionTo(sale, payload, { challenge, way, head }),
  };
}

/** The challenge, the payment requirements that the client chose from it, and the request. */
interface Asked {
  readonly challenge: Challenge | undefined;
  readonly way: PaymentRequirements | undefined;
  readonly head: Exchange["head"];
}

function objectionTo(
  { clock }: Sale,
  payload: PaymentPayload,
  { challenge, way, head }: Asked,
): ChallengeError | undefined {
  if (challenge === undefined || way === undefined) return "No matching payment requirements";
  const mismatch = findMismatch(payload, challenge.required, (url) => challenge.isFor(url, head));
  return mismatch ?? checkTerms(payload, way, clock() / 1000);
}

/** A response that is passed through needs no buffer. */
function hasRoom({ answers, settle, clock }: Sale, fingerprint: string): boolean {
  return settle === "before" || answers.admits() || answers.has(fingerprint, clock());
}

async function isBegun(sale: Sale, reservation: Reservation): Promise<boolean> {
  const standing = await sale.ledger.find(reservation);
  if (standing === undefined || standing.fingerprint !== reservation.fingerprint) return false;
  return standing.state === "settling" || standing.state === "unknown" || standing.state === "settled";
}

function reservationOf(sale: Sale, exchange: Exchange, offered: Offered, header: string): Reservation {
  const { payload, requirements } = offered;
  const { testMode } = sale.target;
  return {
    ...paymentKey(payload, requirements),
    token: requirements.asset.toLowerCase(),
    scheme: requirements.scheme,
    amount: requirements.amount,
    payTo: requirements.payTo.toLowerCase(),
    route: sale.route,
    consumer: fittedName(exchange.consumer),
    fingerprint: fingerprintOf(exchange, { header, testMode }),
    // The number loses precision only for terms that were rejected. In that case only existing work is looked up.
    validBefore: Math.min(Number(transferOf(payload, requirements).validBefore), Number.MAX_SAFE_INTEGER),
    payload: toStored(payload, requirements, testMode),
  };
}

/**
 * The reservation of the earlier request that spent this payment, if this request asks for the rest of its response. A
 * request that was paid with a range keeps that range: the whole resource can cost more.
 */
async function resumed(sale: Sale, exchange: Exchange, own: Reservation, header: string): Promise<Reservation> {
  if (sale.settle === "after" || !isResuming(exchange.head.fields)) return own;
  const fingerprint = fingerprintOf(exchange, { header, testMode: sale.target.testMode }, true);
  const standing = await sale.ledger.find(own);
  return standing?.fingerprint === fingerprint ? { ...own, fingerprint } : own;
}

interface Request {
  readonly sale: Sale;
  readonly exchange: Exchange;
  readonly deal: Deal;
}

/** Responds if another request is using the payment, or if the payment is used up. */
async function answerTaken(request: Request, payment: Payment, fingerprint: string): Promise<Decision> {
  const { exchange, sale } = request;
  const { title } = ERRORS["payment-conflict"];
  if (payment.fingerprint !== fingerprint) {
    respondSpent(
      exchange,
      sale,
      paymentError(
        "payment-conflict",
        `${title}: it belongs to another request, which had another method, host, path, query or header fields.`,
      ),
    );
  } else if (payment.state !== "settled") {
    const error = paymentError("payment-conflict", "This payment is being worked on. Send the same payment again.");
    respondError(exchange, error, IN_FLIGHT_RETRY_S);
  } else if (!(await deliverKept(request, payment))) {
    respondSold(request, payment);
  }
  return "answered";
}

/** False: the response is not stored. */
async function deliverKept({ sale, exchange, deal }: Request, payment: Payment): Promise<boolean> {
  const request = new RequestDigest(exchange, payment.bodyDigest);
  const answer = await keptAnswer(sale, payment.fingerprint, request);
  if (answer === undefined) return false;
  if (answer instanceof TurnpikeError) {
    if (answer.code === "overloaded") respondError(exchange, answer, IN_FLIGHT_RETRY_S);
    else respondSpent(exchange, sale, answer);
    return true;
  }
  const receipt = receiptOf(sale.target, payment);
  const whole = sale.inlineReceipt ? await withReceipt(answer, receipt) : answer;
  const { taken } = await deliver(exchange, whole, receiptFields(receipt, deal.version)).finally(() =>
    sale.answers.release(answer),
  );
  void note(sale, payment, taken);
  return true;
}

/**
 * The request that has the lease can still fail to deliver. This client has the response now, so the payment is
 * delivered.
 */
async function note({ ledger, log, route }: Sale, payment: Payment, taken: Promise<boolean>): Promise<void> {
  if (!(await taken)) return;
  await ledger
    .deliver(payment)
    .catch((error) => log(`payment: a delivery on ${route} was not written down: ${nameOf(error)}`));
}

/** The payment is settled, and its response is not stored here. */
function respondSold({ exchange, sale }: Request, payment: Payment): void {
  const { title } = ERRORS["payment-conflict"];
  if (payment.delivered) {
    const detail = `${title}: its answer was delivered, and is not kept any more.`;
    respondSpent(exchange, sale, paymentError("payment-conflict", detail));
  } else if (payment.cuts >= MAX_CUTS || payment.partials >= sale.maxPartials) {
    const detail = `${title}: its answer was begun ${payment.cuts} times and never taken whole, and is not kept any more.`;
    respondSpent(exchange, sale, paymentError("payment-conflict", detail));
  } else {
    const detail = "The answer to this payment is on its way. Send the same payment again.";
    respondError(exchange, paymentError("payment-conflict", detail), IN_FLIGHT_RETRY_S);
  }
}
