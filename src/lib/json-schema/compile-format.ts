import { FORMATS } from "./formats.ts";
import { type Json, jsonText } from "./json.ts";
import { type Check } from "./node.ts";

/** The treatment of `format`. */
export interface FormatContext {
  /** True if `format` is checked; otherwise it is only a remark. */
  readonly checksFormats: boolean;
  /** True if an unknown format is an error. */
  readonly knowsFormats: boolean;
  readonly warn: (message: string) => void;
}

/** The check of `format`; undefined if it is only a remark. */
export function compileFormat(name: Json, { checksFormats, knowsFormats, warn }: FormatContext): Check | undefined {
  if (!checksFormats) return undefined;
  const is = FORMATS.get(jsonText(name));
  if (is === undefined) {
    // JSON Schema Validation §7.2.3.
    if (knowsFormats) throw new Error("an unknown format, and its metaschema requires format-assertion");
    warn(`format ${JSON.stringify(name)} is not checked`);
    return undefined;
  }
  const message = `must be of format ${JSON.stringify(name)}`;
  return (value, run) => {
    if (typeof value !== "string") return true;
    run.spend(value.length >> 4);
    return is(value) || run.fail(message);
  };
}
