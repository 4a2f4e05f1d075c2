/** Maximum length of a container's prefix in characters. Deeper quotes and lists keep this indentation. */
const MAX_PREFIX_LENGTH = 64;
/** Maximum number of characters of all prefixes of a page. Later lines have no prefix. */
const MAX_PREFIX_TOTAL = 8_000_000;

/** The kind of a block in the output. A list has the kind of its marker. */
export type BlockKind = "paragraph" | "term" | "code" | "table" | "quote" | "item" | "other" | ListKind;

/** The marker of a list. Two adjacent lists need different markers, or Markdown reads them as one list. */
export type ListKind = "-" | "*" | "." | ")";

/** An open container: a quote, a list, an item. */
interface Frame {
  readonly kind: BlockKind;
  /** The prefix of each of its lines, including those of outer containers. */
  readonly prefix: string;
  /** The text that replaces its own part of the prefix in the first line. */
  readonly marker: string;
  last: BlockKind | undefined;
  readonly list: OpenList | undefined;
  /**
   * Whether it may directly follow a line of a paragraph. A list that does not start at 1 may not (CommonMark 0.31
   * §5.3).
   */
  readonly interrupts: boolean;
}

/** The lines between a list's items. They become empty lines if an item contains an empty line. */
interface OpenList {
  loose: boolean;
  readonly separators: { readonly at: number; readonly prefix: string }[];
}

/** Writes blocks in order, with the prefixes of their containers. */
export class Output {
  readonly #chunks: string[] = [];
  readonly #frames: Frame[] = [
    { kind: "other", prefix: "", marker: "", last: undefined, list: undefined, interrupts: false },
  ];
  #prefixLeft = MAX_PREFIX_TOTAL;

  /** The kind of the last block in the current container. */
  get last(): BlockKind | undefined {
    return this.#top.last;
  }

  get listMarker(): string {
    return this.#top.kind;
  }

  /** Whether the open block is an item that is still empty. */
  get beginsItem(): boolean {
    return this.#top.kind === "item" && this.#top.last === undefined;
  }

  get isNested(): boolean {
    return this.#frames.length > 1;
  }

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

  /** Opens an item of the open list. `marker` includes the space after it. */
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
    return this.#frames[this.#frames.length - 1] as Frame; // The outermost container is never closed.
  }

  #push(frame: Omit<Frame, "prefix" | "last">, part: string): void {
    const around = this.#top.prefix;
    const prefix = around.length + part.length > MAX_PREFIX_LENGTH ? around : around + part;
    const isFlat = frame.kind === "quote" && prefix === around;
    this.#frames.push({ ...frame, prefix, marker: isFlat ? "" : frame.marker, last: undefined });
  }

  /**
   * Writes the separator between the frame's last block and the next one, or the frame's own beginning before its first
   * block.
   */
  #begin(index: number, kind: BlockKind, interrupts: boolean): void {
    const frame = this.#frames[index] as Frame; // Callers count down from the innermost frame.
    const { last } = frame;
    frame.last = kind;
    if (last === undefined) {
      // If an item begins with a block that may not directly follow a paragraph, its list may not either.
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
