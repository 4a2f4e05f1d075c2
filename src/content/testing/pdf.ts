/** The parts of a test's PDF other than its pages. */
export interface PdfParts {
  readonly title?: string;
  /** Addresses that its first page links to. */
  readonly links?: readonly string[];
  /** The position of the first link: its left, lower, right and upper edge. */
  readonly linkPlace?: string;
  /**
   * Annotations of its first page, form fields if they name no other subtype: the entries of each, in PDF syntax, or the
   * reference of one of `objects`.
   */
  readonly fields?: readonly string[];
  /** Objects after those of the pages: the first one of a document with one page has the number 6. */
  readonly objects?: readonly string[];
  /** Entries of the trailer, of the catalogue and of each page, in PDF syntax. */
  readonly trailer?: string;
  readonly catalog?: string;
  readonly page?: string;
  /** Further fonts of each page, in PDF syntax. */
  readonly fonts?: string;
}

const FONTS = ["Helvetica-Bold", "Courier"].map(
  (name, at) => `/F${at + 2} << /Type /Font /Subtype /Type1 /BaseFont /${name} >>`,
);

/** A PDF whose pages have these content streams. Its fonts F1, F2 and F3 are regular, bold and monospaced. */
export function makePdf(
  pages: readonly string[],
  {
    title,
    links = [],
    linkPlace = "72 700 200 730",
    fields = [],
    objects: more = [],
    trailer = "",
    catalog = "",
    page = "",
    fonts = "",
  }: PdfParts = {},
): Buffer {
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(" ");
  const annotations = [
    ...links.map((url) => `<< /Type /Annot /Subtype /Link /Rect [${linkPlace}] /A << /S /URI /URI (${url}) >> >>`),
    ...fields.map((field) =>
      field.endsWith(" R")
        ? field
        : `<< /Type /Annot ${field.includes("/Subtype") ? "" : "/Subtype /Widget"} ${field} >>`,
    ),
  ];
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((stream, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R ${FONTS.join(" ")} ${fonts} >> >>
       ${page} /Contents ${5 + index * 2} 0 R /Annots [${index === 0 ? annotations.join(" ") : ""}] >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]),
    ...more,
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const info = title === undefined ? "" : `/Info << /Title (${title}) >>`;
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${info} ${trailer} >>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(text, "latin1");
}

/** A content stream with these lines. Each line has its distance from the line above; `size` is the font size. */
export function pdfLines(lines: readonly (readonly [text: string, below: number, size?: number])[]): string {
  const shown = lines.map(([text, below, size = 12]) => `/F1 ${size} Tf 0 -${below} Td (${text}) Tj`);
  return `BT 72 740 Td ${shown.join(" ")} ET`;
}

/** A text at a position, in points from the lower left corner of the page. The default font is F1 with 10 points. */
export type PdfText = readonly [x: number, y: number, text: string, size?: number, font?: "F1" | "F2" | "F3"];

/** A content stream with texts at their positions. */
export function pdfTexts(texts: readonly PdfText[]): string {
  return texts
    .map(([x, y, text, size = 10, font = "F1"]) => {
      return `BT /${font} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`;
    })
    .join("\n");
}

/** A column of lines, 12 points apart. */
export function pdfColumn(x: number, top: number, lines: readonly string[]): PdfText[] {
  return lines.map((line, at): PdfText => [x, top - at * 12, line]);
}
