/** The formats of a configuration file. The extension of the file's name selects one. */
import { type ParsedJson, parseJson, visitJson } from "./json.ts";

export interface TextFormat {
  readonly name: "json" | "jsonc" | "yaml";
  /** Parses a text. The result is the document, or the first error with line and column. */
  parse(text: string): ParsedJson;
  /** Visits every member and item of a text that `parse` accepts, with the offset at which it begins. */
  visit: typeof visitJson;
}

/** JSON (RFC 8259): the format of every file without the extension of another format. */
export const JSON_FORMAT: TextFormat = { name: "json", parse: parseJson, visit: visitJson };
