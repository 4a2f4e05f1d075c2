/**
 * The same text in one piece. The runtime stores a concatenated text as a list of pieces, and copies them each time the
 * text becomes part of another one. Reading a character joins the pieces.
 */
export function flatText(text: string): string {
  return text.charCodeAt(0) === -1 ? "" : text;
}

/** Both texts as one. Even if one is empty, `+` makes a list of pieces, whose bytes are copied when it is read (bench http1). */
export function joined(first: string, second: string): string {
  if (first === "") return second;
  return second === "" ? first : first + second;
}
