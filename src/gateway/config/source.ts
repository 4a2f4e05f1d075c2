import { type Diagnostic, formatPath } from "./diagnostic.ts";
import { JSON_FORMAT, type TextFormat } from "./formats/text-format.ts";
import { type TextPosition, positionAt } from "./json.ts";

/** The last part of a path as `formatPath` writes it. */
const LAST_PART = /(?:\.?[\w$-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/;

/** Says where in a file's text a finding is. */
export type Locate = (diagnostic: Diagnostic) => Diagnostic;

/** For configurations that were never a text. */
export const NOWHERE: Locate = (diagnostic) => diagnostic;

/** Finds the places of findings in `text`, which the format's parser accepts; a key that is absent is placed at what would hold it. */
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
