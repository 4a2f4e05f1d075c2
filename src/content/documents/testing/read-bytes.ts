import { FileError } from "../kinds/file-error.ts";
import { type DocumentContent } from "../kinds/content.ts";
import { readFile } from "../read-file.ts";

/** The content of a file. */
export async function readBytes(bytes: Uint8Array | string): Promise<DocumentContent> {
  return await readFile(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
}

/** The reason why a file is not read. */
export async function failureOf(bytes: Uint8Array | string): Promise<string> {
  try {
    const content = await readBytes(bytes);
    return `read: ${content.text().slice(0, 200)}`;
  } catch (error) {
    if (error instanceof FileError) return error.message;
    throw error;
  }
}
