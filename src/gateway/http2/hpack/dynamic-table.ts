/** Slots that the first insertion creates. They double up to the limit that the table's size sets. */
const FIRST_SLOTS = 8;

/** A field in the table. The name is kept beside the item because a literal may refer to it. */
export interface TableEntry<T> {
  readonly name: string;
  readonly item: T;
  /** Bytes of name and value, plus 32 (RFC 7541 §4.1). */
  readonly size: number;
}

/**
 * The dynamic table (RFC 7541 §2.3.2): a queue with its newest entry first. It is a ring, because `shift` would move
 * all other entries. `maxSize` limits its size in bytes, and `maxSize` / 32 its slots. It uses no memory until the
 * first insertion.
 */
export class DynamicTable<T> {
  readonly #maxSize: number;
  #limit: number;
  #size = 0;
  #ring: (TableEntry<T> | undefined)[] | undefined = undefined;
  /** The number of slots, a power of two, minus one. */
  #mask = 0;
  /** The slot of the newest entry. */
  #newest = 0;
  #count = 0;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
    this.#limit = maxSize;
  }

  /** The entry that was inserted `age` insertions ago (0: the last one); undefined if there is no such entry. */
  get(age: number): TableEntry<T> | undefined {
    return age < this.#count ? this.#ring?.[(this.#newest - age) & this.#mask] : undefined;
  }

  /** Returns false if `size` exceeds the agreed limit (RFC 7541 §6.3). */
  resize(size: number): boolean {
    if (size > this.#maxSize) return false;
    this.#limit = size;
    this.#evict(size);
    return true;
  }

  /** Inserts an entry. An entry larger than the table empties the table, and is not an error (RFC 7541 §4.4). */
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

  /** Drops the oldest entries until the rest takes at most `room` bytes. */
  #evict(room: number): void {
    const ring = this.#ring;
    if (ring === undefined) return;
    while (this.#size > room && this.#count > 0) {
      const slot = (this.#newest - --this.#count) & this.#mask;
      this.#size -= ring[slot]?.size ?? 0;
      ring[slot] = undefined;
    }
  }

  /** Doubles the slots. The entries keep their order, with the oldest one in slot 0. */
  #grow(): (TableEntry<T> | undefined)[] {
    const ring: (TableEntry<T> | undefined)[] = [];
    for (let age = this.#count - 1; age >= 0; age--) ring.push(this.get(age));
    const slots = Math.max(FIRST_SLOTS, this.#count * 2);
    while (ring.length < slots) ring.push(undefined);
    this.#ring = ring;
    this.#mask = slots - 1;
    this.#newest = (this.#count - 1) & this.#mask;
    return ring;
  }
}
