/**
 * The same text in one piece. One that was put together is a list of its pieces to the runtime, and copied from them each time that
 * it becomes part of another; asking for a character joins them.
 */
export function flatText(text: string): string {
  return text.charCodeAt(0) === -1 ? "" : text;
}
