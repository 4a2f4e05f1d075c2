/**
 * The subject of a certificate as one line of ASCII (RFC 4514 §2): the most specific part first, with commas between
 * parts. `lines` is the subject from node:crypto: one part in each line, the least specific first, with special
 * characters escaped. Bun gives undefined if there is no subject, which its types do not show.
 */
export function certificateSubject(lines: string | undefined): string {
  if (lines === undefined || lines === "") return "";
  const parts = lines.split("\n").map((part) => part.replaceAll(" + ", "+"));
  return parts
    .toReversed()
    .join(",")
    .replaceAll(/[^\x20-\x7e]/gu, escaped);
}

/** Each byte of the UTF-8 form, as a backslash and two hex digits (RFC 4514 §2.4). */
function escaped(character: string): string {
  return [...Buffer.from(character, "utf8")]
    .map((byte) => `\\${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
