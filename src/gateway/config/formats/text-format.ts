/** The formats of a configuration file. The extension of the file's name selects one. */
import { type Steps } from "../../../lib/slices.ts";
import { type ParsedJson, parseJson, visitJson } from "./json.ts";
import { parseParts } from "./json-parts.ts";

export interface TextFormat {
  readonly name: "json" | "jsonc" | "yaml";
  /** Parses a text. The result is the document, or the first error with line and column. */
  parse(text: string): ParsedJson;
  /** Parses a text in steps, beside traffic. Undefined if `parse` must read it: it may be wrong, or have long parts. */
  readonly parseParts?: (text: string) => Steps<Readonly<Record<string, unknown>> | undefined>;
  /** Visits every member and item of a text that `parse` accepts, with the offset at which it begins. */
  visit: typeof visitJson;
}

/** JSON (RFC 8259): the format of every file without the extension of another format. */
export const JSON_FORMAT: TextFormat = { name: "json", parse: parseJson, parseParts, visit: visitJson };
