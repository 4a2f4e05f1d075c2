/** The mark of a piece of text. `sup` and `sub` do not exist in Markdown and are written as HTML. */
export type MarkKind = "strong" | "em" | "del" | "code" | "sup" | "sub" | "link";

export interface Link {
  readonly href: string;
  readonly title: string;
  /**
   * Whether the link contains blocks. Links in Markdown cannot, so the link goes to the first of its blocks that has
   * words.
   */
  readonly holdsBlocks: boolean;
  /** Whether a text of the link was already written. */
  spent: boolean;
}

/** The marks around a piece of text, from the outside in. Each kind occurs once, so there are at most seven. */
export class Marks {
  static readonly NONE = new Marks([], undefined);

  readonly kinds: readonly MarkKind[];
  readonly link: Link | undefined;
  readonly #inner = new Map<MarkKind, Marks>();

  private constructor(kinds: readonly MarkKind[], link: Link | undefined) {
    this.kinds = kinds;
    this.link = link;
  }

  has(kind: MarkKind): boolean {
    return this.kinds.includes(kind);
  }

  /** Adds a mark on the inside. Returns the same object if the mark is already present. */
  with(kind: Exclude<MarkKind, "link">): Marks {
    // Code is verbatim and contains no marks.
    if (this.has(kind) || this.has("code")) return this;
    return this.#inner.getOrInsertComputed(kind, () => new Marks([...this.kinds, kind], this.link));
  }

  withLink(link: Link): Marks {
    if (this.link !== undefined) return this;
    const marks = this.kinds.filter((kind) => kind !== "code");
    return new Marks([...marks, "link", ...(this.has("code") ? (["code"] as const) : [])], link);
  }

  without(kind: MarkKind): Marks {
    if (!this.has(kind)) return this;
    const link = kind === "link" ? undefined : this.link;
    let marks = Marks.NONE;
    for (const other of this.kinds) {
      if (other === kind) continue;
      if (other !== "link") marks = marks.with(other);
      else if (link !== undefined) marks = marks.withLink(link);
    }
    return marks;
  }

  /** Number of marks that both share, from the outside in. */
  shared(other: Marks): number {
    let count = 0;
    while (count < this.kinds.length && this.kinds[count] === other.kinds[count]) {
      if (this.kinds[count] === "link" && this.link !== other.link) break;
      count += 1;
    }
    return count;
  }
}
