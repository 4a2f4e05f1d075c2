/** The scheme of payments from channels in the ledger. */
export const CHANNEL_SCHEME = "batch-settlement";

/** A channel as the chain has it. Amounts are atomic units in decimal. */
export interface ChainState {
  /** The sum of all deposits, without what was paid back. */
  readonly balance: string;
  /** The part of it that the receiver has claimed. */
  readonly claimed: string;
  /** Unix seconds at which the payer asked for its money back; 0: it did not. */
  readonly withdrawAt: number;
  readonly refundNonce: string;
}

/** The parts of a channel that never change: its id is their hash. Addresses are lower case. */
export interface ChannelIdentity {
  readonly id: string;
  readonly network: string;
  readonly payer: string;
  readonly payerAuthorizer: string;
  readonly receiver: string;
  readonly receiverAuthorizer: string;
  readonly token: string;
  readonly withdrawDelay: number;
  readonly salt: string;
}

/**
 * A payer's channel. Its row changes in the transaction that changes a payment of it, by triggers of the database
 * (decision 0818): a reservation holds the channel and moves its base, a settlement counts as charged, a release moves the
 * base back. A row with charges is never deleted, so that no voucher is accepted below what was charged.
 */
export interface Channel extends ChannelIdentity, ChainState {
  /**
   * `refunding`: money goes back to the payer. `closing`: all of it will. `withdrawing`: the payer takes its money. Only an
   * open channel takes vouchers.
   */
  readonly standing: (typeof STANDINGS)[number];
  /** Unix milliseconds at which the chain was asked. */
  readonly syncedAt: number;
  /** The next voucher must be for this sum and the price. It counts what is reserved. */
  readonly base: string;
  /** The sum of all settled charges. The part above `claimed` is the seller's risk. */
  readonly charged: string;
  /** The largest voucher that paid for something; 0 and empty without one. */
  readonly signed: string;
  readonly signature: string;
  /** The nonce of the payment that is being served; empty: the channel is free. */
  readonly holder: string;
  /** The nonce of the newest payment. */
  readonly tail: string;
  /** Charges since the last claim, and the time of the first of them in Unix milliseconds; 0: none. */
  readonly charges: number;
  readonly owedSince: number;
  /** Unix milliseconds at which the chain first refused to claim the charges since the last claim; 0: it did not. */
  readonly refusedAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const STANDINGS = ["open", "refunding", "closing", "withdrawing"] as const;

/** When the charges of a channel are to be claimed, or its state is to be read again. */
export interface WorkTerms {
  /** The number of unclaimed charges, and their sum in atomic units. */
  readonly charges: number;
  readonly owed: string;
  /** The same sum for channels whose payer can deny its vouchers. */
  readonly deniable: string;
  /** Unix milliseconds: the first unclaimed charge was made before this. */
  readonly owedBefore: number;
  /** Unix milliseconds: the chain was asked before this. */
  readonly syncedBefore: number;
}

/** The seller's risk in one token: the charges that are not claimed. */
export interface Risk {
  readonly network: string;
  readonly token: string;
  /** Channels with such charges. */
  readonly channels: number;
  /** Channels of these from which the payer withdraws. */
  readonly withdrawing: number;
  readonly owed: string;
  /** The part of it that payers without an authorizer owe. */
  readonly deniable: string;
  /** The charges that are written off, beside it. */
  readonly lost: string;
  /** Unix milliseconds of the oldest unclaimed charge; 0: none. */
  readonly owedSince: number;
}

/** The payer's own account signs vouchers. As a contract, it can deny them before they are claimed. */
export const NO_AUTHORIZER = `0x${"0".repeat(40)}`;

/** True if the unclaimed charges of a channel are written off. */
export function isLost({ charged, claimed, owedSince }: Pick<Channel, "charged" | "claimed" | "owedSince">): boolean {
  return owedSince === 0 && BigInt(charged) > BigInt(claimed);
}

/** Records channels. Each method is atomic over all processes that share the store. */
export interface Channels {
  find(id: string): Promise<Channel | undefined>;
  /** Adds a channel, whose base is what the chain has as claimed; or records the state of a known one. */
  open(identity: ChannelIdentity, state: ChainState, at: number): Promise<Channel>;
  /**
   * Records what the chain said at `at` (Unix milliseconds), if nothing later is known. It ends no refund and no closing. No
   * word of a node that lags behind ends a withdrawal: only a refund, or the time of its delay.
   */
  sync(id: string, state: ChainState, at: number): Promise<void>;
  /** Leases channels that are due: those of withdrawals first. A lease ends after `WORK_MS`. */
  work(terms: WorkTerms, limit: number): Promise<readonly Channel[]>;
  /** Leases a channel, and closes it to vouchers until the work ends. Undefined: it is not open, or in use. */
  refund(id: string): Promise<Channel | undefined>;
  /** Makes an open channel that is not in use due for the refund of its rest. False: it is not open, or in use. */
  close(id: string): Promise<boolean>;
  /**
   * Makes the charges of all channels due for a claim, or those of one channel, also if they are written off. Returns how many
   * channels have charges.
   */
  demand(id: string | undefined): Promise<number>;
  /**
   * Ends the lease of this process with what the chain said at `at`; undefined: not known. If something later is known, only
   * claims count. False: the lease had ended.
   */
  done(id: string, state: ChainState | undefined, at: number): Promise<boolean>;
  /** Records that the chain refuses to claim a leased channel. The lease runs on. */
  refuse(id: string): Promise<void>;
  /** Takes the charges of a leased channel that the chain refuses out of the risk, and ends the lease. False: it had ended. */
  writeOff(id: string): Promise<boolean>;
  /** True if the chain has refused to claim vouchers that this payer has signed without an authorizer. */
  isBarred(payer: string): Promise<boolean>;
  /** Newest use first. `before`: the last channel of the page before. */
  list(before: Pick<Channel, "id" | "updatedAt"> | undefined, limit: number): Promise<readonly Channel[]>;
  risks(): Promise<readonly Risk[]>;
  /** Removes channels that never had money and were last changed before `before` (Unix milliseconds). */
  forgetEmpty(before: number, limit: number): Promise<number>;
}

/**
 * Milliseconds by which the clocks of gateways and of the store may differ. A time further in the future is that of a clock that
 * was set back, and says nothing.
 */
export const MAX_SKEW_MS = 60_000;

/** Milliseconds after which the work of a process on a channel counts as ended. @bound */
export const WORK_MS = 120_000;

/** Digits of the largest sum of a channel. @bound */
export const MAX_CHANNEL_DIGITS = 30;

/** Characters of a channel's id. */
export const ID_LENGTH = 66;

/**
 * The nonce of a payment in the ledger: its channel and the base of its voucher. Bases only grow with each charge, so one
 * voucher pays once.
 */
export function channelNonce(id: string, base: string): string {
  return `${id}:${base.padStart(MAX_CHANNEL_DIGITS, "0")}`;
}

/** The channel of a payment. */
export function channelOf(nonce: string): string {
  return nonce.slice(0, ID_LENGTH);
}

/** The base of a payment's voucher. */
export function baseOf(nonce: string): string {
  return nonce.slice(ID_LENGTH + 1).replace(/^0+(?=.)/, "");
}
