/** The lines and comments of a configuration's text. */

/** The text of a part with all that belongs to it: comments right before it, its comma, comments after it in its line. */
export interface OwnedText {
  readonly start: number;
  readonly end: number;
  readonly comma: number | undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text, and the questions that an edit has about it. */
export class TextLines {
  readonly text: string;
  readonly newline: string;
  /** The indentation of one level; empty: the text is one line. */
  readonly indent: string;
  readonly #comment: RegExp;

  /** `comment` matches one comment; it has the flag `y`. */
  constructor(text: string, comment: RegExp) {
    this.text = text;
    this.newline = text.includes("\r\n") ? "\r\n" : "\n";
    this.indent = /\n([ \t]+)[^\s#/*]/.exec(text)?.[1] ?? (/\n\s*\S|^\{\}\s*$/.test(text) ? "  " : "");
    this.#comment = comment;
  }

  /** True if only white space is before the offset in its line. */
  begins(at: number): boolean {
    return this.text.slice(this.#startOfLine(at), at).trim() === "";
  }

  /** True if only white space is after the offset in its line. */
  ends(at: number): boolean {
    return this.text.slice(at, this.endOfLine(at)).trim() === "";
  }

  /** The white space before the line of the offset. */
  margin(at: number): string {
    return /[ \t]*/y.exec(this.text.slice(this.#startOfLine(at), at))?.[0] ?? "";
  }

  /** White space as wide as the text before the offset in its line. */
  column(at: number): string {
    return " ".repeat(at - this.#startOfLine(at));
  }

  /** The offset of the line end after the offset. */
  endOfLine(at: number): number {
    const end = this.text.indexOf("\n", at);
    if (end === -1) return this.text.length;
    return end > at && this.text[end - 1] === "\r" ? end - 1 : end;
  }

  /** The text to remove with a part: whole lines if nothing else is in them, and otherwise white space beside it. */
  removal({ start, end }: Span): Span {
    if (!this.begins(start)) return { start: this.text.slice(0, start).trimEnd().length, end };
    if (!this.ends(end)) return { start, end: this.#skip(end, /[ \t]*/y) };
    const before = this.endOfPreviousLine(start);
    if (before !== undefined) return { start: before, end: this.endOfLine(end) };
    return { start: 0, end: this.#skip(this.endOfLine(end), /\r?\n?/y) };
  }

  /** The end of the line before the line of the offset; undefined for the first line. */
  endOfPreviousLine(at: number): number | undefined {
    const start = this.#startOfLine(at);
    return start === 0 ? undefined : start - (this.text[start - 2] === "\r" ? 2 : 1);
  }

  /** The text that belongs to a part. `from` is the end of the text that belongs to the part or bracket before it. */
  owned(part: Span, from: number, hasCommas: boolean): OwnedText {
    const comments = this.#comments(from, part.start);
    let { start } = part;
    for (const comment of comments.toReversed()) {
      const isOfLine = !this.text.slice(comment.end, part.start).includes("\n");
      const isAttached = this.text.slice(comment.end, start).split("\n").length <= 2;
      if (!isAttached || (!isOfLine && !this.begins(comment.start))) break;
      ({ start } = comment);
    }
    const next = hasCommas ? (this.#comments(part.end).at(-1)?.end ?? part.end) : part.end;
    const comma = this.#skip(next, /\s*/y);
    const hasComma = hasCommas && this.text[comma] === ",";
    const end = this.#endInLine(hasComma ? comma + 1 : part.end, hasCommas && !hasComma);
    return { start, end, comma: hasComma ? comma : undefined };
  }

  /** The end of the comments after the offset in its line, unless another part follows them. */
  #endInLine(at: number, isLast: boolean): number {
    let end = at;
    for (;;) {
      const after = this.#skip(this.#skip(end, /[ \t]*/y), this.#comment);
      if (this.#skip(end, /[ \t]*/y) === after) break;
      end = after;
    }
    return this.ends(end) || (isLast && this.#skip(end, /[ \t]*[\]}]/y) > end) ? end : at;
  }

  /** The comments from an offset up to another offset, or up to the first other text. */
  #comments(from: number, to = this.text.length): Span[] {
    const comments: Span[] = [];
    for (let at = from; at < to; ) {
      const start = this.#skip(at, /\s*/y);
      const end = this.#skip(start, this.#comment);
      if (end === start || start >= to) break;
      comments.push({ start, end });
      at = end;
    }
    return comments;
  }

  #skip(at: number, pattern: RegExp): number {
    pattern.lastIndex = at;
    return at + (pattern.exec(this.text)?.[0].length ?? 0);
  }

  #startOfLine(at: number): number {
    return at === 0 ? 0 : this.text.lastIndexOf("\n", at - 1) + 1;
  }
}
