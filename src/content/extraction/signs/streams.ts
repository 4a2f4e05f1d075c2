/** Code that gets messages from a server or a worker. */
const LISTENS = /\bnew\s{1,3}(?:WebSocket|EventSource|(?:Shared)?Worker)\b/;

/** Empty elements of these kinds get rows and items. Scripts find them by their kind or beside other elements. */
const FILLED_BY_MESSAGES: ReadonlySet<string> = new Set(["table", "tbody", "ul", "ol", "dl", "output"]);

/** The tag names, among those of a page's empty elements, that messages to this code may fill. */
export function streamedInto(code: string, tags: Iterable<string>): readonly string[] {
  return LISTENS.test(code) ? [...tags].filter((tag) => FILLED_BY_MESSAGES.has(tag)) : [];
}
