import { ERRORS, TurnpikeError } from "../../../../lib/errors.ts";
import { MAX_CUTS, type Payment } from "../../../../store/ledger.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { type PaymentForm, receiptFields } from "../protocol/receipt.ts";
import { signedReceipt } from "./signed-receipt.ts";
import { respondSpent } from "../route/refusals.ts";
import { RequestDigest } from "./request-digest.ts";
import { paymentError, respondError } from "../protocol/respond.ts";
import { deliver } from "../responses/deliver.ts";
import { withReceipt } from "../responses/inline-receipt.ts";
import { keptResponse } from "./kept-response.ts";

/** Seconds after which a client can retry if another request is using its payment. */
const IN_FLIGHT_RETRY_S = 1;

/** A request that replays a payment: another request has its lease, or has used it. */
interface Repeat {
  readonly form: PaymentForm;
  readonly paidRoute: PaidRoute;
  readonly exchange: Exchange;
}

/** Sends the stored response again, as often as the route allows, or says why the payment cannot be used now. */
export async function respondRepeat(repeat: Repeat, payment: Payment, fingerprint: string): Promise<void> {
  const { exchange, paidRoute } = repeat;
  if (payment.fingerprint !== fingerprint) {
    const detail = "it was made for a request with another method, host, path, query or header fields.";
    respondUsedUp(repeat, detail);
  } else if (payment.state !== "settled" && payment.state !== "deferred") {
    const error = paymentError("payment-conflict", "This payment is being processed. Send the same payment again.");
    respondError(exchange, error, IN_FLIGHT_RETRY_S);
  } else if (payment.refunded !== "0" && !payment.delivered) {
    respondUsedUp(repeat, "it was refunded.");
  } else if (payment.repeats >= paidRoute.max_repeats || !(await deliverKept(repeat, payment))) {
    respondSold(repeat, payment);
  }
}

function respondUsedUp({ exchange, paidRoute }: Repeat, why: string): void {
  const { title } = ERRORS["payment-conflict"];
  respondSpent(exchange, paidRoute, paymentError("payment-conflict", `${title}: ${why}`));
}

/** False: the response is not stored, or was sent again as often as the route allows. */
async function deliverKept({ paidRoute, exchange, form }: Repeat, payment: Payment): Promise<boolean> {
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
    if (!(await paidRoute.ledger.repeat(payment, paidRoute.max_repeats))) return false;
    const receipt = payment.state === "deferred" ? undefined : signedReceipt(paidRoute, exchange, payment);
    const whole = receipt && paidRoute.inline_receipt ? await withReceipt(response, receipt) : response;
    const fields = receipt === undefined ? "" : receiptFields(receipt, form, payment.updatedAt);
    const { taken } = await deliver(exchange, whole, fields);
    void recordDelivery(paidRoute, payment, taken);
    return true;
  } finally {
    paidRoute.responses.release(response);
  }
}

/** The request with the lease can still fail. This client has the response: the payment is delivered. */
async function recordDelivery(
  { ledger, lateWrites }: PaidRoute,
  payment: Payment,
  taken: Promise<boolean>,
): Promise<void> {
  if (await taken) await lateWrites.insist(payment, () => ledger.deliver(payment));
}

/** The payment is settled or charged later, and its response is not stored here or was repeated often enough. */
function respondSold(repeat: Repeat, payment: Payment): void {
  if (payment.delivered) {
    respondUsedUp(repeat, "its response was delivered, and is not sent again.");
  } else if (payment.cuts >= MAX_CUTS || payment.partials >= repeat.paidRoute.max_partial_answers) {
    respondUsedUp(
      repeat,
      `its response was sent ${payment.cuts} times and never received completely, and is not sent again.`,
    );
  } else {
    const detail = "The response to this payment is being sent. Send the same payment again.";
    respondError(repeat.exchange, paymentError("payment-conflict", detail), IN_FLIGHT_RETRY_S);
  }
}
