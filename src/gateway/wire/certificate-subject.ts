/**
 * The subject of a certificate as one line (RFC 4514 §2): the most specific part first, parts divided by commas, all of it
 * ASCII. `lines` is how node:crypto gives it: a part a line, the least specific first, special characters escaped; Bun
 * gives undefined, beside its types, where there is none.
 */
export function certificateSubject(lines: string | undefined): string {
  if (lines === undefined || lines === "") return "";
  const parts = lines.split("\n").map((part) => part.replaceAll(" + ", "+"));
  return parts
    .toReversed()
    .join(",")
    .replaceAll(/[^\x20-\x7e]/gu, escaped);
}

/** RFC 4514 §2.4: each byte of the UTF-8 form as a backslash and two hex digits. */
function escaped(character: string): string {
  return [...Buffer.from(character, "utf8")]
    .map((byte) => `\\${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
