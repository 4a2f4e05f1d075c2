import { faultOf } from "../../../lib/caught.ts";
import { ERRORS, TurnpikeError } from "../../../lib/errors.ts";
import { fittedName } from "../../../lib/shared-names.ts";
import { checkTerms } from "../../../payments/signatures/check-payment.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../../payments/x402/messages.ts";
import { paymentKey } from "../../../payments/x402/payment-key.ts";
import { toStored } from "../../../payments/settlement/stored-payment.ts";
import { agrees, findError } from "../../../payments/x402/terms.ts";
import { transferOf } from "../../../payments/x402/transfer.ts";
import { fromV1 } from "../../../payments/signatures/from-v1.ts";
import { MAX_CUTS, type Payment, type Reservation } from "../../../store/ledger.ts";
import { type Exchange } from "../../exchange.ts";
import { type Decision } from "../policy.ts";
import { Attempt, type AcceptedPayment } from "./attempt.ts";
import { type Challenge, type ChallengeError } from "./challenge/challenge.ts";
import { deliver } from "./responses/deliver.ts";
import { readIdentifier } from "./identifier.ts";
import { fingerprintOf, isResuming } from "./fingerprint.ts";
import { withReceipt } from "./responses/inline-receipt.ts";
import { keptResponse } from "./responses/kept-response.ts";
import { type Presented } from "./presented.ts";
import { receiptFields, receiptOf } from "./receipt.ts";
import { respondRefused, respondSpent, respondUnserved } from "./refusals.ts";
import { RequestDigest } from "./request-digest.ts";
import { paymentError, respondError } from "./respond.ts";
import { type PaidRoute } from "./paid-route.ts";

/** Seconds after which a client can retry if another request is using its payment. */
const IN_FLIGHT_RETRY_S = 1;
/** Seconds after which a client can retry if the ledger did not respond. */
const LEDGER_RETRY_S = 5;
const NO_LEDGER = "The payment could not be looked up. Send the same payment again, not a new one.";
const NO_ROOM = "Too many paid responses wait for settlement; nothing was charged. Send the same payment again.";
const BAD_ID = "Cannot read the payment: the id of payment-identifier must be 16 to 128 of A-Z a-z 0-9 _ -";
const NO_ID = "Cannot accept the payment: this route requires an id in the extension payment-identifier";

/**
 * A payment that was sent with a request. It is accepted if its `error` is undefined, or if work on it has already begun.
 */
interface Offered {
  readonly payload: PaymentPayload;
  /** The payment requirements that it accepts. If the route has no such requirements, the ones that the client sent. */
  readonly requirements: PaymentRequirements;
  readonly error: ChallengeError | undefined;
}

/**
 * Handles a request with a payment, or rejects it with the reason. If the ledger is not available, no request passes.
 */
export async function admit(paidRoute: PaidRoute, exchange: Exchange, presented: Presented): Promise<Decision> {
  try {
    return await look(paidRoute, exchange, presented);
  } catch (error) {
    paidRoute.log(`payment: the ledger failed on ${paidRoute.route}: ${faultOf(error)}`);
    if (!exchange.started) respondError(exchange, paymentError("overloaded", NO_LEDGER), LEDGER_RETRY_S);
    return "responded";
  }
}

async function look(paidRoute: PaidRoute, exchange: Exchange, presented: Presented): Promise<Decision> {
  const offered = match(paidRoute, exchange, presented);
  if (offered === undefined) {
    respondRefused(exchange, paidRoute, "No matching payment requirements");
    return "responded";
  }
  const { payload, requirements, error } = offered;
  const identifier = readIdentifier(payload);
  const idError =
    identifier === "invalid" ? BAD_ID : identifier === undefined && paidRoute.requiresId ? NO_ID : undefined;
  const isRefused = !paidRoute.isServed || (error ?? idError) !== undefined;
  const reservation = await resumed(
    paidRoute,
    exchange,
    reservationOf(paidRoute, exchange, offered, presented.header),
    presented.header,
  );
  // Work that has begun is finished, even if the terms or the time have changed: a new challenge would make the client
  // pay twice.
  if (isRefused && !(await isBegun(paidRoute, reservation))) {
    refuse({ paidRoute, exchange }, error, idError);
    return "responded";
  }
  if (!hasRoom(paidRoute, reservation.fingerprint)) {
    respondError(exchange, paymentError("overloaded", NO_ROOM), IN_FLIGHT_RETRY_S);
    return "responded";
  }
  const { leased, payment } = await paidRoute.ledger.reserve(reservation, paidRoute.maxPartials);
  const accepted: AcceptedPayment = { payload, requirements, version: presented.version, id: idOf(identifier) };
  if (!leased) return respondTaken({ paidRoute, exchange, accepted }, payment, reservation.fingerprint);
  if (isRefused && payment.state === "reserved") {
    // The earlier use ended without a result during the lookup. So this is a new payment, and the route does not accept
    // its terms.
    await paidRoute.ledger.move(payment, { state: "released", lease: false });
    refuse({ paidRoute, exchange }, error, idError);
    return "responded";
  }
  return new Attempt(paidRoute, exchange, accepted, payment).run();
}

function refuse(
  { paidRoute, exchange }: Pick<Request, "paidRoute" | "exchange">,
  error: ChallengeError | undefined,
  idError: string | undefined,
): void {
  if (!paidRoute.isServed) respondUnserved(exchange);
  else if (idError !== undefined) respondSpent(exchange, paidRoute, paymentError("invalid-payment", idError));
  else if (error !== undefined) respondRefused(exchange, paidRoute, error);
}

function idOf(identifier: ReturnType<typeof readIdentifier>): string | undefined {
  return identifier === "invalid" ? undefined : identifier?.id;
}

/** Finds the payment requirements that the client accepted. Undefined if the payment cannot be identified at all. */
function match(paidRoute: PaidRoute, { head }: Exchange, presented: Presented): Offered | undefined {
  const challenge = paidRoute.accepts.current();
  const accepts = challenge?.required.accepts ?? [];
  const payload = presented.version === 2 ? presented.payment : fromV1(presented.payment, accepts);
  if (payload === undefined) return undefined;
  const requirements = accepts.find((candidate) => agrees(payload.accepted, candidate));
  return {
    payload,
    requirements: requirements ?? payload.accepted,
    error: errorOf(paidRoute, payload, { challenge, requirements, head }),
  };
}

/** The challenge, the payment requirements that the client chose from it, and the request. */
interface Asked {
  readonly challenge: Challenge | undefined;
  readonly requirements: PaymentRequirements | undefined;
  readonly head: Exchange["head"];
}

function errorOf(
  { clock }: PaidRoute,
  payload: PaymentPayload,
  { challenge, requirements, head }: Asked,
): ChallengeError | undefined {
  if (challenge === undefined || requirements === undefined) return "No matching payment requirements";
  const error = findError(payload, challenge.required, (url) => challenge.isFor(url, head));
  return error ?? checkTerms(payload, requirements, clock() / 1000);
}

/** A response that is passed through needs no buffer. */
function hasRoom({ responses, settle, clock }: PaidRoute, fingerprint: string): boolean {
  return settle === "before" || responses.admits() || responses.has(fingerprint, clock());
}

async function isBegun(paidRoute: PaidRoute, reservation: Reservation): Promise<boolean> {
  const standing = await paidRoute.ledger.find(reservation);
  if (standing === undefined || standing.fingerprint !== reservation.fingerprint) return false;
  return standing.state === "settling" || standing.state === "unknown" || standing.state === "settled";
}

function reservationOf(paidRoute: PaidRoute, exchange: Exchange, offered: Offered, header: string): Reservation {
  const { payload, requirements } = offered;
  const { testMode } = paidRoute.target;
  return {
    ...paymentKey(payload, requirements),
    token: requirements.asset.toLowerCase(),
    scheme: requirements.scheme,
    amount: requirements.amount,
    payTo: requirements.payTo.toLowerCase(),
    route: paidRoute.route,
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
async function resumed(
  paidRoute: PaidRoute,
  exchange: Exchange,
  own: Reservation,
  header: string,
): Promise<Reservation> {
  if (paidRoute.settle === "after" || !isResuming(exchange.head.fields)) return own;
  const fingerprint = fingerprintOf(exchange, { header, testMode: paidRoute.target.testMode }, true);
  const standing = await paidRoute.ledger.find(own);
  return standing?.fingerprint === fingerprint ? { ...own, fingerprint } : own;
}

interface Request {
  readonly paidRoute: PaidRoute;
  readonly exchange: Exchange;
  readonly accepted: AcceptedPayment;
}

/** Responds if another request is using the payment, or if the payment is used up. */
async function respondTaken(request: Request, payment: Payment, fingerprint: string): Promise<Decision> {
  const { exchange, paidRoute } = request;
  const { title } = ERRORS["payment-conflict"];
  if (payment.fingerprint !== fingerprint) {
    respondSpent(
      exchange,
      paidRoute,
      paymentError(
        "payment-conflict",
        `${title}: it was made for a request with another method, host, path, query or header fields.`,
      ),
    );
  } else if (payment.state !== "settled") {
    const error = paymentError("payment-conflict", "This payment is being processed. Send the same payment again.");
    respondError(exchange, error, IN_FLIGHT_RETRY_S);
  } else if (payment.repeats >= paidRoute.maxRepeats || !(await deliverKept(request, payment))) {
    respondSold(request, payment);
  }
  return "responded";
}

/** False: the response is not stored, or was sent again as often as the route allows. */
async function deliverKept({ paidRoute, exchange, accepted }: Request, payment: Payment): Promise<boolean> {
  const request = new RequestDigest(exchange, payment.bodyDigest);
  const response = await keptResponse(paidRoute, payment.fingerprint, request);
  if (response === undefined) return false;
  if (response instanceof TurnpikeError) {
    if (response.code === "overloaded") respondError(exchange, response, IN_FLIGHT_RETRY_S);
    else respondSpent(exchange, paidRoute, response);
    return true;
  }
  try {
    // Counted before the first byte, so that requests at once do not get more.
    if (!(await paidRoute.ledger.repeat(payment, paidRoute.maxRepeats))) return false;
    const receipt = receiptOf(paidRoute.target, payment);
    const whole = paidRoute.inlineReceipt ? await withReceipt(response, receipt) : response;
    const { taken } = await deliver(exchange, whole, receiptFields(receipt, accepted.version));
    void note(paidRoute, payment, taken);
    return true;
  } finally {
    paidRoute.responses.release(response);
  }
}

/**
 * The request that has the lease can still fail to deliver. This client has the response now, so the payment is
 * delivered.
 */
async function note({ ledger, lateWrites }: PaidRoute, payment: Payment, taken: Promise<boolean>): Promise<void> {
  if (await taken) await lateWrites.insist(payment, () => ledger.deliver(payment));
}

/** The payment is settled, and its response is not stored here or was repeated often enough. */
function respondSold({ exchange, paidRoute }: Request, payment: Payment): void {
  const { title } = ERRORS["payment-conflict"];
  if (payment.delivered) {
    const detail = `${title}: its response was delivered, and is not sent again.`;
    respondSpent(exchange, paidRoute, paymentError("payment-conflict", detail));
  } else if (payment.cuts >= MAX_CUTS || payment.partials >= paidRoute.maxPartials) {
    const detail = `${title}: its response was sent ${payment.cuts} times and never received completely, and is not sent again.`;
    respondSpent(exchange, paidRoute, paymentError("payment-conflict", detail));
  } else {
    const detail = "The response to this payment is being sent. Send the same payment again.";
    respondError(exchange, paymentError("payment-conflict", detail), IN_FLIGHT_RETRY_S);
  }
}
