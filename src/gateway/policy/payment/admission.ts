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

/** When a client may ask again whose payment another request works on, in seconds. */
const IN_FLIGHT_RETRY_S = 1;
/** When a client may ask again whose payment could not be looked up, in seconds. */
const LEDGER_RETRY_S = 5;
const NO_LEDGER = "The payment could not be looked up. Send the same payment again, and no new one.";
const NO_ROOM = "Too many paid answers wait for settlement; nothing was charged. Send the same payment again.";
const BAD_ID = "Cannot read the payment: the id of payment-identifier must be 16 to 128 of A-Z a-z 0-9 _ -";
const NO_ID = "Cannot take the payment: this route asks for an id with it, by the extension payment-identifier";

/** A payment that may be what is asked for: it is taken on where nothing speaks against it, or where it is begun already. */
interface Offered {
  readonly payload: PaymentPayload;
  /** Of the way that it accepts; where there is no such way, what it says of one. */
  readonly requirements: PaymentRequirements;
  readonly objection: ChallengeError | undefined;
}

/** Works on a request that came with a payment, or says why not. A ledger that is away lets nothing through. */
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
  // What was begun is finished, even where terms or time have moved on: a new challenge would make the client pay twice.
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
    // It came to nothing while it was looked for: so it is a new one, on terms that are nobody's.
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

/** Finds the way that was paid by. Undefined where it cannot even be said which payment this is. */
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

/** What is asked for: the challenge, the way of paying that was chosen of it, and the request. */
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

/** An answer that is passed through needs no room. */
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
    // Beyond what a number holds only where the terms were objected to, and then only what is begun is looked for.
    validBefore: Math.min(Number(transferOf(payload, requirements).validBefore), Number.MAX_SAFE_INTEGER),
    payload: toStored(payload, requirements, testMode),
  };
}

/**
 * The reservation of the request that a payment was spent on, where this one asks for the rest of its answer. A request that was
 * sold with a range stays with it: the whole may cost more.
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

/** Answers who comes with a payment that another request works on, or that is used up. */
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

/** False: the answer is not kept. */
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

/** Who holds the payment may never get the answer through: the client that has it from here has had what it paid for. */
async function note({ ledger, log, route }: Sale, payment: Payment, taken: Promise<boolean>): Promise<void> {
  if (!(await taken)) return;
  await ledger
    .deliver(payment)
    .catch((error) => log(`payment: a delivery on ${route} was not written down: ${nameOf(error)}`));
}

/** It is paid for, and its answer is not here to give. */
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
