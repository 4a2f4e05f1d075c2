import { isZero } from "../x402/address.ts";
import { faultOf, messageOf } from "../../lib/caught.ts";
import { type ChainState, type Channel, type Channels, MAX_CHANNEL_DIGITS, type Risk } from "../../store/channels.ts";
import { type ChannelFacilitator, type ChannelSettlement } from "../x402/channel-facilitator.ts";
import { lookAt, toChainState } from "./chain-state.ts";
import { claimOrder, refundOrder, settleOrder } from "./orders.ts";
import { atomicOf, type ChannelSettings } from "./settings.ts";

/** Milliseconds between two looks for channels that are due. @bound */
const LOOK_MS = 2000;
/** Batches of one round; the others wait for the next one. @bound */
const MAX_BATCHES = 100;
/** Milliseconds after which a channel that never had money is forgotten. @bound */
const EMPTY_MS = 3_600_000;
const FORGET_ROWS = 1000;
/** Milliseconds that the claims at a stop may take. @bound */
const STOP_MS = 10_000;
/** Rounds of claims at a stop, while the chain leaves some unanswered, and the time between two. @bound */
const STOP_ROUNDS = 5;
const STOP_PAUSE_MS = 250;

/** Trouble with a channel. `lost`: the payer has taken the money before it was claimed. */
export type ChannelTrouble = "withdrawal" | "reverting" | "unclaimed" | "lost";

export interface ClaimerOptions {
  readonly channels: Channels;
  /** Undefined while the configuration takes no payments from channels. */
  readonly settings: () => ChannelSettings | undefined;
  /** The facilitator for the channels of a network; undefined without one. */
  readonly facilitator: (channel: Channel) => ChannelFacilitator | undefined;
  readonly onTrouble: (channel: Channel, trouble: ChannelTrouble) => void;
  /** Called with the seller's risk before each round. */
  readonly onRisks: (risks: readonly Risk[]) => void;
  /** Called with the atomic units that were claimed. */
  readonly onClaimed: (channel: Channel, amount: bigint) => void;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

/**
 * Channels of one network, receiver and token: one order claims them. A payer without an authorizer may be a contract, which
 * can deny its voucher in the block after the simulation: its channel is a batch of its own.
 */
type Batch = readonly [Channel, ...Channel[]];

/**
 * Claims the charges of channels on the chain: by their number, sum and age, and at once if the payer withdraws. One
 * process works on a channel at a time. A claim names the sum of all charges, so that a claim whose response was lost can
 * be made again: the chain then has it already.
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  /** Unix milliseconds of the last transfer to each receiver. */
  readonly #settledAt = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<number> | undefined;
  #isClosed = false;
  /** True if the chain did not answer for a channel of this round: another round may claim it. */
  #isUnanswered = false;

  constructor(options: ClaimerOptions) {
    this.#options = options;
  }

  start(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#run(), LOOK_MS);
    this.#timer.unref();
  }

  /** Ends the rounds. With `claim.on_stop`, all charges are claimed. Resolves when the store may be closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
    if (this.#options.settings()?.keys.claim.on_stop !== true) return;
    const until = this.#options.clock() + STOP_MS;
    for (let round = 1; round <= STOP_ROUNDS; round++) {
      // oxlint-disable-next-line no-await-in-loop -- the next round claims what is left
      await this.round(true, until);
      if (!this.#isUnanswered || this.#options.clock() >= until) return;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Bun.sleep(STOP_PAUSE_MS);
    }
  }

  /** Works on all channels that are due, `all`: on all with charges. Returns how many were claimed. Does not throw. */
  async round(all = false, until = all ? this.#options.clock() + STOP_MS : Infinity): Promise<number> {
    const { channels, settings: current, clock, log } = this.#options;
    const settings = current();
    if (settings === undefined) return 0;
    let claimed = 0;
    this.#isUnanswered = false;
    try {
      const { claim } = settings.keys;
      const risks = await channels.risks();
      this.#options.onRisks(risks);
      const limits = risks.map((risk) => atomicOf(claim.amount, risk) ?? UNLIMITED);
      const owed = String(limits.reduce((least, limit) => (limit < least ? limit : least), UNLIMITED));
      for (let i = 0; i < MAX_BATCHES && clock() < until; i++) {
        // oxlint-disable-next-line no-await-in-loop -- the next batch is what is left
        const leased = await channels.work({ ...termsOf(settings, clock(), all), owed: all ? "0" : owed }, claim.batch);
        for (const batch of batchesOf(leased)) {
          // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
          claimed += await this.#work(batch, settings, all);
        }
        if (leased.length < claim.batch) break;
      }
      await channels.forgetEmpty(clock() - EMPTY_MS, FORGET_ROWS);
    } catch (error) {
      log(`channels: the ledger failed: ${faultOf(error)}`);
    }
    return claimed;
  }

  async #run(): Promise<void> {
    this.#round = this.round();
    await this.#round;
    this.#round = undefined;
    this.start();
  }

  async #work(batch: Batch, settings: ChannelSettings, all: boolean): Promise<number> {
    const facilitator = this.#options.facilitator(batch[0]);
    if (facilitator === undefined) {
      await this.#giveUp(batch);
      return 0;
    }
    const causes: string[] = [];
    const looks = await Promise.all(batch.map((channel) => this.#see(channel, facilitator, causes)));
    const seen = looks.flatMap((one) => one ?? []);
    if (causes.length > 0) {
      const part = `${causes.length} of ${batch.length} channels`;
      this.#options.log(`channels: the state of ${part} is not known: ${[...new Set(causes)].join("; ")}`);
    }
    for (const channel of seen.filter(({ standing }) => standing === "closing")) {
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      await this.#close(channel, facilitator, settings);
    }
    const usual = seen.filter(({ standing }) => standing !== "closing");
    const [first, ...others] = usual.filter((channel) => this.#isDue(channel, settings, all));
    const idle = usual.filter((channel) => channel !== first && !others.includes(channel));
    await Promise.all(idle.map((channel) => this.#options.channels.done(channel.id, channel, channel.syncedAt)));
    if (first === undefined) return 0;
    const claimed = await this.#claim([first, ...others], facilitator, settings);
    if (claimed > 0) await this.#settle(first, facilitator, settings);
    return claimed;
  }

  /**
   * Reads the state of a channel. Undefined if it is not known, or its money is gone. The lease of a refused one runs on.
   * `causes` gets the reason why the chain did not tell.
   */
  async #see(channel: Channel, facilitator: ChannelFacilitator, causes: string[]): Promise<Channel | undefined> {
    const { channels, clock, onTrouble } = this.#options;
    const at = clock();
    const seen = await lookAt(facilitator, channel).catch((error: unknown) => ({
      kind: "unavailable" as const,
      cause: faultOf(error),
    }));
    if (seen.kind === "valid") {
      const state = toChainState(seen.state);
      if (state.withdrawAt > 0 && channel.withdrawAt === 0) onTrouble(channel, "withdrawal");
      return { ...channel, ...state, syncedAt: at };
    }
    if (seen.kind === "refused" && GONE.has(seen.reason)) {
      onTrouble(channel, "lost");
      // Its charges cannot be claimed any more.
      const { charged, refundNonce } = channel;
      await channels.done(channel.id, { balance: charged, claimed: charged, withdrawAt: 0, refundNonce }, at);
    } else if (seen.kind === "refused") onTrouble(channel, "reverting");
    else {
      causes.push(seen.cause);
      if (seen.kind === "unavailable") {
        this.#isUnanswered = true;
        await channels.done(channel.id, undefined, at);
      }
    }
    return undefined;
  }

  #isDue(channel: Channel, settings: ChannelSettings, all: boolean): boolean {
    const owed = BigInt(channel.charged) - BigInt(channel.claimed);
    if (owed <= 0n || channel.signature === "") return false;
    const { charges, owedBefore } = termsOf(settings, this.#options.clock(), all);
    if (all || channel.withdrawAt > 0 || channel.charges >= charges || channel.owedSince <= owedBefore) return true;
    return owed >= (atomicOf(settings.keys.claim.amount, channel) ?? UNLIMITED);
  }

  /** Claims a batch. Rows that the chain refuses are left out. Returns how many were claimed. */
  async #claim(batch: Batch, facilitator: ChannelFacilitator, settings: ChannelSettings): Promise<number> {
    const { channels, onClaimed, onTrouble, log } = this.#options;
    const made = await this.#order(() => {
      const order = claimOrder(batch, settings.authorizer);
      return facilitator.settle(order, { ...order.accepted });
    });
    if (made.kind === "settled") {
      for (const channel of batch) {
        const state: ChainState = { ...channel, claimed: channel.charged };
        // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
        await channels.done(channel.id, state, channel.syncedAt);
        onClaimed(channel, BigInt(channel.charged) - BigInt(channel.claimed));
      }
      return batch.length;
    }
    if (made.kind === "unknown") {
      this.#isUnanswered = true;
      log(`channels: a claim of ${batch.length} channels is open: ${made.cause}`);
      await this.#giveUp(batch, "unclaimed");
      return 0;
    }
    const bad = new Set<string>(made.reverting?.map((id) => id.toLowerCase()));
    const [good, reverting] = [batch.filter(({ id }) => !bad.has(id)), batch.filter(({ id }) => bad.has(id))];
    log(`channels: a claim of ${batch.length} channels was refused: ${made.reason}`);
    // Their leases run on: else they would be due again at once, before all others.
    for (const channel of reverting) onTrouble(channel, "reverting");
    if (reverting.length === 0 && batch.length === 1) {
      onTrouble(batch[0], "reverting");
      return 0;
    }
    // A facilitator that names no rows gets halves.
    const half = reverting.length > 0 ? good.length : Math.ceil(good.length / 2);
    let claimed = 0;
    for (const part of [good.slice(0, half), good.slice(half)]) {
      const [first, ...others] = part;
      // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
      if (first !== undefined) claimed += await this.#claim([first, ...others], facilitator, settings);
    }
    return claimed;
  }

  /** Pays the rest of a channel back, and claims its charges with the same transaction. */
  async #close(channel: Channel, facilitator: ChannelFacilitator, { authorizer }: ChannelSettings): Promise<void> {
    const { channels, clock, log, onTrouble } = this.#options;
    const rest = BigInt(channel.balance) - BigInt(channel.base);
    if (rest <= 0n || channel.withdrawAt > 0) {
      await channels.done(channel.id, channel, channel.syncedAt);
      return;
    }
    const at = clock();
    const made = await this.#order(() => {
      const order = refundOrder(channel, String(rest), authorizer);
      return facilitator.settle(order, { ...order.accepted });
    });
    if (made.kind === "settled") {
      await channels.done(channel.id, made.state && toChainState(made.state), at);
      return;
    }
    log(`channels: the refund of a channel is open: ${made.kind === "unknown" ? made.cause : made.reason}`);
    if (made.kind === "refused") onTrouble(channel, "reverting");
    else await this.#giveUp([channel]);
  }

  /** Sends what was claimed to the receiver, seldom: it costs gas, and nothing is at risk. */
  async #settle(channel: Channel, facilitator: ChannelFacilitator, { keys }: ChannelSettings): Promise<void> {
    const { clock, log } = this.#options;
    const key = `${channel.network} ${channel.receiver} ${channel.token}`;
    const isEarly = clock() - (this.#settledAt.get(key) ?? -Infinity) < keys.settle_s * 1000;
    if (isEarly && !this.#isClosed) return;
    const made = await this.#order(() => {
      const order = settleOrder(channel);
      return facilitator.settle(order, { ...order.accepted });
    });
    if (made.kind === "unknown") log(`channels: a transfer of claimed money is open: ${made.cause}`);
    else this.#settledAt.set(key, clock());
  }

  async #order(make: () => Promise<ChannelSettlement>): Promise<ChannelSettlement> {
    try {
      return await make();
    } catch (error) {
      return { kind: "unknown", cause: messageOf(error), transaction: "" };
    }
  }

  async #giveUp(batch: readonly Channel[], trouble?: ChannelTrouble): Promise<void> {
    const { channels, onTrouble } = this.#options;
    for (const channel of batch) {
      if (trouble !== undefined) onTrouble(channel, trouble);
      // oxlint-disable-next-line no-await-in-loop -- the file takes one write at a time
      await channels.done(channel.id, undefined, 0);
    }
  }
}

/** Reasons that say that the money for a voucher is not in the channel any more. */
const GONE: ReadonlySet<string> = new Set([
  "invalid_batch_settlement_evm_channel_not_found",
  "invalid_batch_settlement_evm_cumulative_exceeds_balance",
]);

function termsOf({ keys }: ChannelSettings, now: number, all: boolean) {
  const { claim, fresh_s: freshS, withdraw_delay_s: delayS } = keys;
  return {
    charges: all ? 1 : claim.charges,
    owedBefore: now - Math.min(claim.age_s, delayS / 2) * 1000,
    syncedBefore: now - Math.min(freshS, delayS / 3) * 1000,
  };
}

/** More than any channel can owe. */
const UNLIMITED = 10n ** BigInt(MAX_CHANNEL_DIGITS) - 1n;

function isAlone({ payerAuthorizer }: Channel): boolean {
  return isZero(payerAuthorizer);
}

function batchesOf(channels: readonly Channel[]): readonly Batch[] {
  const batches = new Map<string, [Channel, ...Channel[]]>();
  // The other channels do not wait for contracts.
  const inOrder = channels.toSorted((a, b) => Number(isAlone(a)) - Number(isAlone(b)));
  for (const channel of inOrder) {
    const key = isAlone(channel) ? channel.id : `${channel.network} ${channel.receiver} ${channel.token}`;
    const batch = batches.get(key);
    if (batch === undefined) batches.set(key, [channel]);
    else batch.push(channel);
  }
  return [...batches.values()];
}
