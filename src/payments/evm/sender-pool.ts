import { type Address, sameAddress } from "../x402/address.ts";
import { type Sender, type Sending, type Sent } from "./node/scheme.ts";
import { type KeySender } from "./sender.ts";

/** Time for which a key that could not send is asked last, in milliseconds. @bound */
const REST_MS = 30_000;

type PooledSender = Pick<KeySender, keyof Sender | "load" | "close">;

/**
 * Several keys of one program on one chain. Each has its own nonces, so that no transaction waits for one of another key.
 * A transaction settles one payment (decision 0817). It goes to the key with the fewest open ones, and to another one if that
 * key cannot sign or pay.
 */
export class SenderPool implements Sender {
  readonly #senders: readonly PooledSender[];
  readonly #now: () => number;
  /** The end of each key's rest, by `#now`. */
  readonly #rests = new Map<PooledSender, number>();

  /**
   * `senders`: at least one, with one guard. Payments that name the facilitator name the first one's account. `now` returns
   * monotonic milliseconds.
   */
  constructor(senders: readonly PooledSender[], now: () => number) {
    this.#senders = senders;
    this.#now = now;
  }

  get #first(): PooledSender {
    const [first] = this.#senders;
    if (first === undefined) throw new Error("Cannot send: there is no key");
    return first;
  }

  get account(): Address {
    return this.#first.account;
  }

  get maxGas(): bigint {
    return this.#first.maxGas;
  }

  bars(payer: string): boolean {
    return this.#first.bars(payer);
  }

  resume(tag: string): Promise<Sent> | undefined {
    for (const sender of this.#senders) {
      const resumed = sender.resume(tag);
      if (resumed !== undefined) return resumed;
    }
    return undefined;
  }

  async send(sending: Sending): Promise<Sent> {
    const { from } = sending;
    const left = this.#senders.filter(({ account }) => from === undefined || sameAddress(account, from));
    let sent: Sent = { kind: "withheld", cause: "the facilitator does not have the account: nothing was sent" };
    for (;;) {
      const [sender] = left.toSorted((a, b) => this.#restOf(a) - this.#restOf(b) || a.load - b.load);
      if (sender === undefined) return sent;
      left.splice(left.indexOf(sender), 1);
      sent = await sender.send(sending);
      if (sent.kind !== "withheld" || sent.isKeyless !== true) {
        this.#rests.delete(sender);
        return sent;
      }
      this.#rests.set(sender, this.#now() + REST_MS);
    }
  }

  close(): void {
    for (const sender of this.#senders) sender.close();
  }

  /** 1 while the key rests. */
  #restOf(sender: PooledSender): number {
    return this.#now() < (this.#rests.get(sender) ?? 0) ? 1 : 0;
  }
}
