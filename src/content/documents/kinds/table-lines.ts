import { escapeAddress } from "../../extraction/markdown/escape.ts";
import { escapeLinkText } from "../../extraction/links.ts";

/** A Markdown table, whose first row is its header. All rows have as many cells. */
export function tableLines(
  rows: readonly (readonly string[])[],
  hrefOf: (row: number, column: number) => string | undefined = () => undefined,
): string {
  const lines = rows.map((row, index) => {
    const cells = row.map((cell, column) => linked(cellText(cell), hrefOf(index, column)));
    return `| ${cells.join(" | ")} |`;
  });
  lines.splice(1, 0, `|${" --- |".repeat(rows[0]?.length ?? 0)}`);
  return lines.join("\n");
}

function linked(text: string, href: string | undefined): string {
  return href === undefined ? text : `[${escapeLinkText(text)}](${escapeAddress(href)})`;
}

/** The text of a cell, with `<br>` for its line breaks. */
function cellText(cell: string): string {
  // Most cells have nothing to replace.
  if (!/[\\|\r\n]|^\s|\s$/.test(cell)) return cell;
  return cell
    .trim()
    .replace(/[\\|]/g, "\\$&")
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("<br>");
}
