import { changedHead } from "../../../exchange/exchange-state.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/http/fields.ts";
import { type Exchange, type ResponseHead } from "../../../exchange/exchange.ts";
import { ResponseFile, READ_BYTES } from "./response-file.ts";
import { type PaidResponse } from "./response-store.ts";
import { paidFields } from "../protocol/response-fields.ts";

/** Bytes that this process sends to a socket that the kernel reported as full. */
const FILL_BYTES = 16_384;
/** Bytes that the kernel sends to one client before other clients have their turn. */
const BURST_BYTES = 1_048_576;

/**
 * Sends a paid response with its receipt, at the client's speed. Resolves when the response is not needed any more. `taken`: true if
 * the client's side received the whole response.
 */
export async function deliver(
  exchange: Exchange,
  paidResponse: PaidResponse,
  receipt: Fields,
): Promise<{ readonly taken: Promise<boolean> }> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  exchange.onTaken = resolve;
  const head = changedHead(paidResponse.head, { fields: paidFields(paidResponse.head, receipt) });
  if (!(await sendResponse(exchange, paidResponse, head))) resolve(false);
  return { taken: promise };
}

/** Sends a response with another head. False if it was cut off: by the client, a disk error or a sink. */
export async function sendResponse(
  exchange: Exchange,
  paidResponse: PaidResponse,
  head: ResponseHead,
): Promise<boolean> {
  const { response } = exchange;
  const taker = new Taker(exchange);
  if (taker.isLost) return false;
  response.start(head);
  if (exchange.head.method !== "HEAD" && paidResponse.size > 0 && !(await sendBody(exchange, paidResponse.body, taker)))
    return false;
  if (taker.isLost) return false;
  response.end(paidResponse.trailers);
  return true;
}

/** The receiver of a response: the client, behind the sinks before it. */
class Taker {
  readonly #exchange: Exchange;
  #wantsNoMore = false;
  #wake: (() => void) | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    exchange.onCancel = () => {
      this.#wantsNoMore = true;
      this.#wake?.();
    };
  }

  get isLost(): boolean {
    return this.#wantsNoMore || this.#exchange.gone;
  }

  /** Resolves when the receiver can take more, or stops taking data. */
  drained(): Promise<void> {
    const exchange = this.#exchange;
    return new Promise((resolve) => {
      exchange.onDrain = resolve;
      exchange.onGone = resolve;
      this.#wake = resolve;
      // The write itself can report the loss.
      if (this.isLost) resolve();
    });
  }
}

/** False: the body could not be read. A body in memory is sent in one turn, as far as the client accepts it. */
async function sendBody(exchange: Exchange, body: PaidResponse["body"], taker: Taker): Promise<boolean> {
  const { response } = exchange;
  if (body instanceof ResponseFile) return sendFile(exchange, body, taker);
  for (const piece of body) {
    if (taker.isLost) break;
    if (!response.data(piece)) await taker.drained();
  }
  return true;
}

/** In pieces, each once the client has taken the one before; the others have their turn in between. */
async function sendFile(exchange: Exchange, file: ResponseFile, taker: Taker): Promise<boolean> {
  const { response } = exchange;
  for (let at = 0; at < file.size; ) {
    const wanted = Math.min(BURST_BYTES, file.size - at);
    const sent = response.sendFile?.(file.fd, at, wanted) ?? 0;
    at += sent;
    if (at === file.size) break;
    if (sent === wanted) {
      await new Promise(setImmediate);
      if (taker.isLost) break;
      continue;
    }
    // Only a socket that refused data reports room again. A small piece is enough to find out.
    const piece = await file.read(at, sent > 0 ? FILL_BYTES : READ_BYTES).catch(() => undefined);
    if (taker.isLost) break;
    if (piece === undefined) {
      response.abort(new TurnpikeError("internal", "the response could not be read back"));
      return false;
    }
    at += piece.length;
    if (!response.data(piece)) await taker.drained();
    if (taker.isLost) break;
  }
  return true;
}
