/** What a roster's members keep for it: where each stands, -1 while it stands nowhere. */
export interface Rostered {
  rosterIndex: number;
}

/**
 * Who is there, of members that come and go fast; each is in one roster at most. Not a `Set`: one that is added to and deleted
 * from for long keeps its former tables linked, and through them all that was ever in it until a full garbage collection.
 */
export class Roster<T extends Rostered> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.rosterIndex = this.#members.push(member) - 1;
  }

  /** False where it is not here. */
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

  /** All members, as of now. */
  all(): readonly T[] {
    return [...this.#members];
  }
}
