import { makePdf, type PdfParts, type PdfText, pdfTexts } from "../../../testing/pdf.ts";
import { type DocumentContent } from "../../kinds/content.ts";
import { pdfContent } from "../../pdf.ts";

/** The content of a PDF document whose pages have these texts. */
export async function contentOf(
  pages: readonly (readonly PdfText[])[],
  parts: PdfParts = {},
): Promise<DocumentContent> {
  const content = await pdfContent(new Uint8Array(makePdf(pages.map(pdfTexts), parts)));
  if (typeof content === "string") throw new Error(`The PDF is ${content}`);
  return content;
}

/** The Markdown of a PDF document whose pages have these texts. */
export async function markdownOf(...pages: readonly (readonly PdfText[])[]): Promise<string> {
  return (await contentOf(pages)).markdown();
}

/** The lines of two columns. */
export const LEFT = [
  "The toll is paid at the gate by the traveller,",
  "who comes through it on foot or on a horse. A",
  "keeper counts the coins every evening, and a",
  "clerk writes the sum into the book of the gate.",
  "In winter the gate is closed after dark, and no",
  "traveller comes through it before the morning.",
];
export const RIGHT = [
  "The second column tells of roads. A road that",
  "leads to a gate is kept by those who live along",
  "it, and they are free of the toll. All others pay",
  "what the board beside the gate says, in coins of",
  "the town. Foreign coins are taken at half of",
  "their worth, and letters of credit are not.",
];
