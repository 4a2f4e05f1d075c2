/** Characters that are always searched for a `meta` element (WHATWG HTML §13.2.3.2). @bound */
const PRESCAN_LENGTH = 1024;
/**
 * Maximum number of characters that are searched. Chromium continues the search while only head elements have come;
 * this is far longer than any head.
 */
const MAX_PRESCAN_LENGTH = 256 * 1024;

/** Tags that may precede a `meta` in the head, as in Chromium. */
const HEAD_TAGS = new Set(["script", "noscript", "style", "link", "meta", "object", "title", "base"]);
/** Elements whose content contains no tags. */
const RAW_TAGS = new Set(["script", "style", "title", "textarea", "xmp", "iframe", "noframes", "noembed"]);

const SPACE = /[\t\n\f\r ]/;

/**
 * The first label declared by a `meta` of the document for which `isKnown` is true; undefined if there is no such
 * label. `bytes` is the document's beginning, with one character for each byte.
 */
export function metaCharset(bytes: string, isKnown: (label: string) => boolean): string | undefined {
  const text = bytes.slice(0, MAX_PRESCAN_LENGTH);
  let inHead = true;
  let at = text.indexOf("<");
  while (at !== -1 && (inHead || at < PRESCAN_LENGTH)) {
    const next = text[at + 1] ?? "";
    if (text.startsWith("<!--", at)) at = after(text, "-->", at + 2);
    else if (next === "!" || next === "?") at = after(text, ">", at + 1);
    else if (/^<\/?[a-z]/i.test(text.slice(at, at + 3))) {
      const tag = readTag(text, at);
      if (tag.name === "meta" && !tag.isEnd) {
        const label = charsetOf(tag.attributes);
        if (label !== undefined && isKnown(label)) return label;
      }
      const isOuter = !tag.isEnd && (tag.name === "html" || tag.name === "head");
      if (!HEAD_TAGS.has(tag.name) && !isOuter) inHead = false;
      at = tag.end;
      if (!tag.isEnd && RAW_TAGS.has(tag.name)) at = endOfRaw(text, tag.name, at);
    } else at += 1;
    if (at !== -1) at = text.indexOf("<", at);
  }
  return undefined;
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? -1 : found + what.length;
}

function endOfRaw(text: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, "gi");
  end.lastIndex = from;
  return end.exec(text)?.index ?? -1;
}

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly attributes: ReadonlyMap<string, string>;
  /** The position after the tag. */
  readonly end: number;
}

/** Reads the tag that begins at `start`. A tag that does not end is read up to the end of the text. */
function readTag(text: string, start: number): Tag {
  const isEnd = text[start + 1] === "/";
  let at = start + (isEnd ? 2 : 1);
  const begin = at;
  while (at < text.length && !/[\t\n\f\r />]/.test(text[at] ?? "")) at += 1;
  const name = text.slice(begin, at).toLowerCase();
  const attributes = new Map<string, string>();
  for (;;) {
    while (at < text.length && /[\t\n\f\r /]/.test(text[at] ?? "")) at += 1;
    if (at >= text.length || text[at] === ">") break;
    const attribute = readAttribute(text, at);
    // The first of several attributes with the same name counts.
    if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute.value);
    at = attribute.end;
  }
  return { name, isEnd, attributes, end: Math.min(at + 1, text.length) };
}

function readAttribute(text: string, start: number): { name: string; value: string; end: number } {
  let at = start + 1;
  while (at < text.length && !/[\t\n\f\r />=]/.test(text[at] ?? "")) at += 1;
  const name = text.slice(start, at).toLowerCase();
  let behind = at;
  while (SPACE.test(text[behind] ?? "")) behind += 1;
  if (text[behind] !== "=") return { name, value: "", end: at };
  at = behind + 1;
  while (SPACE.test(text[at] ?? "")) at += 1;
  const quote = text[at];
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, at + 1);
    if (end === -1) return { name, value: "", end: text.length };
    return { name, value: text.slice(at + 1, end), end: end + 1 };
  }
  const begin = at;
  while (at < text.length && !/[\t\n\f\r >]/.test(text[at] ?? "")) at += 1;
  return { name, value: text.slice(begin, at), end: at };
}

function charsetOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get("charset");
  if (charset !== undefined) return charset;
  if (attributes.get("http-equiv")?.toLowerCase() !== "content-type") return undefined;
  return charsetOfContent(attributes.get("content") ?? "");
}

/** The label in `text/html; charset=label` (WHATWG HTML §2.5.3). */
function charsetOfContent(content: string): string | undefined {
  const match = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i.exec(
    content.slice(0, 1024),
  );
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
