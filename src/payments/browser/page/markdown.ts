import { make } from "./elements.ts";

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|!?\[([^\]]*)\]\((\S+?)(?:\s+"[^"]*")?\)/g;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(.*)$/;
const FENCE = /^\s*(?:```|~~~)/;

/** Markdown as elements: headings, paragraphs, lists, quotes, code and links. Other constructs are shown as text. */
export function markdown(text: string): DocumentFragment {
  const shown = document.createDocumentFragment();
  const lines = text.split("\n");
  let paragraph: string[] = [];
  let list: HTMLUListElement | undefined;
  const flush = () => {
    if (paragraph.length > 0) shown.append(withInline(make("p"), paragraph.join(" ")));
    paragraph = [];
    list = undefined;
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (FENCE.test(line)) {
      flush();
      const start = at + 1;
      do at += 1;
      while (at < lines.length && !FENCE.test(lines[at] ?? ""));
      const pre = make("pre");
      pre.append(make("code", lines.slice(start, at).join("\n")));
      shown.append(pre);
    } else if (heading !== null) {
      flush();
      // The page has the first two levels.
      const level = Math.min((heading[1] ?? "").length + 2, 6);
      shown.append(withInline(document.createElement(`h${level}`), heading[2] ?? ""));
    } else if (item !== null && paragraph.length === 0) {
      if (list === undefined) shown.append((list = make("ul")));
      list.append(withInline(make("li"), item[1] ?? ""));
    } else if (line.trim() === "") flush();
    else {
      list = undefined;
      paragraph.push(line.replace(/^\s*>\s?/, "").trim());
    }
  }
  flush();
  return shown;
}

function withInline(element: HTMLElement, text: string): HTMLElement {
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, label, target = ""] = match;
    element.append(text.slice(from, match.index));
    from = match.index + whole.length;
    if (code !== undefined) element.append(make("code", code));
    else if (strong !== undefined) element.append(make("strong", strong));
    else element.append(link(label || target, target));
  }
  element.append(text.slice(from));
  return element;
}

/** A link to the web, or the text alone: the goods may be hostile. */
function link(label: string, target: string): Node {
  if (!/^https?:\/\//i.test(target)) return document.createTextNode(label);
  const element = make("a", label);
  element.href = target;
  element.rel = "noreferrer noopener";
  element.target = "_blank";
  return element;
}
