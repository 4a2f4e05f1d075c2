import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { codeOf } from "../../../lib/caught.ts";
import { createWholeFile } from "../../../lib/files/whole-file.ts";
import { largest } from "../../../lib/extremes.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { channelConfigSchema } from "../../x402/channel-messages.ts";
import { atomicSchema, bytes32Schema } from "../../x402/messages.ts";
import { type EvmNetwork, parseEvmNetwork } from "../../x402/networks.ts";
import { PaymentDeclined } from "../choice.ts";

/** Channels of a wallet. Beyond it, no further one is opened until one is spent or refunded. @bound */
const MAX_CHANNELS = 1000;
/** Older states that are kept for processes that are just changing them. @bound */
const KEPT_STATES = 32;
/** Seconds after its expiry for which a deposit's signature still counts, because clocks differ. @bound */
const EXPIRY_MARGIN_S = 60;
/** Attempts to write the next state while other processes write theirs. @bound */
const MAX_WRITES = 100;

const network = z.custom<EvmNetwork>((value) => typeof value === "string" && parseEvmNetwork(value) === value);

const signedAmount = z.object({ amount: atomicSchema, expires: z.int() });

const channelSchema = z.object({
  id: bytes32Schema,
  network,
  config: channelConfigSchema,
  symbol: z.string(),
  decimals: z.int().min(0).max(36),
  /** The request that the channel was opened for. A refund sends it again. */
  url: z.string(),
  method: z.string(),
  /** Deposits minus refunds and withdrawals, as far as the client knows. Claims do not lower it. Atomic units, as all amounts. */
  balance: atomicSchema,
  /** The sum of all charges whose responses were received. */
  charged: atomicSchema,
  /** The highest sum of a voucher that the wallet has signed. */
  signed: atomicSchema,
  /** The sum of the prices whose outcome is unknown: the server may have charged them. */
  open: atomicSchema,
  /** A deposit whose outcome is unknown, and the sum of those that the server refused. Their signatures can be used until `expires` (Unix seconds). */
  deposit: signedAmount.optional(),
  refused: signedAmount.optional(),
  /** The process that pays from the channel now, at most until this time in Unix milliseconds. */
  busy: z.object({ pid: z.int(), until: z.int(), key: z.string() }).optional(),
  /** Unix seconds from which the payer may take the money back, after it has asked the chain for that. */
  withdrawable: z.int().optional(),
  /** The server claimed charges that it did not deliver. The wallet pays nothing more from the channel. */
  disputed: z.literal(true).optional(),
});

const stateSchema = z.object({ version: z.literal(1), channels: z.array(channelSchema).max(MAX_CHANNELS) });

/** The client's record of a channel of the wallet. */
export type Channel = z.infer<typeof channelSchema>;

/** The folder of a wallet's channels, beside the wallet. */
export function channelsPath(wallet: string): string {
  return join(dirname(wallet), "channels");
}

/** The channel without a member that it may have. */
export function without(channel: Channel, key: "deposit" | "busy" | "withdrawable"): Channel {
  const copy = { ...channel };
  delete copy[key];
  return copy;
}

/** The deposit or the refused deposits `signed`, until their signatures have expired. `now` is in Unix milliseconds. */
export function liveAmount(signed: Channel["deposit"], now: number): bigint {
  // Clocks differ.
  return signed === undefined || (signed.expires + EXPIRY_MARGIN_S) * 1000 < now ? 0n : BigInt(signed.amount);
}

/** All that can be in a channel and is not spent, with deposits that can still be made. */
export function unspentOf({ balance, charged, deposit, refused }: Channel, now: number): bigint {
  const rest = BigInt(balance) - BigInt(charged);
  // After a withdrawal, less can be in the channel than was charged.
  return largest(rest, 0n) + liveAmount(deposit, now) + liveAmount(refused, now);
}

/**
 * The channels of a wallet, in a folder that only its owner can read. Any number of processes may use it. Each state is a
 * file with the next number; a link creates it only if no other process has created it, so that no lock can be left behind.
 */
export class ChannelFile {
  readonly #folder: string;
  readonly #now: () => number;

  /** The folder is created on the first change. `now` returns Unix milliseconds. */
  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  /** All channels. Throws PaymentDeclined if they cannot be read. */
  channels(): readonly Channel[] {
    return this.#guarded(() => this.#read().channels);
  }

  /**
   * Changes the channels on the disk: `change` returns the new list, and is called again if another process was faster.
   * Throws PaymentDeclined if they cannot be kept, and what `change` throws.
   */
  change(change: (channels: readonly Channel[]) => readonly Channel[]): void {
    for (let writes = 0; writes < MAX_WRITES; writes++) {
      const { number, channels } = this.#guarded(() => this.#read());
      const next = withRoom(change(channels), this.#now());
      if (next === channels || this.#guarded(() => this.#write(number + 1, next))) return;
    }
    throw new PaymentDeclined(`Cannot keep the wallet's channels in "${this.#folder}": other processes change them`);
  }

  /** Changes the channel `id`, which must exist. */
  update(id: string, change: (channel: Channel) => Channel): void {
    this.change((channels) => channels.map((channel) => (channel.id === id ? change(channel) : channel)));
  }

  #numbers(): readonly number[] {
    try {
      const names = readdirSync(this.#folder).map((name) => /^(\d{1,15})\.json$/.exec(name)?.[1]);
      return names.flatMap((digits) => (digits === undefined ? [] : [Number(digits)])).toSorted((a, b) => b - a);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    }
  }

  #read(): { readonly number: number; readonly channels: readonly Channel[] } {
    for (let reads = 0; ; reads++) {
      const [number] = this.#numbers();
      if (number === undefined) return { number: 0, channels: [] };
      try {
        const parsed = stateSchema.safeParse(parsedJson(readFileSync(this.#fileOf(number), "utf8")));
        if (!parsed.success) throw new PaymentDeclined(`Cannot use the channels in "${this.#fileOf(number)}": damaged`);
        return { number, channels: parsed.data.channels };
      } catch (error) {
        // Others have written newer states, and removed this one.
        if (codeOf(error) !== "ENOENT" || reads === MAX_WRITES) throw error;
      }
    }
  }

  /** False if another process has written this state or a newer one. */
  #write(number: number, channels: readonly Channel[]): boolean {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#fileOf(number);
    try {
      createWholeFile(path, JSON.stringify({ version: 1, channels }));
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
    const numbers = this.#numbers();
    // This process paused for so long that others have written later states, and removed the state with this number.
    if (Math.max(...numbers) > number + KEPT_STATES) {
      rmSync(path, { force: true });
      return false;
    }
    const older = numbers.filter((other) => other < number);
    for (const old of older.slice(KEPT_STATES).toReversed()) rmSync(this.#fileOf(old), { force: true });
    const folder = openSync(this.#folder, "r");
    fsyncSync(folder);
    closeSync(folder);
    return true;
  }

  #fileOf(number: number): string {
    return join(this.#folder, `${number}.json`);
  }

  #guarded<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof PaymentDeclined) throw error;
      // A voucher that cannot be recorded is not signed.
      const reason = codeOf(error) ?? "unknown";
      throw new PaymentDeclined(`Cannot keep the wallet's channels in "${this.#folder}": ${reason}`, { cause: error });
    }
  }
}

/** Without the oldest spent channels, if there are too many. Their state comes back from the server. */
function withRoom(channels: readonly Channel[], now: number): readonly Channel[] {
  const excess = channels.length - MAX_CHANNELS;
  if (excess <= 0) return channels;
  const isSpent = (channel: Channel): boolean =>
    unspentOf(channel, now) === 0n && channel.open === "0" && channel.busy === undefined;
  const dropped = new Set(channels.filter(isSpent).slice(0, excess));
  if (dropped.size < excess) throw new PaymentDeclined(`Cannot open a channel: the wallet has ${MAX_CHANNELS} of them`);
  return channels.filter((channel) => !dropped.has(channel));
}
