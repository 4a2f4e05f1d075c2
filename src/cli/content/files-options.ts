import { type ContentOptions } from "../../content/service.ts";
import { contentFiles } from "../../gateway/config/schema/content-files.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.files`, as JSON, into options of the content service. Throws StartError. */
export function parseFilesOptions(json: string): Pick<ContentOptions, "maxUploadBytes"> {
  const { max_upload_mb: maxMb } = parseJsonOption("--files", json, contentFiles);
  return { maxUploadBytes: maxMb * 1024 * 1024 };
}
