/** Files of the formats that pandoc does not write, made of the lines of a text. */
import { makeZip, officeParts, relationships } from "../../src/content/documents/testing/make-zip.ts";
import { escapeHtml } from "../../src/content/documents/kinds/content.ts";

/** Words in a cell, and cells in a row. */
const CELL_WORDS = 6;
const ROW_CELLS = 4;
/** Lines of a slide. */
const SLIDE_LINES = 8;

const OASIS = "urn:oasis:names:tc:opendocument:xmlns:";
const OPEN = ["office", "text", "table", "presentation", "drawing"]
  .map((name) => `xmlns:${name}="${OASIS}${name}:1.0"`)
  .join(" ");

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_none, at) => list.slice(at * size, (at + 1) * size));
}

/** The words of a text in the cells of rows. */
function rowsOf(text: string): string[][] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return chunks(
    chunks(words, CELL_WORDS).map((cell) => cell.join(" ")),
    ROW_CELLS,
  );
}

/** A workbook with the words of a text in shared strings. */
export function xlsxOf(text: string): Uint8Array {
  const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`;
  const shared: string[] = [];
  const rows = rowsOf(text).map((cells, row) => {
    const written = cells.map((cell, column) => {
      const index = shared.push(`<si><t>${escapeHtml(cell)}</t></si>`) - 1;
      return `<c r="${String.fromCharCode(65 + column)}${row + 1}" t="s"><v>${index}</v></c>`;
    });
    return `<row r="${row + 1}">${written.join("")}</row>`;
  });
  return makeZip({
    ...officeParts("xl"),
    "xl/workbook.xml": `<workbook ${main}><sheets><sheet name="x" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationships({
      r1: ["worksheet", "worksheets/sheet1.xml"],
      s: ["sharedStrings", "sharedStrings.xml"],
    }),
    "xl/worksheets/sheet1.xml": `<worksheet ${main}><sheetData>${rows.join("")}</sheetData></worksheet>`,
    "xl/sharedStrings.xml": `<sst ${main}>${shared.join("")}</sst>`,
  });
}

function openFile(kind: "spreadsheet" | "presentation", body: string): Uint8Array {
  return makeZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content ${OPEN}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  });
}

/** A spreadsheet with the words of a text. */
export function odsOf(text: string): Uint8Array {
  const rows = rowsOf(text).map((cells) => {
    const written = cells.map(
      (cell) => `<table:table-cell office:value-type="string"><text:p>${escapeHtml(cell)}</text:p></table:table-cell>`,
    );
    return `<table:table-row>${written.join("")}</table:table-row>`;
  });
  return openFile("spreadsheet", `<table:table table:name="x">${rows.join("")}</table:table>`);
}

/** A presentation with the lines of a text. */
export function odpOf(text: string): Uint8Array {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const slides = chunks(lines, SLIDE_LINES).map((slide) => {
    const paragraphs = slide.map((line) => `<text:p>${escapeHtml(line.trim())}</text:p>`);
    return `<drawing:page><drawing:frame><drawing:text-box>${paragraphs.join("")}</drawing:text-box></drawing:frame></drawing:page>`;
  });
  return openFile("presentation", slides.join(""));
}

/** A part of a message. */
function mailPart(type: string, body: string): string {
  const encoded = Buffer.from(body).toString("base64").replace(/.{76}/g, "$&\r\n");
  return `--b\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`;
}

/** A message with a plain text and the same as HTML, in base64. */
export function emlOf(html: string, text: string): Uint8Array {
  const fields = `MIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n`;
  return Buffer.from(`${fields}${mailPart("text/plain", text)}${mailPart("text/html", html)}--b--\r\n`);
}
