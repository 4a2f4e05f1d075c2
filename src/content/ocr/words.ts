import { type OcrWord } from "../extraction/tree/extraction.ts";

/** The words of a page by paragraphs and their lines. */
export type OcrPage = readonly (readonly (readonly OcrWord[])[])[];

/** The level of rows of words in Tesseract's TSV. */
const WORD_LEVEL = 5;

/** Reads Tesseract's TSV: level, page, block, paragraph, line, word, left, top, width, height, confidence, text. */
export function wordsOf(tsv: string): OcrPage {
  const paragraphs: OcrWord[][][] = [];
  let paragraphKey = "";
  let lineKey = "";
  for (const row of tsv.split("\n").slice(1)) {
    const cells = row.split("\t");
    const [level, , block, paragraph, line, , left, top, width, height, confidence] = cells.map(Number);
    const text = cells.slice(11).join(" ").trim();
    if (level !== WORD_LEVEL || text === "") continue;
    const ofParagraph = `${block} ${paragraph}`;
    const ofLine = `${ofParagraph} ${line}`;
    if (ofParagraph !== paragraphKey) paragraphs.push([]);
    if (ofLine !== lineKey) paragraphs.at(-1)?.push([]);
    [paragraphKey, lineKey] = [ofParagraph, ofLine];
    const box = { left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 };
    paragraphs
      .at(-1)
      ?.at(-1)
      ?.push({ text, confidence: Math.max(0, (confidence ?? 0) / 100), ...box });
  }
  return paragraphs;
}

/** The text of a paragraph. A word that a hyphen divides at the end of a line is whole. */
export function textOfLines(lines: OcrPage[number]): string {
  return lines
    .map((line) => line.map(({ text }) => text).join(" "))
    .join("\n")
    .replace(/(\p{Ll})[-\u2010]\n(?=\p{Ll})/gu, "$1")
    .replaceAll("\n", " ");
}
