import { TurnpikeError } from "../../../../lib/errors.ts";
import { type Fields } from "../../../../lib/fields.ts";
import { type Exchange, type ResponseHead } from "../../../exchange.ts";
import { AnswerFile, READ_BYTES } from "./answer-file.ts";
import { type Answer } from "./answers.ts";
import { paidFields } from "../response-fields.ts";

/** Sent by way of this process to a socket that the kernel found full. */
const FILL_BYTES = 16_384;
/** Sent by the kernel to one client before others have their turn. */
const BURST_BYTES = 1_048_576;

/** What becomes of an answer that was sent. */
export interface Delivery {
  /** True once the client's side took the whole answer; false when it did not. */
  readonly taken: Promise<boolean>;
}

/** Sends a paid answer with its receipt, at the client's pace. Resolves when the answer itself is not needed any more. */
export async function deliver(exchange: Exchange, answer: Answer, receipt: Fields): Promise<Delivery> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  exchange.onTaken = resolve;
  const head = { ...answer.head, fields: paidFields(answer.head.fields, receipt) };
  if (!(await sendAnswer(exchange, answer, head))) resolve(false);
  return { taken: promise };
}

/** Sends an answer under another head. False where the client went away, or the answer was cut off: the disk failed, a sink did. */
export async function sendAnswer(exchange: Exchange, answer: Answer, head: ResponseHead): Promise<boolean> {
  const { response } = exchange;
  const taker = new Taker(exchange);
  if (taker.isLost) return false;
  response.start(head);
  if (exchange.head.method !== "HEAD" && answer.size > 0 && !(await sendBody(exchange, answer.body, taker)))
    return false;
  if (taker.isLost) return false;
  response.end(answer.trailers);
  return true;
}

/** Who takes an answer: the client, by way of the sinks before it. */
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

  /** Resolves when more can be taken, or is taken no more. */
  drained(): Promise<void> {
    const exchange = this.#exchange;
    return new Promise((resolve) => {
      exchange.onDrain = resolve;
      exchange.onGone = resolve;
      this.#wake = resolve;
      // The write itself may have told that it is.
      if (this.isLost) resolve();
    });
  }
}

/** False: it cannot go on. What is in memory goes out in one turn, as far as the client takes it. */
async function sendBody(exchange: Exchange, body: Answer["body"], taker: Taker): Promise<boolean> {
  const { response } = exchange;
  if (body instanceof AnswerFile) return sendFile(exchange, body, taker);
  for (const piece of body) {
    if (taker.isLost) return false;
    if (!response.data(piece)) await taker.drained();
  }
  return true;
}

/** In pieces, each once the client has taken the one before; the others have their turn in between. */
async function sendFile(exchange: Exchange, file: AnswerFile, taker: Taker): Promise<boolean> {
  const { response } = exchange;
  for (let at = 0; at < file.size; ) {
    const wanted = Math.min(BURST_BYTES, file.size - at);
    const sent = response.sendFile?.(file.fd, at, wanted) ?? 0;
    at += sent;
    if (at === file.size) break;
    if (sent === wanted) {
      await new Promise(setImmediate);
      if (taker.isLost) return false;
      continue;
    }
    // A full socket reports room again to who was refused by it: a small piece does for that.
    const piece = await file.read(at, sent > 0 ? FILL_BYTES : READ_BYTES).catch(() => undefined);
    if (taker.isLost) return false;
    if (piece === undefined) {
      response.abort(new TurnpikeError("internal", "the answer could not be read back"));
      return false;
    }
    at += piece.length;
    if (!response.data(piece)) await taker.drained();
    if (taker.isLost) return false;
  }
  return true;
}
