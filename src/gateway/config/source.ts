import { type Diagnostic, formatPath } from "./diagnostic.ts";
import { JSON_FORMAT, type TextFormat } from "./formats/text-format.ts";
import { type TextPosition, positionsIn } from "./formats/json.ts";

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
  let positions: ((offset: number) => TextPosition) | undefined;
  return (diagnostic) => {
    if (diagnostic.path === "" || diagnostic.position !== undefined) return diagnostic;
    offsets ??= offsetsIn(text, format);
    positions ??= positionsIn(text);
    const offset = offsetOf(offsets, diagnostic.path);
    const position = offset === undefined ? undefined : positions(offset);
    return position === undefined ? diagnostic : { ...diagnostic, position };
  };
}

function offsetOf(offsets: ReadonlyMap<string, number>, path: string): number | undefined {
  for (let rest = path; rest !== ""; ) {
    const offset = offsets.get(rest);
    if (offset !== undefined) return offset;
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
