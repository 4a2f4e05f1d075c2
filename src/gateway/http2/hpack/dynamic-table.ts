/** Slots that the first insertion takes; they double up to what the table's size allows. */
const FIRST_SLOTS = 8;

/** What the table keeps of a field: the name beside the item, since a literal may refer to it. */
export interface Entry<T> {
  readonly name: string;
  readonly item: T;
  /** Octets of name and value and 32 more (RFC 7541 §4.1). */
  readonly size: number;
}

/**
 * The dynamic table (RFC 7541 §2.3.2): a queue with its newest entry first, in a ring, since `shift` moves the rest. Its
 * size is bounded by `maxSize`, its slots by `maxSize` / 32. Until something is inserted it takes no memory.
 */
export class DynamicTable<T> {
  readonly #maxSize: number;
  #limit: number;
  #size = 0;
  #ring: (Entry<T> | undefined)[] | undefined = undefined;
  /** Slots less one; they are a power of two. */
  #mask = 0;
  /** Slot of the newest entry. */
  #newest = 0;
  #count = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
    this.#limit = maxSize;
  }

  /** The entry inserted `age` insertions ago, 0 for the last one; undefined where there is none. */
  get(age: number): Entry<T> | undefined {
    return age < this.#count ? this.#ring?.[(this.#newest - age) & this.#mask] : undefined;
  }

  /** False where `size` is above what was agreed on (RFC 7541 §6.3). */
  resize(size: number): boolean {
    if (size > this.#maxSize) return false;
    this.#limit = size;
    this.#evict(size);
    return true;
  }

  /** An entry larger than the table empties it, and is no error (RFC 7541 §4.4). */
  insert(name: string, item: T, size: number): void {
    this.#evict(this.#limit - size);
    if (size > this.#limit) return;
    const ring = this.#ring;
    const roomy = ring !== undefined && this.#count < ring.length ? ring : this.#grow();
    this.#newest = (this.#newest + 1) & this.#mask;
    roomy[this.#newest] = { name, item, size };
    this.#count++;
    this.#size += size;
  }

  /** Drops the oldest entries until no more than `room` octets are taken. */
  #evict(room: number): void {
    const ring = this.#ring;
    if (ring === undefined) return;
    while (this.#size > room && this.#count > 0) {
      const slot = (this.#newest - --this.#count) & this.#mask;
      this.#size -= ring[slot]?.size ?? 0;
      ring[slot] = undefined;
    }
  }

  /** Doubles the slots; the entries keep their order, oldest in slot 0. */
  #grow(): (Entry<T> | undefined)[] {
    const ring: (Entry<T> | undefined)[] = [];
    for (let age = this.#count - 1; age >= 0; age--) ring.push(this.get(age));
    const slots = Math.max(FIRST_SLOTS, this.#count * 2);
    while (ring.length < slots) ring.push(undefined);
    this.#ring = ring;
    this.#mask = slots - 1;
    this.#newest = (this.#count - 1) & this.#mask;
    return ring;
  }
}
