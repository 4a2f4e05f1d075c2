/** What a piece of text is marked with; `sup` and `sub` have no Markdown and are written as HTML. */
export type MarkKind = "strong" | "em" | "del" | "code" | "sup" | "sub" | "link";

export interface Link {
  readonly href: string;
  readonly title: string;
  /** Whether it holds blocks: Markdown's links do not, so the first of them with words is the link. */
  readonly holdsBlocks: boolean;
  /** Whether it has been written with words of its own. */
  spent: boolean;
}

/** The marks around a piece of text, from the outside in; each kind once, so that there are never more than seven. */
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

  /** These marks with one more inside; the same object where that is in force already. */
  with(kind: Exclude<MarkKind, "link">): Marks {
    // Code is verbatim: nothing is marked inside of it.
    if (this.has(kind) || this.has("code")) return this;
    let marks = this.#inner.get(kind);
    if (marks === undefined) {
      marks = new Marks([...this.kinds, kind], this.link);
      this.#inner.set(kind, marks);
    }
    return marks;
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

  /** The marks that both have, from the outside in. */
  shared(other: Marks): number {
    let count = 0;
    while (count < this.kinds.length && this.kinds[count] === other.kinds[count]) {
      if (this.kinds[count] === "link" && this.link !== other.link) break;
      count += 1;
    }
    return count;
  }
}
