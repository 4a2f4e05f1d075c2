import { type TextContext, escapeAddress, escapeText, escapeTitle } from "./escape.ts";
import { foldWhiteSpace } from "../tree/white-space.ts";
import { type Link, type MarkKind, Marks } from "./marks.ts";

/** A piece of the running text between two blocks. */
interface Piece {
  readonly kind: "text" | "space" | "break" | "raw";
  text: string;
  readonly marks: Marks;
}

/** Maximum number of characters that are read of the last word. */
const MAX_WORD = 256;
/** An address at the beginning of a text. It may be written in angle brackets. */
const BEGINS_WITH_ADDRESS = /^https?:\/\//i;
const ENDS_WITH_ADDRESS = /(?:https?:\/\/|www\.)[^\s<>]*$/i;

const PUNCTUATION = /[\p{P}\p{S}]/u;

const TAGS: Readonly<Record<Exclude<MarkKind, "link" | "code">, string>> = {
  strong: "strong",
  em: "em",
  del: "del",
  sup: "sup",
  sub: "sub",
};
/** Code in a link whose text would make the paragraph a definition (CommonMark 0.31 §4.7). */
const CODE_TAG = { open: "<code>", close: "</code>" };
const DELIMITERS = new Map<MarkKind, string>([
  ["strong", "**"],
  ["em", "*"],
  ["del", "~~"],
]);

export interface RunStyle {
  readonly lineBreak: "  \n" | " " | "<br>";
  /** Whether the text is bold without marks, as in a heading. */
  readonly isBold: boolean;
}

/** The styles of a paragraph, a heading and the two kinds of table cells. */
export const PARAGRAPH: RunStyle = { lineBreak: "  \n", isBold: false };
export const HEADING: RunStyle = { lineBreak: " ", isBold: true };
export const CELL: RunStyle = { lineBreak: "<br>", isBold: false };
export const HEADER_CELL: RunStyle = { lineBreak: "<br>", isBold: true };

const PLAIN_TEXT: TextContext = {
  startsLine: false,
  inLink: false,
  isMarked: false,
  inDel: false,
  next: "",
  hasMath: false,
};
const PLAIN_PARAGRAPH: TextContext = { ...PLAIN_TEXT, startsLine: true };

/** Collects running text, folds its white space as browsers do, and writes it as Markdown. */
export class Run {
  readonly #pieces: Piece[] = [];
  #spaced = false;
  #hasMath = false;

  /** Number of texts, pictures and breaks in the run. */
  get size(): number {
    return this.#pieces.length;
  }

  get endsWithBreak(): boolean {
    return this.#pieces.at(-1)?.kind === "break";
  }

  /** True if the text was more than white space. */
  text(data: string, marks: Marks): boolean {
    const folded = foldWhiteSpace(data);
    const core = folded.trim();
    if (core === "") {
      if (folded !== "") this.#spaced = true;
      return false;
    }
    if (!folded.startsWith(core)) this.#spaced = true;
    this.#add("text", core, marks);
    this.#spaced = !folded.endsWith(core);
    return true;
  }

  /** Adds finished Markdown. */
  raw(markdown: string, marks: Marks): void {
    this.#add("raw", markdown, marks.without("code"));
  }

  math(tex: string, marks: Marks): void {
    this.#hasMath = true;
    this.raw(`$${tex}$`, marks);
  }

  space(): void {
    this.#spaced = true;
  }

  /** Adds a line break, except at the beginning or after another break. */
  lineBreak(): void {
    this.#spaced = false;
    if (this.size > 0 && !this.endsWithBreak) this.#pieces.push({ kind: "break", text: "", marks: Marks.NONE });
  }

  /** Writes the collected text and clears the run. Empty if there is no text. */
  take(style: RunStyle): string {
    while (this.endsWithBreak) this.#pieces.pop();
    const [first] = this.#pieces;
    let markdown = "";
    // Most runs are one text without marks.
    if (this.size === 1 && first?.kind === "text" && first.marks === Marks.NONE) {
      markdown = escapeText(first.text, style === PARAGRAPH ? PLAIN_PARAGRAPH : PLAIN_TEXT);
    } else if (this.size > 0) markdown = new RunWriter(this.#pieces, style, this.#hasMath).write();
    this.#pieces.length = 0;
    this.#spaced = false;
    this.#hasMath = false;
    return markdown;
  }

  #add(kind: "text" | "raw", text: string, wanted: Marks): void {
    const marks = wanted.link?.spent === true ? wanted.without("link") : wanted;
    const last = this.#pieces.at(-1);
    const spaced = this.#spaced && last !== undefined && last.kind !== "break";
    this.#spaced = false;
    if (last?.kind === "text" && kind === "text" && last.marks === marks) {
      last.text += spaced ? ` ${text}` : text;
      return;
    }
    if (spaced) this.#pieces.push({ kind: "space", text: " ", marks: sharedMarks(last, marks) });
    this.#pieces.push({ kind, text, marks });
  }
}

/** Returns the marks that continue across the white space between two pieces. A code mark ends with its word. */
function sharedMarks(last: Piece, next: Marks): Marks {
  const count = last.marks.shared(next);
  let marks = next;
  for (const kind of next.kinds.slice(count).toReversed()) marks = marks.without(kind);
  return marks;
}

class RunWriter {
  readonly #pieces: readonly Piece[];
  readonly #style: RunStyle;
  readonly #hasMath: boolean;
  readonly #parts: string[] = [];
  readonly #open: { kind: MarkKind; close: string; at: number }[] = [];
  #marks = Marks.NONE;
  /** The last character that is not a part of a delimiter, and the delimiters after it. */
  #before = "";
  #since = "";
  #hasClosed = false;
  #startsLine: boolean;

  constructor(pieces: readonly Piece[], style: RunStyle, hasMath: boolean) {
    this.#pieces = pieces;
    this.#style = style;
    this.#hasMath = hasMath;
    this.#startsLine = style === PARAGRAPH;
  }

  write(): string {
    for (const [at, piece] of this.#pieces.entries()) this.#piece(piece, at);
    this.#closeTo(0);
    return this.#parts.join("");
  }

  #piece(piece: Piece, at: number): void {
    if (piece.kind === "break") {
      this.#closeTo(0);
      this.#marks = Marks.NONE;
      this.#push(this.#style.lineBreak, " ");
      this.#startsLine = this.#style === PARAGRAPH;
      return;
    }
    const shared = this.#marks.shared(piece.marks);
    this.#closeTo(shared);
    for (let level = shared; level < piece.marks.kinds.length; level += 1) this.#openMark(at, level);
    this.#marks = piece.marks;
    const isCode = piece.marks.has("code") && !this.#open.some(({ close }) => close === CODE_TAG.close);
    if (piece.kind === "text" && !isCode) this.#push(this.#escaped(piece, at), piece.text);
    else this.#push(piece.text, piece.text);
    this.#startsLine = false;
    if (piece.marks.link?.holdsBlocks === true && piece.kind === "text") piece.marks.link.spent = true;
  }

  #push(markdown: string, shown: string): void {
    this.#parts.push(markdown);
    this.#before = lastChar(shown);
    this.#since = "";
    this.#hasClosed = false;
  }

  #escaped(piece: Piece, at: number): string {
    const next = this.#pieces[at + 1];
    return escapeText(piece.text, {
      startsLine: this.#startsLine && this.#open.length === 0,
      inLink: piece.marks.link !== undefined,
      isMarked: piece.marks.kinds.length > 0,
      inDel: piece.marks.has("del"),
      next: next === undefined || next.kind === "break" ? "" : charBetween(piece, next),
      hasMath: this.#hasMath,
    });
  }

  #openMark(at: number, level: number): void {
    const { marks } = this.#pieces[at] ?? { marks: Marks.NONE };
    const kind = marks.kinds[level];
    if (kind === undefined) return;
    const { open, close } =
      kind === "link" ? LINK : kind === "code" ? this.#codeFence(at, level) : this.#delimiter(at, level);
    this.#parts.push(open);
    this.#open.push({ kind, close, at: this.#parts.length });
    this.#delimited(DELIMITERS.get(kind) === open ? open : "[");
    this.#startsLine = false;
  }

  /** Stars if Markdown reads them as a delimiter (CommonMark 0.31 §6.2, flanking), otherwise an HTML tag. */
  #delimiter(at: number, level: number): { open: string; close: string } {
    const kind = this.#pieces[at]?.marks.kinds[level] as Exclude<MarkKind, "link" | "code">; // Callers check the kind.
    const delimiter = DELIMITERS.get(kind);
    const tag = TAGS[kind];
    const html = { open: `<${tag}>`, close: `</${tag}>` };
    if (delimiter === undefined) return html;
    const end = this.#endOf(at, level);
    // Between a delimiter that ends one mark and one that begins the next, Markdown sees one sequence.
    if (this.#hasClosed && this.#since.includes(delimiter[0] ?? "")) return html;
    const isOther = this.#since.replaceAll(delimiter[0] ?? "", "") !== "";
    const opens = flanks(this.#firstOf(at, level), isOther ? "*" : this.#before);
    const closes = flanks(this.#lastOf(end, level), this.#after(end, level));
    return opens && closes ? { open: delimiter, close: delimiter } : html;
  }

  #codeFence(at: number, level: number): { open: string; close: string } {
    const end = this.#endOf(at, level);
    const isLinked = this.#pieces[at]?.marks.link !== undefined;
    if (isLinked && this.#pieces.slice(at, end + 1).some(({ text }) => text.includes("]:"))) return CODE_TAG;
    let longest = 0;
    for (let index = at; index <= end; index += 1) {
      for (const run of this.#pieces[index]?.text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
    }
    const fence = "`".repeat(longest + 1);
    const first = this.#pieces[at]?.text.startsWith("`") === true ? " " : "";
    const last = this.#pieces[end]?.text.endsWith("`") === true ? " " : "";
    const pad = first || last;
    return { open: fence + pad, close: pad + fence };
  }

  /** The index of the last piece inside the mark. */
  #endOf(at: number, level: number): number {
    const { marks } = this.#pieces[at] ?? { marks: Marks.NONE };
    let end = at;
    for (;;) {
      const next = this.#pieces[end + 1];
      if (next === undefined || next.kind === "break" || marks.shared(next.marks) <= level) return end;
      end += 1;
    }
  }

  /** The first character that is written for a piece inside its mark at `level`. It may be the "<" of a tag. */
  #firstOf(at: number, level: number): string {
    const piece = this.#pieces[at];
    if (piece === undefined) return " ";
    if (piece.marks.kinds.length > level + 1 || BEGINS_WITH_ADDRESS.test(piece.text)) return "<";
    return firstChar(piece.text);
  }

  #lastOf(at: number, level: number): string {
    const piece = this.#pieces[at];
    if (piece === undefined) return " ";
    if (piece.marks.kinds.length > level + 1 || ENDS_WITH_ADDRESS.test(piece.text.slice(-MAX_WORD))) return ">";
    return lastChar(piece.text);
  }

  /** The character after the end of a mark at `level`; white space at the end of the line. */
  #after(at: number, level: number): string {
    const { marks } = this.#pieces[at] ?? { marks: Marks.NONE };
    const next = this.#pieces[at + 1];
    const shared = next === undefined ? 0 : marks.shared(next.marks);
    const kind = marks.kinds[level];
    const closing = ownChar(marks.kinds.slice(shared, level), kind);
    if (closing !== undefined) return closing;
    if (next === undefined || next.kind === "break") return " ";
    return ownChar(next.marks.kinds.slice(shared), kind) ?? firstChar(next.text);
  }

  /**
   * Remembers the text that opened or closed a mark. Adjacent delimiters form a sequence. Other text counts as
   * punctuation.
   */
  #delimited(mark: string): void {
    if (/^[*~]/.test(mark)) {
      this.#since += mark;
      return;
    }
    this.#before = mark;
    this.#since = "";
  }

  #closeTo(level: number): void {
    while (this.#open.length > level) {
      const mark = this.#open.pop();
      if (mark === undefined) return;
      if (mark.kind !== "link") {
        this.#parts.push(mark.close);
        this.#hasClosed = true;
        this.#delimited(DELIMITERS.get(mark.kind) === mark.close ? mark.close : ")");
        continue;
      }
      const { link } = this.#marks;
      if (link !== undefined) this.#closeLink(link, mark.at);
      this.#delimited(")");
    }
  }

  #closeLink(link: Link, at: number): void {
    const text = this.#parts.splice(at).join("");
    this.#parts.pop();
    this.#parts.push(linkMarkdown(text, link.href, link.title === text ? "" : link.title));
  }
}

const LINK = { open: "[", close: "" };

/** A link. It is written as an address alone if its text is that address. */
function linkMarkdown(text: string, href: string, title: string): string {
  const isShown = text.length < 2 * href.length && text.replace(/\\([!-/:-@[-`{-~])/g, "$1") === href;
  if (isShown && title === "" && !/[<>\s`\\|]/.test(href)) return `<${href}>`;
  return `[${text}](${escapeAddress(href)}${title === "" ? "" : ` "${escapeTitle(title)}"`})`;
}

/** The character directly after a piece. It belongs to a delimiter, a link or the next piece. */
function charBetween(piece: Piece, next: Piece): string {
  const shared = piece.marks.shared(next.marks);
  if (shared < piece.marks.kinds.length) return "*";
  const opened = next.marks.kinds[shared];
  if (opened === undefined) return firstChar(next.text);
  return opened === "link" ? "[" : "*";
}

/**
 * Returns "[" if one of the marks has another delimiter than the mark `beside`, or if `beside` is undefined. Otherwise
 * undefined.
 */
function ownChar(marks: readonly MarkKind[], beside: MarkKind | undefined): string | undefined {
  const char = beside === undefined ? undefined : DELIMITERS.get(beside)?.[0];
  return marks.some((kind) => DELIMITERS.get(kind)?.[0] !== char || char === undefined) ? "[" : undefined;
}

/** Whether Markdown reads a delimiter between the characters `inner` and `outer` as a delimiter. */
function flanks(inner: string, outer: string): boolean {
  // Some parsers treat the halves of surrogate pairs as letters.
  const isOuterMark = outer.length === 1 && PUNCTUATION.test(outer);
  return !PUNCTUATION.test(inner) || outer === "" || /\s/.test(outer) || isOuterMark;
}

function firstChar(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 32);
}

/** The last character, including both halves of a surrogate pair. */
function lastChar(text: string): string {
  const unit = text.slice(-1);
  return unit >= "\uDC00" && unit <= "\uDFFF" ? text.slice(-2) : unit;
}
