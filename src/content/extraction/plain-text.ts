/** A picture, which may be in a link, and a link. */
const PICTURE = /!\[([^\][]{0,500})\]\([^()\s]{0,2048}(?:\s"[^"\n]{0,500}")?\)/g;
const LINK = new RegExp(PICTURE.source.slice(1), "g");

/** Markdown without its marks. Link addresses are removed, since nothing searches for them. */
export function plainText(markdown: string): string {
  return markdown
    .replace(PICTURE, "$1")
    .replace(LINK, "$1")
    .replace(/^[ \t]{0,20}(?:#{1,6}|>|[-*+]|\d{1,9}\.|`{3,}\S{0,30}|~{3,})(?=\s|$)/gm, "")
    .replace(/^\|?(?:\s{0,5}:?-{2,}:?\s{0,5}\|){1,50}.{0,50}$/gm, "")
    .replace(/(?<!\\)<(?:br|\/?su[bp])>/g, " ")
    .replace(/\*\*|__|`|(?<=\s)\||\|(?=\s)/g, " ")
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "")
    .replace(/[ \t]{2,}/g, " ")
    .replace(/\n{2,}/g, "\n")
    .trim();
}

/** The mark before each heading in `sectionedText`. It counts as a space. */
export const HEADING_MARK = "\f";

/** Markdown without its marks, with `HEADING_MARK` at the beginning of each heading. */
export function sectionedText(markdown: string): string {
  let fence = "";
  const lines = markdown.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence !== "") {
      if (mark.startsWith(fence)) fence = "";
    } else if (mark !== "") fence = mark;
    else return line.replace(/^#{1,6} /, `$&${HEADING_MARK}`);
    return line;
  });
  return plainText(lines.join("\n"));
}
