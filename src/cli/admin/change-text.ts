import { isObject } from "../../lib/is-object.ts";
import { visibleText } from "../../lib/text/visible-text.ts";

/** Characters of a value that a line shows. */
const MAX_VALUE = 200;

/** A JSON patch (RFC 6902), one operation a line: `+ /routes/3 {...}`, `- /routes/0`, `~ /server/port 8080`. */
export function patchLines(patch: readonly unknown[]): string[] {
  return patch.filter(isObject).map(({ op, path, value }) => {
    const at = visibleText(String(path));
    if (op === "remove") return `- ${at}`;
    const text = visibleText(JSON.stringify(value) ?? "");
    const shown = text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
    return `${op === "add" ? "+" : "~"} ${at} ${shown}`;
  });
}
