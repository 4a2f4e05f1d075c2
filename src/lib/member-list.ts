/** The index of a member in its list; -1 while it is in no list. */
export interface Listed {
  listIndex: number;
}

/**
 * A collection whose members come and go fast. Each member is in one list at most. A `Set` does not suit: while
 * members are added and deleted, it links its former tables, and so keeps all former members until a full garbage
 * collection.
 */
export class MemberList<T extends Listed> {
  readonly #members: T[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: T): void {
    member.listIndex = this.#members.push(member) - 1;
  }

  /** False if the member is not in this list. */
  delete(member: T): boolean {
    const at = member.listIndex;
    if (this.#members[at] !== member) return false;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[at] = last;
      last.listIndex = at;
    }
    member.listIndex = -1;
    return true;
  }

  all(): readonly T[] {
    return [...this.#members];
  }
}
