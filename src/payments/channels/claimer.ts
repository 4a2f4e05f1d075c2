import { faultOf } from "../../lib/caught.ts";
import { Stop } from "../../lib/time/stop.ts";
import { type Channel, type Risk, type WorkTerms } from "../../store/channels.ts";
import { type ChannelFacilitator, type ChannelVerification } from "../x402/channel-facilitator.ts";
import { lookAt, toChainState } from "./chain-state.ts";
import { Claims, type ClaimsOptions } from "./claims.ts";
import { Closing } from "./closing.ts";
import { type Batch, batchesOf, isDeniable, isDue, termsOf } from "./due.ts";
import { type ChannelSettings } from "./settings.ts";
import { Transfers } from "./transfers.ts";

/** Milliseconds between two looks for channels that are due. @bound */
const LOOK_MS = 2000;
/** Batches of one round; the others wait for the next one. @bound */
const MAX_BATCHES = 100;
/** Milliseconds after which a channel that never had money is forgotten. @bound */
const EMPTY_MS = 3_600_000;
const FORGET_ROWS = 1000;
/** Milliseconds that the claims at a stop may take, and what they get at least. @bound */
const STOP_MS = 10_000;
const SHORTEST_STOP_MS = 1000;
/** Milliseconds between the first two rounds of a stop, if the chain leaves some unanswered. The pause doubles. */
const STOP_PAUSE_MS = 250;

const STOPPED: ChannelVerification = { kind: "unavailable", cause: "the gateway stops" };

export interface ClaimerOptions extends ClaimsOptions {
  /** Undefined while the configuration takes no payments from channels. */
  readonly settings: () => ChannelSettings | undefined;
  /** The facilitator for the channels of a network; undefined without one. */
  readonly facilitator: (channel: Channel) => ChannelFacilitator | undefined | Promise<ChannelFacilitator | undefined>;
  /** Called with the seller's risk before each round. */
  readonly onRisks: (risks: readonly Risk[]) => void;
}

interface Round {
  readonly settings: ChannelSettings;
  terms: WorkTerms;
  claimed: number;
  /** Channels without a response of the chain. They are leased until the end of the round, so that all others are due before. */
  readonly open: Channel[];
}

/**
 * Claims the charges of channels on the chain: by their number, sum and age, and at once if the payer withdraws. One
 * process works on a channel at a time. A claim names the sum of all charges, so that a claim whose response was lost can
 * be made again: the chain then has it already.
 */
export class Claimer {
  readonly #options: ClaimerOptions;
  readonly #stop = new Stop();
  readonly #claims: Claims;
  readonly #closing: Closing;
  readonly #transfers: Transfers;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(options: ClaimerOptions) {
    this.#options = options;
    this.#claims = new Claims(options, this.#stop);
    this.#closing = new Closing(options, this.#claims);
    this.#transfers = new Transfers(options, this.#claims);
  }

  start(): void {
    clearTimeout(this.#timer);
    // A round that runs starts the next one.
    if (this.#isClosed || this.#running !== undefined) return;
    this.#timer = setTimeout(() => void this.#run(), LOOK_MS);
  }

  /**
   * Ends the rounds within `graceMs`, or a little more. With `claim.on_stop`, all charges become due, and are claimed: what is
   * left is claimed by another process, or after the next start. Resolves when the store may be closed.
   */
  async close(graceMs = STOP_MS): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const timer = setTimeout(() => this.#stop.end(), Math.min(Math.max(graceMs, SHORTEST_STOP_MS), STOP_MS));
    await this.#running;
    if (this.#options.settings()?.keys.claim.on_stop === true) await this.#claimAll();
    clearTimeout(timer);
  }

  /** Works on all channels that are due, `all`: on all with charges. Returns how many were claimed. Does not throw. */
  async round(all = false): Promise<number> {
    if (all) await this.#demand();
    return (await this.#round()).claimed;
  }

  async #claimAll(): Promise<void> {
    await this.#demand();
    let pauseMs = STOP_PAUSE_MS;
    while (!this.#stop.isOver) {
      // oxlint-disable-next-line no-await-in-loop -- the next round claims what is left
      if ((await this.#round()).open === 0) return;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await this.#stop.orElse(Bun.sleep(pauseMs), undefined);
      pauseMs *= 2;
    }
  }

  async #demand(): Promise<void> {
    const { channels, log } = this.#options;
    await channels.demand(undefined).catch((error: unknown) => log(`channels: the ledger failed: ${faultOf(error)}`));
  }

  async #run(): Promise<void> {
    this.#running = this.#round();
    await this.#running;
    this.#running = undefined;
    this.start();
  }

  /** Returns the numbers of channels that were claimed, and that are left without a response. */
  async #round(): Promise<{ readonly claimed: number; readonly open: number }> {
    const { channels, settings: current, clock, log, onRisks } = this.#options;
    const settings = current();
    if (settings === undefined) return { claimed: 0, open: 0 };
    const { batch: size } = settings.keys.claim;
    const round: Round = { settings, terms: termsOf(settings, [], clock()), claimed: 0, open: [] };
    try {
      const risks = await channels.risks();
      onRisks(risks);
      round.terms = termsOf(settings, risks, clock());
      for (let i = 0; i < MAX_BATCHES && !this.#stop.isOver; i++) {
        // oxlint-disable-next-line no-await-in-loop -- the next batch is what is left
        const leased = await channels.work(round.terms, size);
        for (const batch of batchesOf(leased)) {
          // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
          await this.#work(batch, round);
        }
        if (leased.length < size) break;
      }
      await this.#claims.giveUp(round.open);
      await this.#transfers.make(settings.keys.settle_s, this.#isClosed);
      await channels.forgetEmpty(clock() - EMPTY_MS, FORGET_ROWS);
    } catch (error) {
      log(`channels: the ledger failed: ${faultOf(error)}`);
    }
    return { claimed: round.claimed, open: round.open.length };
  }

  async #work(batch: Batch, round: Round): Promise<void> {
    const { channels, facilitator: facilitatorOf, log, onTrouble } = this.#options;
    const { settings, terms } = round;
    if (this.#stop.isOver) return await this.#claims.giveUp(batch);
    const facilitator = await facilitatorOf(batch[0]);
    if (facilitator === undefined) {
      // Their leases run on: the next try is as late as that of a refused one.
      log(`channels: no facilitator works on the channels of ${batch[0].network}`);
      for (const channel of batch) onTrouble(channel, "unclaimed");
      return;
    }
    const causes: string[] = [];
    const looks = await Promise.all(
      batch.map((channel) =>
        this.#see(channel, facilitator, (cause) => {
          causes.push(cause);
          round.open.push(channel);
        }),
      ),
    );
    const seen = looks.flatMap((one) => one ?? []);
    if (causes.length > 0) {
      const part = `${causes.length} of ${batch.length} channels`;
      log(`channels: the state of ${part} is not known: ${[...new Set(causes)].join("; ")}`);
    }
    const closing = seen.filter((channel) => isClosing(channel, batch));
    for (const channel of closing) {
      // oxlint-disable-next-line no-await-in-loop -- one transaction after the other
      if (await this.#closing.close(channel, facilitator, settings)) this.#transfers.claimed(channel);
    }
    const usual = seen.filter((channel) => !closing.includes(channel));
    const [first, ...others] = usual.filter((channel) => isDue(channel, settings, terms));
    const idle = usual.filter((channel) => channel !== first && !others.includes(channel));
    await Promise.all(idle.map((channel) => channels.done(channel.id, channel, channel.syncedAt)));
    if (first === undefined) return;
    const made = await this.#claims.claim([first, ...others], facilitator, settings);
    round.claimed += made.claimed;
    round.open.push(...made.open);
    if (made.claimed > 0) this.#transfers.claimed(first);
  }

  /**
   * Reads the state of a channel. Undefined if it is not known, or if the chain refuses the newest voucher. `unanswered` gets
   * the reason why the chain did not tell.
   */
  async #see(
    channel: Channel,
    facilitator: ChannelFacilitator,
    unanswered: (cause: string) => void,
  ): Promise<Channel | undefined> {
    const { clock, onTrouble } = this.#options;
    const at = clock();
    const looking = lookAt(facilitator, channel).catch((error: unknown) => ({
      kind: "unavailable" as const,
      cause: faultOf(error),
    }));
    const seen = await this.#stop.orElse(looking, STOPPED);
    if (seen.kind === "valid") {
      const state = toChainState(seen.state);
      if (state.withdrawAt > 0 && channel.withdrawAt === 0) onTrouble(channel, "withdrawal");
      return { ...channel, ...state, syncedAt: at };
    }
    if (seen.kind === "refused") {
      const isDenied = isDeniable(channel) && seen.reason === "invalid_batch_settlement_evm_voucher_signature";
      await this.#claims.refuse(channel, isDenied || GONE.has(seen.reason));
      return undefined;
    }
    unanswered(seen.cause);
    return undefined;
  }
}

/**
 * True if the rest of a channel is to be paid back. A refund that the chain does not show, and whose result was lost, can still
 * come: it is made instead with the same number, so that one of the two is made.
 */
function isClosing({ id, standing, refundNonce }: Channel, before: readonly Channel[]): boolean {
  const known = before.find((channel) => channel.id === id)?.refundNonce;
  return standing === "closing" || (standing === "refunding" && refundNonce === known);
}

/** Reasons that say that the money for a voucher is not in the channel any more. */
const GONE: ReadonlySet<string> = new Set([
  "invalid_batch_settlement_evm_channel_not_found",
  "invalid_batch_settlement_evm_cumulative_exceeds_balance",
]);
