/** A run of text in one font. Positions are in points from the upper left corner of the upright page. */
export interface Run {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the letters, in points. */
  readonly size: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
  readonly isRtl: boolean;
  /** Whether the file has a space before it. */
  readonly isSpaced: boolean;
  readonly href: string;
  /** pdf.js's name of its font. Empty for the text of a form field. */
  readonly font: string;
  /** The identifier of its marked content, to which the structure tree refers. May be empty. */
  readonly mark: string;
  /** The places inside it at which the page writes a text of its own. */
  readonly starts?: readonly Start[];
}

/** The index of the first letter of a text inside a run, its left edge, and the right edge of the text before it. */
export interface Start {
  readonly at: number;
  readonly x: number;
  readonly end: number;
}

/** Converts a position in units of the file to a position on the upright page. */
export type Placed = (x: number, y: number) => readonly [x: number, y: number];

/** An area of the upright page. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The part that two areas have in common. */
export function common(a: Box, b: Box): Box {
  const [left, top] = [Math.max(a.left, b.left), Math.max(a.top, b.top)];
  return { left, top, right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) };
}

/** A drawn straight line: at `at` on one axis, between two positions on the other. */
export interface Rule {
  readonly isAcross: boolean;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A node of pdf.js's structure tree: an element with a role, or a reference to marked content or to an annotation. */
export interface TreeNode {
  readonly role?: string;
  readonly type?: string;
  readonly id?: string;
  readonly alt?: string;
  readonly children?: readonly TreeNode[];
}

/** A page as it is read, with upright text. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly runs: readonly Run[];
  readonly rules: readonly Rule[];
  /** Text in other directions than most of the page's text. */
  readonly aside: readonly Run[];
  /** The number of letters in each font. */
  readonly letters: ReadonlyMap<string, number>;
  readonly tree: TreeNode | undefined;
  /** Addresses of link annotations by identifier. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** A piece of a paragraph in one style. Its text may have line breaks. */
export interface Piece {
  readonly text: string;
  readonly isBold: boolean;
  readonly isMono: boolean;
  /** 1 above the line, -1 below it. */
  readonly raised: -1 | 0 | 1;
  readonly href: string;
}

/** Properties of a text block's letters, by which headings are recognised. */
export interface Look {
  readonly size: number;
  readonly isBold: boolean;
  readonly lines: number;
  /** Whether it is a numbered or capitalised line above a text. */
  readonly isHead?: boolean;
}

export interface ListItem {
  /** The number before it, if it has one. */
  readonly number: number | undefined;
  readonly blocks: Block[];
}

/** A block of a document: text, a list, a table, code or a quote. */
export type Block =
  | { readonly kind: "text"; pieces: readonly Piece[]; readonly look: Look; level: number }
  | { readonly kind: "list"; readonly items: ListItem[] }
  | { readonly kind: "table"; readonly caption: readonly Piece[]; readonly rows: (readonly Piece[])[][] }
  | { readonly kind: "code"; text: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] };

/** The blocks of a page. Footnotes come after the text. */
export interface PageBlocks {
  readonly blocks: Block[];
  readonly notes: Block[];
}

/** The text of the pieces, one after the other. */
export function plainOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** The middle value; of an even number of values, the upper of the two in the middle. 0 without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A piece of plain text. */
export function pieceOf(text: string): Piece {
  return { text, isBold: false, isMono: false, raised: 0, href: "" };
}

/** A paragraph of one line that is not in the text of the page. */
export function paragraphWith(text: string, size: number): Block {
  return { kind: "text", pieces: [pieceOf(text)], look: { size, isBold: false, lines: 1 }, level: 0 };
}

/** The size of most letters, in points. */
export function usualSize(pages: readonly PdfPage[]): number {
  const letters = new Map<number, number>();
  for (const { size, text } of pages.flatMap(({ runs }) => runs)) {
    const key = Math.round(size * 4) / 4;
    letters.set(key, (letters.get(key) ?? 0) + text.length);
  }
  return [...letters].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 10;
}
