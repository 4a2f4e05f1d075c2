/** A run of text on a page, as pdf.js gives it; `transform` ends in the place of its left lower corner. */
export interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

interface Line {
  text: string;
  /** Height above the lower edge, and of its letters. */
  y: number;
  height: number;
}

/** Lines further apart than this many heights of their letters belong to different paragraphs. */
const PARAGRAPH_GAP = 1.75;

/** The paragraphs of a page: lines in the order of the file, joined where they stand close to each other. */
export function paragraphsOf(items: readonly TextItem[]): string[] {
  const paragraphs: string[] = [];
  let current: string[] = [];
  let above: Line | undefined;
  for (const line of linesOf(items)) {
    if (above !== undefined && !follows(above, line)) {
      paragraphs.push(joinLines(current));
      current = [];
    }
    current.push(line.text);
    above = line;
  }
  if (current.length > 0) paragraphs.push(joinLines(current));
  return paragraphs;
}

function linesOf(items: readonly TextItem[]): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  const end = (): void => {
    const text = plain(line?.text ?? "");
    if (line !== undefined && text !== "") lines.push({ ...line, text });
    line = undefined;
  };
  for (const { str, transform, height, hasEOL } of items) {
    const y = transform[5] ?? 0;
    line ??= { text: "", y, height: 0 };
    if (str.trim() !== "") {
      if (line.text === "") line.y = y;
      line.height = Math.max(line.height, height);
    }
    line.text += str;
    if (hasEOL) end();
  }
  end();
  return lines;
}

/** Fonts name ligatures and radicals for the letters that they show. */
function plain(text: string): string {
  const letters = text.replace(/[\u2E80-\u2FD5\uFB00-\uFB06]/g, (character) => character.normalize("NFKC"));
  return letters.replace(/\s+/g, " ").trim();
}

function follows(above: Line, line: Line): boolean {
  const height = Math.max(above.height, line.height, 1);
  const gap = above.y - line.y;
  // Letters of another size are another kind of text; what stands higher is in another column.
  const isAlike = Math.abs(above.height - line.height) <= height * 0.2;
  return isAlike && gap >= 0 && gap <= height * PARAGRAPH_GAP;
}

/** Words that were parted at the end of a line are put together again. */
function joinLines(lines: readonly string[]): string {
  let text = "";
  for (const line of lines) {
    if (text === "") text = line;
    else if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(line)) text = text.slice(0, -1) + line;
    else text = `${text} ${line}`;
  }
  return text;
}
