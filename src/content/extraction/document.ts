import { type DomDocument, type DomElement, parseDocument } from "./dom.ts";

/** Elements inside one another beyond this are flattened to their text: the extractors below recurse. */
export const MAX_DEPTH = 256;

/** Never content: code, style, things that show nothing or something else by script. */
const NOT_CONTENT = "script, style, template, noscript, svg, iframe, object, embed, canvas, audio, video, [hidden]";

/** Private characters that stand for a task's mark until the Markdown is made: its brackets would be escaped. */
export const TASK_DONE = "\uE0F0";
export const TASK_OPEN = "\uE0F1";

/** The classes and attributes that highlighters name a code block's language with. */
const LANGUAGE = /(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]+)/;

/** A parsed page without what is no content, with absolute addresses, and nested no deeper than MAX_DEPTH. */
export function parsePage(html: string, url: string): DomDocument {
  const document = parseDocument(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
  flatten(document);
  const base = baseOf(document, url);
  for (const element of document.querySelectorAll(NOT_CONTENT)) element.remove();
  for (const link of document.querySelectorAll("a[href]")) absolute(link, "href", base);
  for (const image of document.querySelectorAll("img")) prepareImage(image, base);
  for (const block of document.querySelectorAll("pre")) nameLanguage(document, block);
  for (const box of document.querySelectorAll('li input[type="checkbox"]')) {
    box.replaceWith(document.createTextNode(box.hasAttribute("checked") ? TASK_DONE : TASK_OPEN));
  }
  for (const heading of document.querySelectorAll("a h1, a h2, a h3, a h4, a h5, a h6")) {
    liftOutOfLink(document, heading);
  }
  return document;
}

function baseOf(document: DomDocument, url: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href");
  return href !== null && href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}

/** Makes an address absolute, or takes it away where it leads nowhere: a script, an attached file. */
function absolute(element: DomElement, name: string, base: string): void {
  const value = element.getAttribute(name)?.trim() ?? "";
  const url = URL.canParse(value, base) ? new URL(value, base) : undefined;
  if (url === undefined || !/^(?:https?|mailto|tel|ftp):$/.test(url.protocol)) element.removeAttribute(name);
  else element.setAttribute(name, url.href);
}

function prepareImage(image: DomElement, base: string): void {
  const source = image.getAttribute("src") ?? "";
  const late = image.getAttribute("data-src") ?? image.getAttribute("data-original") ?? "";
  if ((source === "" || source.startsWith("data:")) && late !== "") image.setAttribute("src", late);
  absolute(image, "src", base);
  if (!image.hasAttribute("src")) image.remove();
}

/** Walks without recursion; what lies too deep becomes text in one step, so that the whole is linear. */
function flatten(document: DomDocument): void {
  let depth = 0;
  let element: DomElement | null = document.documentElement;
  while (element !== null) {
    if (depth >= MAX_DEPTH && element.firstElementChild !== null) element.textContent = element.textContent ?? "";
    if (element.firstElementChild !== null) {
      element = element.firstElementChild;
      depth += 1;
      continue;
    }
    while (element !== null && element.nextElementSibling === null) {
      element = element.parentElement;
      depth -= 1;
    }
    element = element?.nextElementSibling ?? null;
  }
}

function nameLanguage(document: DomDocument, block: DomElement): void {
  let code = block.querySelector("code");
  const names = [block, code, block.parentElement].map((element) => languageOf(element));
  const language = names.find((name) => name !== undefined);
  if (code === null) {
    code = document.createElement("code");
    code.textContent = block.textContent ?? "";
    block.replaceChildren(code);
  }
  if (language !== undefined) code.setAttribute("class", `language-${language}`);
}

function languageOf(element: DomElement | null): string | undefined {
  if (element === null) return undefined;
  const named = element.getAttribute("data-lang") ?? element.getAttribute("data-language");
  if (named !== null && /^[\w+#.-]+$/.test(named)) return named;
  return LANGUAGE.exec(element.getAttribute("class") ?? "")?.[1];
}

/** Markdown has no heading inside a link, but it has a link inside a heading. */
function liftOutOfLink(document: DomDocument, heading: DomElement): void {
  const link = heading.closest("a");
  if (link === null) return;
  const href = link.getAttribute("href");
  if (href !== null) {
    const inner = document.createElement("a");
    inner.setAttribute("href", href);
    inner.append(...heading.childNodes);
    heading.append(inner);
  }
  link.replaceWith(...link.childNodes);
}
