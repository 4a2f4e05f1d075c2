import { faultOf } from "../../../../lib/caught.ts";
import { channelOf } from "../../../../store/channels.ts";
import { type Payment } from "../../../../store/ledger.ts";
import { type PaidRoute } from "../route/paid-route.ts";
import { Lease } from "../sale/lease.ts";
import { type Cover } from "./cover.ts";
import { ENDED, ENDED_MS, handover } from "./handover.ts";
import { isFor } from "./meter.ts";
import { type PaidUnits } from "./metered-response.ts";

/** Milliseconds between two looks for a payment that came to another process, while a response is paused. @bound */
const LOOK_MS = 100;

/**
 * Milliseconds for which a paused response of a process that stops waits for a payment, which can come only to another process.
 * @bound
 */
const LAST_PAUSE_MS = 5000;

/** Payments that are given back at the end of a response, if other processes go on to hand some over. @bound */
const MOST_HANDOVERS = 4;

/** Payments that one response has at a time: one that covers units, and one that waits. @bound */
const MOST_COVERS = 2;

/** The terms of all payments for one response: those of its first payment. */
export interface StreamTerms {
  readonly name: string;
  readonly units: number;
  readonly pauseMs: number;
  readonly coverOf: (payment: Payment, lease: Lease) => Cover;
}

/**
 * The payments of one response: the open one covers the units that leave, one more can wait. Without any, the response is
 * paused until the next one comes, here or to another process, or until its pause ends.
 */
export class MeteredStream implements PaidUnits {
  readonly #paidRoute: PaidRoute;
  readonly #terms: StreamTerms;
  readonly #first: Payment;
  /** The first one is open, or will be with the next unit. */
  readonly #covers: Cover[];
  #isTaking = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  /** The ends of payments that are used up, one after the other. */
  #closing: Promise<void> = Promise.resolve();

  constructor(paidRoute: PaidRoute, first: Cover, terms: StreamTerms) {
    this.#paidRoute = paidRoute;
    this.#terms = terms;
    this.#first = first.payment;
    this.#covers = [first];
  }

  get name(): string {
    return this.#terms.name;
  }

  /** The key of the stream among those of a process. */
  get key(): string {
    return streamKey(channelOf(this.#first.nonce), this.name);
  }

  /** Units that may leave. */
  get room(): number {
    const [first] = this.#covers;
    return first?.isOpen === true ? first.room : 0;
  }

  use(units: number): void {
    const [first] = this.#covers;
    first?.use(units);
    if (first === undefined || first.room > 0) return;
    this.#covers.shift();
    this.#close(first);
  }

  /**
   * Takes a further payment, after it is recorded. `full`: one waits already. `over`: the response has ended, or the payment is not
   * for it. Rejects if the ledger fails.
   */
  async take(payment: Payment, lease: Lease): Promise<"taken" | "full" | "over" | "lost"> {
    if (this.#isOver || !isFor(payment, this.#first)) return "over";
    if (this.#covers.length >= MOST_COVERS || this.#isTaking) return "full";
    this.#isTaking = true;
    try {
      const cover = this.#terms.coverOf(payment, lease);
      if (!(await (this.#wake === undefined ? cover.wait() : cover.open()))) return "lost";
      // The response has ended meanwhile.
      if (this.#isOver) {
        await cover.close();
        return "over";
      }
      this.#covers.push(cover);
      this.#wake?.();
      return "taken";
    } finally {
      this.#isTaking = false;
    }
  }

  /** Opens the next payment. False: none came in time, or the response has ended. Rejects if the ledger fails. */
  async more(): Promise<boolean> {
    let looks = Math.ceil(this.#terms.pauseMs / LOOK_MS);
    for (let look = 0; look <= looks && !this.#isOver; look++) {
      if (this.#paidRoute.draining()) looks = Math.min(looks, look + LAST_PAUSE_MS / LOOK_MS);
      const [next] = this.#covers;
      // oxlint-disable-next-line no-await-in-loop -- each look waits for the one before
      if (next !== undefined && (await next.open())) return true;
      if (next !== undefined && next === this.#covers[0]) this.#covers.shift();
      // oxlint-disable-next-line no-await-in-loop -- as above
      if (look > 0 && (await this.#takeHandedOver())) continue;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await this.#arrival();
    }
    return false;
  }

  /** The response has ended. The newest payment ends first: only the last part of a channel's charges can be returned. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#then(() => this.#endHandover());
    this.#end();
    // The store of a process that stops stays open for it.
    void this.#paidRoute.lateWrites.insist(this.#first, () => this.#closing);
  }

  /** From now on, no process hands a payment over. */
  async #endHandover(): Promise<void> {
    const { paymentIds, clock } = this.#paidRoute;
    const id = handover(this.#first.nonce, this.name);
    for (let i = 0; i < MOST_HANDOVERS; i++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const nonce = await paymentIds.tie(id, ENDED, clock() + ENDED_MS);
      if (nonce === ENDED) return;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await (await this.#coverAt(nonce))?.close();
      // oxlint-disable-next-line no-await-in-loop -- as above
      await paymentIds.untie(id, nonce);
    }
  }

  #end(): void {
    for (const cover of this.#covers.splice(0).toReversed()) this.#close(cover);
  }

  #close(cover: Cover): void {
    this.#then(() => cover.close());
  }

  #then(work: () => Promise<void>): void {
    this.#closing = this.#closing.then(work).catch((error: unknown) => {
      this.#paidRoute.log(
        `payment: the end of a metered response on ${this.#paidRoute.route} failed: ${faultOf(error)}`,
      );
    });
  }

  /** Resolves when a payment came to this process, and after `LOOK_MS`. */
  async #arrival(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#covers.length > 0) this.#wake();
    });
    this.#wake = undefined;
  }

  /** True if a payment that came to another process was taken. */
  async #takeHandedOver(): Promise<boolean> {
    const { paymentIds } = this.#paidRoute;
    const id = handover(this.#first.nonce, this.name);
    const nonce = await paymentIds.find(id);
    if (nonce === undefined || this.#covers.length > 0) return false;
    const cover = await this.#coverAt(nonce);
    if (cover === undefined) return false;
    // First of all, so that its end is recorded whatever fails.
    this.#covers.push(cover);
    if (this.#isOver) this.#end();
    await paymentIds.untie(id, nonce);
    return true;
  }

  /** A payment that another process has recorded. Undefined: it is not recorded yet, or not any more. */
  async #coverAt(nonce: string): Promise<Cover | undefined> {
    const { ledger } = this.#paidRoute;
    const found = await ledger.find({ ...this.#first, nonce });
    if (found?.state !== "deferred") return undefined;
    const { leased, payment } = await ledger.reserve(found);
    if (!leased) return undefined;
    const cover = this.#terms.coverOf(payment, new Lease(this.#paidRoute, payment, undefined));
    return (await cover.wait()) ? cover : undefined;
  }
}

/** The key of a stream among those of a process. */
export function streamKey(channelId: string, name: string): string {
  return `${channelId} ${name}`;
}
