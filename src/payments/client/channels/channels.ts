import { type PaymentPayload, type PaymentRequirements } from "../../x402/messages.ts";
import { type Account } from "../../signatures/signature.ts";
import { type Deposit } from "../../x402/channel-messages.ts";
import { type Choice, formatDollars, parseDollars, PaymentDeclined, toDollars } from "../choice.ts";
import { codeOf } from "../../../lib/caught.ts";
import { largest } from "../../../lib/extremes.ts";
import { randomHex } from "../../../lib/text/random-hex.ts";
import { isWithin } from "../../../lib/time/is-within.ts";
import { type Channel, ChannelFile, unspentOf, without } from "./channel-file.ts";
import { depositOf, neededFor, type Slot, slotsOf } from "./channel-plan.ts";
import { channelTermsOf } from "./channel-terms.ts";
import { signDeposit, signVoucher } from "./sign-channel.ts";
import { sleepFor } from "../send-paid.ts";

/** Longest time that one request keeps its channel, in milliseconds, if its process does not end before. @bound */
const BUSY_MS = 600_000;
/** Longest wait for a channel that other requests use, in milliseconds. @bound */
const WAIT_MS = 60_000;
/** Milliseconds between two looks for a free channel. */
const LOOK_MS = 25;

/** The request that a channel is opened for. */
export interface Origin {
  readonly url: string;
  readonly method: string;
  /** The Unix time in seconds until which a deposit's signature is valid. */
  readonly expires: number;
}

/** A channel that one request has for itself. */
export interface Hold {
  readonly channel: Channel;
  readonly key: string;
}

/** The payment from a channel that is held. */
export interface Seat extends Hold {
  /** The record before this request. */
  readonly before: Channel;
  readonly price: bigint;
  readonly deposit: Deposit["deposit"] | undefined;
  readonly payload: object;
}

export interface ChannelLimits {
  /** The most that all channels may hold unspent, for example `$5`. Deposits that can still be made count. */
  readonly maxDeposit: string;
  /** Unix milliseconds. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** Pays from the channels of a wallet. */
export class Channels {
  readonly file: ChannelFile;
  readonly #limits: ChannelLimits;

  constructor(folder: string, limits: ChannelLimits) {
    this.file = new ChannelFile(folder, limits.now);
    this.#limits = limits;
    parseDollars(limits.maxDeposit);
  }

  get now(): () => number {
    return this.#limits.now ?? Date.now;
  }

  /** The deposit that a payment needs, 0 without one; or why a channel cannot make it. */
  weigh(choice: Choice, account: Account): bigint | string {
    const { requirements, asset } = choice;
    const terms = channelTermsOf(requirements);
    if (typeof terms === "string") return terms;
    const channels = this.file.channels();
    const slots = slotsOf(terms, { network: asset.network, payer: account.address }, channels).filter(isUsable);
    if (slots.length === 0)
      return "the server claimed more from its channels than it delivered, or they are being closed";
    const needs = slots.map(({ channel }) => neededFor(channel, BigInt(requirements.amount), this.now()));
    const least = needs.reduce((a, b) => (b < a ? b : a));
    if (least === 0n) return 0n;
    return this.#depositOf(choice, least, channels) ?? this.#tooMuch(channels);
  }

  /**
   * Waits for a channel, and keeps it for one request. The deposit, if there is one, and the voucher are on the disk before
   * they are signed. Throws PaymentDeclined.
   */
  async take(choice: Choice, account: Account, origin: Origin, signal?: AbortSignal): Promise<Seat> {
    const key = randomHex();
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      const seat = this.#tryTake(choice, account, origin, key);
      if (seat !== undefined) return seat;
      if (waitedMs >= WAIT_MS) throw new PaymentDeclined("Cannot pay: the channels of this seller stay in use");
      await (this.#limits.sleep ?? sleepFor)(LOOK_MS);
      signal?.throwIfAborted();
    }
  }

  #tryTake(choice: Choice, account: Account, origin: Origin, key: string): Seat | undefined {
    const { requirements, asset } = choice;
    const terms = channelTermsOf(requirements);
    if (typeof terms === "string") throw new PaymentDeclined(`Cannot pay: ${terms}`);
    const price = BigInt(requirements.amount);
    let taken: (Pick<Seat, "channel" | "before"> & { readonly deposit: bigint }) | undefined;
    this.file.change((channels) => {
      const slots = slotsOf(terms, { network: asset.network, payer: account.address }, channels).filter(isUsable);
      const free = slots.filter(({ channel }) => !isBusy(channel, this.now()));
      const weighed = free.map((slot) => ({ slot, needed: neededFor(slot.channel, price, this.now()) }));
      const [best] = weighed.toSorted((a, b) => Number(a.needed - b.needed));
      taken = undefined;
      const deposit = best && (best.needed === 0n ? 0n : this.#depositOf(choice, best.needed, channels));
      if (best === undefined || deposit === undefined) {
        if (free.length === slots.length) throw new PaymentDeclined(`Cannot pay: ${this.#tooMuch(channels)}`);
        return channels;
      }
      const before = best.slot.channel ?? fresh(best.slot, choice, origin);
      const channel = this.#busyWith(before, { price, deposit, expires: origin.expires, key });
      taken = { channel, before, deposit };
      return [...channels.filter(({ id }) => id !== channel.id), channel];
    });
    return taken && seatOf(taken, choice, account, { key, deposit: taken.deposit });
  }

  /** The next payment from a channel that is kept. Throws PaymentDeclined. */
  again(seat: Seat, choice: Choice, account: Account, { expires }: Pick<Origin, "expires">): Seat {
    const { key, price } = seat;
    let taken: (Pick<Seat, "channel" | "before"> & { readonly deposit: bigint }) | undefined;
    this.file.change((channels) => {
      const before = channels.find(({ id }) => id === seat.channel.id);
      if (before?.busy?.key !== key) throw new PaymentDeclined("Cannot pay: another request has the channel");
      const needed = neededFor(before, price, this.now());
      const deposit = needed === 0n ? 0n : this.#depositOf(choice, needed, channels);
      if (deposit === undefined) throw new PaymentDeclined(`Cannot pay: ${this.#tooMuch(channels)}`);
      const channel = this.#busyWith(before, { price, deposit, expires, key });
      taken = { channel, before, deposit };
      return [...channels.filter(({ id }) => id !== channel.id), channel];
    });
    if (taken === undefined) throw new PaymentDeclined("Cannot pay: the channels cannot be changed");
    return seatOf(taken, choice, account, { key, deposit: taken.deposit });
  }

  /** The channel with a payment that may be charged from now on. */
  #busyWith(
    before: Channel,
    {
      price,
      deposit,
      expires,
      key,
    }: { readonly price: bigint; readonly deposit: bigint; readonly expires: number; readonly key: string },
  ): Channel {
    return {
      ...before,
      ...(deposit === 0n ? {} : { deposit: { amount: deposit.toString(), expires } }),
      signed: largest(BigInt(before.signed), BigInt(before.charged) + price).toString(),
      open: (BigInt(before.open) + price).toString(),
      busy: { pid: process.pid, until: this.now() + BUSY_MS, key },
    };
  }

  #depositOf({ requirements, asset }: Choice, needed: bigint, channels: readonly Channel[]): bigint | undefined {
    const unit = 10n ** BigInt(36 - asset.decimals);
    const rest = parseDollars(this.#limits.maxDeposit) - this.#unspent(channels);
    return depositOf(requirements, needed, largest(rest, 0n) / unit);
  }

  #unspent(channels: readonly Channel[]): bigint {
    return channels
      .map((channel) => toDollars(unspentOf(channel, this.now()), channel.decimals))
      .reduce((sum, dollars) => sum + dollars, 0n);
  }

  #tooMuch(channels: readonly Channel[]): string {
    return `channels may hold ${this.#limits.maxDeposit}, and ${formatDollars(this.#unspent(channels))} are in them`;
  }

  /** Keeps the channel `id` from requests. Throws PaymentDeclined for an unknown one, or if a request has it. */
  hold(id: string): Hold {
    const key = randomHex();
    let held: Channel | undefined;
    this.file.update(id, (channel) => {
      held = { ...channel, busy: { pid: process.pid, until: this.now() + BUSY_MS, key } };
      if (isBusy(channel, this.now()))
        throw new PaymentDeclined(`Cannot use the channel ${id}: a request pays from it`);
      return held;
    });
    if (held === undefined) throw new PaymentDeclined(`Cannot use the channel ${id}: the wallet does not have it`);
    return { channel: held, key };
  }

  /** Changes a channel, if it is still held. */
  change(seat: Hold, change: (channel: Channel) => Channel): Channel {
    let changed = seat.channel;
    this.file.update(seat.channel.id, (channel) => {
      if (channel.busy?.key !== seat.key) return channel;
      changed = change(channel);
      return changed;
    });
    return changed;
  }

  /** Lets other requests have the channel. */
  release(seat: Hold): void {
    this.change(seat, (channel) => without(channel, "busy"));
  }
}

/** The payment from a channel that is taken. A deposit that is signed already is sent again. */
export function seatOf(
  { channel, before }: Pick<Seat, "channel" | "before">,
  choice: Choice,
  account: Account,
  { key, deposit, signed }: { readonly key: string; readonly deposit: bigint; readonly signed?: Seat["deposit"] },
): Seat {
  const price = BigInt(choice.requirements.amount);
  const most = (BigInt(channel.charged) + price).toString();
  const voucher = signVoucher(channel.network, channel.id, most, account);
  const made =
    deposit === 0n
      ? undefined
      : (signed ?? signDeposit(channel, choice, channel.deposit ?? never("a deposit without a record"), account));
  const parts = { channelConfig: channel.config, voucher };
  const payload = made === undefined ? { type: "voucher", ...parts } : { type: "deposit", ...parts, deposit: made };
  return { channel, before, key, price, deposit: made, payload };
}

function never(what: string): never {
  throw new Error(`Cannot sign ${what}`);
}

function fresh({ id, config }: Slot, { asset }: Choice, { url, method }: Origin): Channel {
  const { network, symbol, decimals } = asset;
  return { id, network, config, symbol, decimals, url, method, balance: "0", charged: "0", signed: "0", open: "0" };
}

function isUsable({ channel }: Slot): boolean {
  return channel?.disputed === undefined && channel?.withdrawable === undefined;
}

function isBusy(channel: Channel | undefined, now: number): boolean {
  const { busy } = channel ?? {};
  return busy !== undefined && isWithin(busy.until - BUSY_MS, BUSY_MS, now) && isRunning(busy.pid);
}

/** False only if no process has this number. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** The payment from a seat, as it is sent. */
export function channelPayment(
  { payload }: Pick<Seat, "payload">,
  required: Pick<PaymentPayload, "resource" | "extensions">,
  accepted: PaymentRequirements,
): object {
  const { resource, extensions } = required;
  return { x402Version: 2, resource, accepted, payload, ...(extensions === undefined ? {} : { extensions }) };
}
