/** The changes that metering makes to the code. */
export const Edit = {
  /** Takes an amount of fuel, and traps if there is not enough. */
  charge: 0,
  /** Takes fuel for the length on the stack, in bytes. */
  chargeBytes: 1,
  /** Takes fuel for the length on the stack, in table entries. */
  chargeEntries: 2,
  /** Replaces memory.grow. */
  grow: 3,
} as const;

/** The edits of a function in file order, as columns: large modules have a hundred thousand. */
export class Edits {
  readonly offsets: number[] = [];
  readonly removed: number[] = [];
  readonly kinds: number[] = [];
  readonly amounts: number[] = [];

  /** Adds an edit before the byte at `offset`, which replaces `removed` bytes. Returns its index. */
  add(kind: number, offset: number, removed = 0, amount = 0): number {
    this.kinds.push(kind);
    this.removed.push(removed);
    this.amounts.push(amount);
    return this.offsets.push(offset) - 1;
  }

  clear(): void {
    this.offsets.length = 0;
    this.removed.length = 0;
    this.kinds.length = 0;
    this.amounts.length = 0;
  }
}
