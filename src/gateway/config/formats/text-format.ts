/** The formats that a configuration file may have; the ending of its name says which. */
import { type ParsedJson, parseJson, visitJson } from "../json.ts";

/** A way to write a configuration as text. */
export interface TextFormat {
  readonly name: "json" | "jsonc" | "yaml";
  /** The document, or the first thing that is wrong with the text, with line and column. */
  parse(text: string): ParsedJson;
  /** Visits every member and item of a text that `parse` accepts, with the offset that it begins at. */
  visit: typeof visitJson;
}

/** JSON (RFC 8259): every file whose name has none of the other endings. */
export const JSON_FORMAT: TextFormat = { name: "json", parse: parseJson, visit: visitJson };
