import { type Element } from "domhandler";
import { type PageElements } from "./page-elements.ts";
import { constant, elements, NOTHING, OTHER, UNKNOWN, type Value } from "./value.ts";

const OBJECTS = new Set(
  "window document self globalThis top parent location navigator history localStorage sessionStorage console Math JSON Object Array Date Promise Number String performance screen crypto customElements Intl Reflect Symbol".split(
    " ",
  ),
);

const WINDOW = /^(?:window|self|globalThis)$/;
const STORAGE = /^(?:local|session)Storage$/;

/** Selectors of the elements in properties of the document. */
const OF_DOCUMENT: ReadonlyMap<string, string> = new Map([
  ["body", "body"],
  ["documentElement", "html"],
]);

/** Whether a global variable is an object of the browser. */
export function isBrowserObject(name: string): boolean {
  return OBJECTS.has(name);
}

/** Whether a global variable is the window, whose properties are the global variables. */
export function isWindow(name: string): boolean {
  return WINDOW.test(name);
}

/** The value of a property of a browser's object at the first visit of a page. Undefined if it is not known. */
export function browserProperty(
  name: string,
  key: string,
  page: PageElements,
  ownScript: Element | undefined,
): Value | undefined {
  if (name === "document") {
    const selector = OF_DOCUMENT.get(key);
    if (selector !== undefined) return elements(page.select(selector));
    if (key === "currentScript") return ownScript === undefined ? UNKNOWN : elements([ownScript]);
  }
  if (name === "location" && key === "hash") return constant("");
  if (STORAGE.test(name)) return key === "getItem" ? OTHER : NOTHING;
  const isPart = /^(?:document|location|localStorage|sessionStorage|navigator|history|customElements)$/.test(key);
  return isPart && (WINDOW.test(name) || name === "document") ? { is: "global", name: key } : undefined;
}

/** The result of a method of a browser's object that reads the address or an empty storage. */
export function browserMethod(
  name: string,
  key: string,
  page: PageElements,
  text: () => string | undefined,
): Value | undefined {
  if (STORAGE.test(name) && key === "getItem") return constant(null);
  if (name !== "URLSearchParams" || (key !== "get" && key !== "has")) return undefined;
  const given = URL.parse(page.survey.source.finalUrl)?.searchParams.get(text() ?? "") ?? null;
  return constant(key === "has" ? given !== null : given);
}
