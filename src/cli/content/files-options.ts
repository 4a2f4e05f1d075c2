import { type ContentOptions } from "../../content/content-options.ts";
import { contentFiles } from "../../gateway/config/schema/content-files.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.files`, as JSON, into an option of the content service. Throws StartError. */
export function parseFilesOptions(json: string): Required<Pick<ContentOptions, "files">> {
  const { max_upload_mb: maxMb, ocr } = parseJsonOption("--files", json, contentFiles);
  const { enabled, languages, max_pages: maxPages, timeout_s, max_megapixels, concurrency, text_price_percent } = ocr;
  const reading = { languages, maxPages, timeoutMs: timeout_s * 1000, maxPixels: max_megapixels * 1e6, concurrency };
  return {
    files: { maxUploadBytes: maxMb * 1024 * 1024, textPrice: text_price_percent, ...(enabled ? { ocr: reading } : {}) },
  };
}
