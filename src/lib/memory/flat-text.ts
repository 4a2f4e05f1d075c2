/**
 * The same text in one piece. The runtime stores a concatenated text as a list of pieces, and copies them each time the
 * text becomes part of another one. Reading a character joins the pieces.
 */
export function flatText(text: string): string {
  return text.charCodeAt(0) === -1 ? "" : text;
}
