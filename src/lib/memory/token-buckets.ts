import { type HalfSipHash, sharedHash } from "./half-sip-hash.ts";

/** Ticks of a millisecond: the time in a slot is counted in sixteenths of a microsecond. */
export const TICKS_PER_MS = 16_000;
/** The longest time for a rate limit bucket to fill. A time in a slot is ambiguous after twice that time. */
export const MAX_FILL_MS = 3 * 86_400_000;
/** Rate limit buckets that are not full, of all routes together. @bound @internal */
export const SLOTS = 1 << 18;
/** Slots that may hold a key: two cache lines. @bound */
const WAYS = 16;
/** Buckets for keys without a slot: nearly always one for each route. @bound @internal */
export const SPARE_SLOTS = 1 << 10;
/** Memory of the hash's random key. */
const KEY_BYTES = 64;
const BYTES_PER_SLOT = 8;
/** Bytes of shared memory for all buckets. */
export const BUCKET_BYTES = KEY_BYTES + (SLOTS + SPARE_SLOTS) * BYTES_PER_SLOT;
/** Most looks at a slot that other workers change. After them the spare bucket takes the request. */
const MAX_TRIES = 1000;
/** Slots of one sweep; 64 sweeps cover all. */
const SWEEP_SLOTS = SLOTS / 64;

/** A slot's 64 bits: 20 identify the key, 44 are the time at which its bucket is full. A free one is zero. */
const TIME_BITS_HIGH = 12;
const TIME_MASK_HIGH = (1 << TIME_BITS_HIGH) - 1;
const TIME_RANGE = 2 ** 44;
const LOW_RANGE = 2 ** 32;

/** A bucket's size, in ticks. */
export interface BucketSize {
  /** The ticks in which it gains one token. */
  readonly cost: number;
  /** Its tokens when it is full. */
  readonly burst: number;
}

export interface Charge {
  /** False: the bucket has no token. */
  allowed: boolean;
  /** Ticks until the bucket is full, including this request if it was allowed. */
  untilFull: number;
}

/**
 * Token buckets of all workers together, in the form of GCRA: a bucket is stored as the time at which it will be full.
 * A request moves that time on by the time of one token. It is refused if that would be more than the burst away.
 *
 *   slot: │ 20 bits of the key's hash │ 44 bits of time │      set of 16 slots: by 14 other bits
 *
 * Key and time are in one 64-bit word, so every change is one compare-and-exchange, even when a slot is taken over. A
 * worker that dies leaves no lock behind. A slot is taken over only when its bucket is full, because a new bucket has
 * the same state. If all 16 slots of a set have buckets that are not full, new keys share one spare bucket of their
 * route, with the route's own rate. So a flood gets no more than one rate from it, and keys with a bucket keep it. If all
 * were admitted, a flood would avoid the limit; if all were refused, it would lock out others. Two
 * keys share a bucket if 34 bits of their hashes are equal. With 100,000 keys at a time, this happens to about one in
 * 170,000, and no client can choose which.
 */
export class TokenBuckets {
  /** Result of the last `charge`. The next one overwrites it. */
  readonly charged: Charge & { spare: boolean } = { allowed: false, untilFull: 0, spare: false };
  readonly #words: BigInt64Array;
  readonly #halves: Int32Array;
  readonly #hash: HalfSipHash;
  readonly #now: () => number;
  /** One word, as 64 bits and as two halves. */
  readonly #word = new BigInt64Array(1);
  readonly #half = new Int32Array(this.#word.buffer);
  readonly #isShared: boolean;
  /** True if the last charge has put its key into a slot. */
  #tookOver = false;
  #swept = 0;

  /**
   * `memory` has `BUCKET_BYTES` bytes, zeros at first. `now` gives monotonic milliseconds, the same in all processes
   * that share the memory. Memory that is not shared is used without `Atomics`, whose 64-bit words are objects: this
   * takes a third of the time (bench parts).
   */
  constructor(memory: Uint8Array, now: () => number, isShared = true) {
    const { buffer, byteOffset } = memory;
    this.#hash = sharedHash(new BigInt64Array(buffer, byteOffset, 1));
    this.#words = new BigInt64Array(buffer, byteOffset + KEY_BYTES, SLOTS + SPARE_SLOTS);
    this.#halves = new Int32Array(buffer, byteOffset + KEY_BYTES, (SLOTS + SPARE_SLOTS) * 2);
    this.#now = now;
    this.#isShared = isShared;
  }

  /** Two words that identify a route, or one kind of its keys, in calls of `charge`. */
  space(name: string): readonly [number, number] {
    this.#hash.hash(0, 0, name);
    return [this.#hash.low, this.#hash.high];
  }

  /** Takes a token from the bucket of `key`. The result is in `charged`. */
  charge(space: readonly [number, number], key: string, size: BucketSize): Charge {
    const now = Math.floor(this.#now() * TICKS_PER_MS);
    const { charged } = this;
    charged.spare = false;
    this.#hash.hash(space[0], space[1], key);
    const { low, high } = this.#hash;
    const first = low & (SLOTS - 1) & ~(WAYS - 1);
    // Zero marks a free slot.
    const tag = high >>> TIME_BITS_HIGH || 1;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const slot = this.#find(first, tag, now);
      if (slot < 0) break;
      if (this.#chargeSlot(slot, tag, now, size)) {
        if (this.#tookOver) this.#mergeDoubles(first, tag, now);
        return charged;
      }
    }
    charged.spare = true;
    const spare = SLOTS + (space[0] & (SPARE_SLOTS - 1));
    for (let tries = 0; tries < MAX_TRIES; tries++) if (this.#chargeSlot(spare, 1, now, size)) return charged;
    charged.allowed = false;
    charged.untilFull = size.burst * size.cost;
    return charged;
  }

  /** Puts a token back into the bucket of `key`. A key without a slot gets none back. */
  giveBack(space: readonly [number, number], key: string, { cost }: BucketSize): void {
    const now = Math.floor(this.#now() * TICKS_PER_MS);
    this.#hash.hash(space[0], space[1], key);
    const { low, high } = this.#hash;
    const first = low & (SLOTS - 1) & ~(WAYS - 1);
    const tag = high >>> TIME_BITS_HIGH || 1;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const slot = this.#find(first, tag, now);
      if (slot < 0) return;
      const seen = Atomics.load(this.#words, slot);
      this.#word[0] = seen;
      const untilFull = untilFullOf(this.#half[0] ?? 0, this.#half[1] ?? 0, now);
      if ((this.#half[1] ?? 0) >>> TIME_BITS_HIGH !== tag || untilFull <= 0) return;
      if (this.#exchange(slot, seen, { tag, time: now + Math.max(untilFull - cost, 0) })) return;
    }
  }

  /**
   * Clears some of the slots whose buckets are full. Called once a minute, it covers all slots within `MAX_FILL_MS`,
   * before an old time could be taken for a future one.
   */
  sweep(): void {
    const now = Math.floor(this.#now() * TICKS_PER_MS);
    for (let i = 0; i < SWEEP_SLOTS; i++) this.#clearIfFull((this.#swept + i) % SLOTS, now);
    if (this.#swept === 0) for (let i = 0; i < SPARE_SLOTS; i++) this.#clearIfFull(SLOTS + i, now);
    this.#swept = (this.#swept + SWEEP_SLOTS) % SLOTS;
  }

  /** Counts the slots with a bucket that is not full. It reads all slots. */
  countUsed(): number {
    const now = Math.floor(this.#now() * TICKS_PER_MS);
    let used = 0;
    for (let slot = 0; slot < SLOTS; slot++) if (this.#untilFullOf(slot, now) > 0) used++;
    return used;
  }

  /** The slot of `tag`, else one that may be taken over; -1 if there is neither. */
  #find(first: number, tag: number, now: number): number {
    let free = -1;
    for (let slot = first; slot < first + WAYS; slot++) {
      const high = Atomics.load(this.#halves, slot * 2 + 1);
      if (high >>> TIME_BITS_HIGH === tag) return slot;
      if (free >= 0) continue;
      const isFull = untilFullOf(Atomics.load(this.#halves, slot * 2), high, now) <= 0;
      // If the slot has changed meanwhile, it may be this key's. Without this check the key could get a second slot.
      if (isFull || Atomics.load(this.#halves, slot * 2 + 1) !== high) free = slot;
    }
    return free;
  }

  /** False: another worker was faster, and the slot must be read again. */
  #chargeSlot(slot: number, tag: number, now: number, size: BucketSize): boolean {
    if (this.#isShared) return this.#chargeShared(slot, tag, now, size);
    const halves = this.#halves;
    const low = halves[slot * 2] ?? 0;
    const high = halves[slot * 2 + 1] ?? 0;
    if (!this.#decide(low, high, { tag, now, size })) return false;
    if (!this.charged.allowed) return true;
    const within = (now + this.charged.untilFull) % TIME_RANGE;
    halves[slot * 2] = (within % LOW_RANGE) | 0;
    halves[slot * 2 + 1] = (tag << TIME_BITS_HIGH) | Math.floor(within / LOW_RANGE);
    return true;
  }

  #chargeShared(slot: number, tag: number, now: number, size: BucketSize): boolean {
    const seen = Atomics.load(this.#words, slot);
    this.#word[0] = seen;
    const [low = 0, high = 0] = this.#half;
    if (!this.#decide(low, high, { tag, now, size })) return false;
    return !this.charged.allowed || this.#exchange(slot, seen, { tag, time: now + this.charged.untilFull });
  }

  /** Writes the decision about one more request to `charged`. False: the bucket belongs to another key. */
  #decide(low: number, high: number, { tag, now, size }: { tag: number; now: number; size: BucketSize }): boolean {
    const untilFull = Math.max(untilFullOf(low, high, now), 0);
    const isOwn = high >>> TIME_BITS_HIGH === tag;
    if (!isOwn && untilFull > 0) return false;
    const { charged } = this;
    charged.allowed = untilFull + size.cost <= size.burst * size.cost;
    charged.untilFull = charged.allowed ? untilFull + size.cost : untilFull;
    this.#tookOver = charged.allowed && !isOwn;
    return true;
  }

  #exchange(slot: number, seen: bigint, { tag, time }: { readonly tag: number; readonly time: number }): boolean {
    const within = time % TIME_RANGE;
    this.#half[0] = (within % LOW_RANGE) | 0;
    this.#half[1] = (tag << TIME_BITS_HIGH) | Math.floor(within / LOW_RANGE);
    return Atomics.compareExchange(this.#words, slot, seen, this.#word[0] ?? 0n) === seen;
  }

  /**
   * Two workers may put the same new key into two slots, if another slot became free between their looks. All workers
   * use the first slot from then on. The used tokens of the others are added to it.
   */
  #mergeDoubles(first: number, tag: number, now: number): void {
    let kept = -1;
    for (let slot = first; slot < first + WAYS; slot++) {
      if ((this.#halves[slot * 2 + 1] ?? 0) >>> TIME_BITS_HIGH !== tag) continue;
      if (kept < 0) kept = slot;
      else this.#move(slot, kept, { tag, now });
    }
  }

  #move(from: number, to: number, { tag, now }: { readonly tag: number; readonly now: number }): void {
    const taken = Atomics.load(this.#words, from);
    this.#word[0] = taken;
    const [low = 0, high = 0] = this.#half;
    if (high >>> TIME_BITS_HIGH !== tag) return;
    if (Atomics.compareExchange(this.#words, from, taken, 0n) !== taken) return;
    const owed = untilFullOf(low, high, now);
    if (owed <= 0) return;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const seen = Atomics.load(this.#words, to);
      this.#word[0] = seen;
      const untilFull = Math.max(untilFullOf(this.#half[0] ?? 0, this.#half[1] ?? 0, now), 0);
      // Beyond `MAX_FILL_MS` a time could be taken for a past one.
      const time = now + Math.min(untilFull + owed, MAX_FILL_MS * TICKS_PER_MS);
      if ((this.#half[1] ?? 0) >>> TIME_BITS_HIGH !== tag || this.#exchange(to, seen, { tag, time })) return;
    }
  }

  #clearIfFull(slot: number, now: number): void {
    if (this.#untilFullOf(slot, now) > 0) return;
    const seen = Atomics.load(this.#words, slot);
    this.#word[0] = seen;
    if (seen !== 0n && untilFullOf(this.#half[0] ?? 0, this.#half[1] ?? 0, now) <= 0) {
      Atomics.compareExchange(this.#words, slot, seen, 0n);
    }
  }

  /** A read without `Atomics`. The exchange later confirms it before anything is decided. */
  #untilFullOf(slot: number, now: number): number {
    return untilFullOf(this.#halves[slot * 2] ?? 0, this.#halves[slot * 2 + 1] ?? 0, now);
  }
}

/** Ticks from `now` until the slot's bucket is full; 0 or less: it is full. */
function untilFullOf(low: number, high: number, now: number): number {
  if (high === 0 && low === 0) return 0;
  const time = (high & TIME_MASK_HIGH) * LOW_RANGE + (low >>> 0);
  const ahead = (time - now) % TIME_RANGE;
  if (ahead >= TIME_RANGE / 2) return ahead - TIME_RANGE;
  return ahead < -TIME_RANGE / 2 ? ahead + TIME_RANGE : ahead;
}
