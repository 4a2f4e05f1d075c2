/** Characters of a line. */
const WIDTH = 148;

/** A list item of Markdown over several lines, all but the first indented by two. Code is not broken. */
export function wrappedItem(text: string): string {
  const lines: string[] = [];
  for (const word of text.match(/(?:`[^`]*`|[^\s`])+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && (last === "-" || last.length + word.length < WIDTH))
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : `  ${word}`);
  }
  return lines.join("\n");
}
