import { FORMATS } from "./formats.ts";
import { type Json, textOf } from "./json.ts";
import { type Check } from "./node.ts";

/** The check of `format`; undefined where it only says something. */
export function compileFormat(
  name: Json,
  { checksFormats, warn }: { readonly checksFormats: boolean; readonly warn: (message: string) => void },
): Check | undefined {
  if (!checksFormats) return undefined;
  const is = FORMATS.get(textOf(name));
  if (is === undefined) {
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
