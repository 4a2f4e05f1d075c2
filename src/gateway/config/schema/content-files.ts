import { array, string } from "./recorded-schema.ts";
import { count, flag, ours, section } from "./kinds.ts";

const ocr = section({
  enabled: flag().describe("Read the text of pictures and scans by the programs `tesseract` and `pdftoppm`."),
  languages: array(
    string().regex(/^[A-Za-z][A-Za-z_]{1,29}$/, "expected the name of a language of Tesseract, such as eng"),
  )
    .min(1)
    .max(10)
    .default(["eng"])
    .describe("Languages of Tesseract, the most frequent first."),
  max_pages: count(20, 1, 1000).describe("Pages of a document that are read. Further ones are missing."),
  timeout_s: count(60, 1, 160).describe(
    "Seconds for all pages of a document, beside the `timeout` of the request. Further pages are missing.",
  ),
  max_megapixels: count(25, 1, 400).describe("Millions of pixels of a picture. A larger one is refused."),
  concurrency: count(1, 1, 64).describe("Documents that are read at the same time, each on one core."),
  text_price_percent: count(100, 0, 100).describe(
    "Percentage of the price of `/parse` for a file without OCR. Under `exact` only 0 has an effect.",
  ),
}).describe("Recognition of text in pictures (OCR).");

export const contentFiles = section({
  max_upload_mb: count(32, 1, 100).describe(
    "Size in MiB of a body of `/parse`. The route's `max_body_bytes` must allow it too.",
  ),
  ocr,
}).meta(ours("Files that are read by `/parse` or found at an address."));
