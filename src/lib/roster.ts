/** The index of a member in its roster; -1 while it is in no roster. */
export interface Rostered {
  rosterIndex: number;
}

/**
 * A collection whose members come and go fast. Each member is in one roster at most. A `Set` does not suit: while
 * members are added and deleted, it links its former tables, and so keeps all former members until a full garbage
 * collection.
 */
export class Roster<T extends Rostered> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.rosterIndex = this.#members.push(member) - 1;
  }

  /** False if the member is not in this roster. */
  delete(member: T): boolean {
    const at = member.rosterIndex;
    if (this.#members[at] !== member) return false;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[at] = last;
      last.rosterIndex = at;
    }
    member.rosterIndex = -1;
    return true;
  }

  /** A copy of the list of members. */
  all(): readonly T[] {
    return [...this.#members];
  }
}
