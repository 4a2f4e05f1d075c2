/** What a container's prefix may grow to; deeper quotes and lists are written at this indentation. In characters. */
const MAX_PREFIX_LENGTH = 64;
/** All prefixes of a page together; from there on lines have none. In characters. */
const MAX_PREFIX_TOTAL = 8_000_000;

export type BlockKind = "paragraph" | "term" | "code" | "table" | "quote" | "item" | "other" | ListKind;

/** A list, and its marker: two lists in a row need different ones, or they are one. */
export type ListKind = "-" | "*" | "." | ")";

/** A container that is open: a quote, a list, an item. */
interface Frame {
  readonly kind: BlockKind;
  /** What each of its lines begins with, containers around it included. */
  readonly prefix: string;
  /** What its first line has in the place of its own part of the prefix. */
  readonly marker: string;
  /** The last block written in it. */
  last: BlockKind | undefined;
  readonly list: OpenList | undefined;
  /** Whether it may come right after a paragraph's line: a list that does not start at 1 may not (CommonMark 0.31 §5.3). */
  readonly interrupts: boolean;
}

/** A list's lines between items; they are empty where one of its items has an empty line. */
interface OpenList {
  loose: boolean;
  readonly separators: { readonly at: number; readonly prefix: string }[];
}

/** Writes blocks one after the other, with the prefixes of the containers that they stand in. */
export class Output {
  readonly #chunks: string[] = [];
  readonly #frames: Frame[] = [
    { kind: "other", prefix: "", marker: "", last: undefined, list: undefined, interrupts: false },
  ];
  #prefixLeft = MAX_PREFIX_TOTAL;

  /** The last block in the present container. */
  get last(): BlockKind | undefined {
    return this.#top.last;
  }

  /** The marker of the list that is open. */
  get listMarker(): string {
    return this.#top.kind;
  }

  /** Whether an item is open that has nothing yet. */
  get beginsItem(): boolean {
    return this.#top.kind === "item" && this.#top.last === undefined;
  }

  /** Whether blocks stand in a container. */
  get isNested(): boolean {
    return this.#frames.length > 1;
  }

  /** Writes a block. */
  block(kind: BlockKind, text: string): void {
    this.#begin(this.#frames.length - 1, kind, true);
    const prefix = this.#prefix(this.#top);
    this.#chunks.push(prefix === "" || !text.includes("\n") ? text : this.#indented(text, prefix));
  }

  openQuote(): void {
    this.#push({ kind: "quote", marker: "> ", list: undefined, interrupts: false }, "> ");
  }

  openList(kind: ListKind, start = 1): void {
    this.#push({ kind, marker: "", list: { loose: false, separators: [] }, interrupts: start === 1 }, "");
  }

  /** An item of the list that is open, with its marker and the space after it. */
  openItem(marker: string): void {
    this.#push({ kind: "item", marker, list: this.#top.list, interrupts: true }, " ".repeat(marker.length));
  }

  close(): void {
    const frame = this.#frames.pop();
    if (frame?.list === undefined || frame.kind === "item" || !frame.list.loose) return;
    for (const { at, prefix } of frame.list.separators) this.#chunks[at] = `\n${prefix.trimEnd()}\n${prefix}`;
  }

  toString(): string {
    return this.#chunks.join("");
  }

  get #top(): Frame {
    return this.#frames[this.#frames.length - 1] as Frame; // The outermost is never closed.
  }

  #push(frame: Omit<Frame, "prefix" | "last">, part: string): void {
    const around = this.#top.prefix;
    const prefix = around.length + part.length > MAX_PREFIX_LENGTH ? around : around + part;
    const isFlat = frame.kind === "quote" && prefix === around;
    this.#frames.push({ ...frame, prefix, marker: isFlat ? "" : frame.marker, last: undefined });
  }

  /** Writes what stands between the frame's last block and its next; its own beginning where it has no block yet. */
  #begin(index: number, kind: BlockKind, interrupts: boolean): void {
    const frame = this.#frames[index] as Frame; // Callers count down from the top.
    const { last } = frame;
    frame.last = kind;
    if (last === undefined) {
      // Nor may a list whose first item begins with one that may not.
      if (index > 0) this.#begin(index - 1, frame.kind, frame.interrupts && interrupts);
      this.#chunks.push(frame.marker);
      return;
    }
    const prefix = this.#prefix(frame);
    if (last === "term" && (kind === "paragraph" || kind === "term")) {
      this.#chunks.push(`  \n${prefix}`);
      return;
    }
    const isList = kind.length === 1;
    const isTight = kind === "item" || (isList && interrupts && (last === "paragraph" || last === "term"));
    if (frame.list !== undefined && isTight) {
      frame.list.separators.push({ at: this.#chunks.length, prefix });
      this.#chunks.push(`\n${prefix}`);
      return;
    }
    if (frame.list !== undefined) frame.list.loose = true;
    this.#chunks.push(`\n${prefix.trimEnd()}\n${prefix}`);
  }

  #prefix({ prefix }: Frame): string {
    if (this.#prefixLeft <= 0) return "";
    this.#prefixLeft -= prefix.length;
    return prefix;
  }

  #indented(text: string, prefix: string): string {
    const lines = text.split("\n");
    if (this.#prefixLeft < lines.length * prefix.length) {
      this.#prefixLeft = 0;
      return text;
    }
    this.#prefixLeft -= lines.length * prefix.length;
    const empty = prefix.trimEnd();
    return lines.map((line, index) => (index === 0 ? line : (line === "" ? empty : prefix) + line)).join("\n");
  }
}
