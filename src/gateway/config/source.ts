import { type Diagnostic, formatPath } from "./diagnostic.ts";
import { JSON_FORMAT, type TextFormat } from "./formats/text-format.ts";
import { type TextPosition, positionAt } from "./json.ts";

/** The last part of a path that `formatPath` made. */
const LAST_PART = /(?:\.?[\w$-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/;

/** Adds the position in the file's text to a diagnostic. */
export type Locate = (diagnostic: Diagnostic) => Diagnostic;

/** For configurations that did not come from a text. */
export const NOWHERE: Locate = (diagnostic) => diagnostic;

/**
 * Returns a function that finds the positions of diagnostics in `text`, which the format's parser must accept. An
 * absent key gets the position of the object that would contain it.
 */
export function locatorOf(text: string, format: TextFormat = JSON_FORMAT): Locate {
  let offsets: ReadonlyMap<string, number> | undefined;
  return (diagnostic) => {
    if (diagnostic.path === "" || diagnostic.position !== undefined) return diagnostic;
    offsets ??= offsetsIn(text, format);
    const position = positionOf(text, offsets, diagnostic.path);
    return position === undefined ? diagnostic : { ...diagnostic, position };
  };
}

function positionOf(text: string, offsets: ReadonlyMap<string, number>, path: string): TextPosition | undefined {
  for (let rest = path; rest !== ""; ) {
    const offset = offsets.get(rest);
    if (offset !== undefined) return positionAt(text, offset);
    const shorter = rest.replace(LAST_PART, "");
    if (shorter === rest) return undefined;
    rest = shorter;
  }
  return undefined;
}

function offsetsIn(text: string, format: TextFormat): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  format.visit(text, (path, offset) => offsets.set(formatPath(path), offset));
  return offsets;
}
