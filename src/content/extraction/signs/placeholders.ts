import { textContent } from "domutils";
import { MAX_ADDRESS_LENGTH } from "./known-scripts.ts";
import { addressesIn } from "./inline-signs.ts";
import { type Placeholders } from "../extraction.ts";
import { type Survey, type Surveyed } from "./survey.ts";

/** External scripts that are examined, and names of places that are searched in them. */
const MAX_SCRIPTS = 12;
const MAX_NAMES = 200;
const MAX_NAME_LENGTH = 60;

/** A placeholder for a value that is filled in later: "--", "…", "?". */
const STAND_IN = /^(?:[-–—]{1,3}|…|\.{3}|\?{1,3}|n\/a|#{2,})$/i;

/** Names of places for a value that a script fills in. */
const VALUE =
  /(?:^|[-_\s])(?:price|cost|amount|total|value|count|counter|number|stock|qty|quantity|rating|score|rate|balance|temp|temperature|time|date|status|eta|votes|views|likes|current|live|data)(?:$|[-_\s])/i;

function isStandIn(element: Surveyed): boolean {
  const { attribs, chrome, hidden, text, elements, name } = element;
  if (chrome || hidden || text === 0 || text > 3 || elements > 0 || name === "option") return false;
  const names = `${attribs["id"] ?? ""} ${attribs["class"] ?? ""} ${dataNames(attribs)}`;
  if (attribs["id"] === undefined && !VALUE.test(names.replace(/([a-z])([A-Z])/g, "$1-$2"))) return false;
  return STAND_IN.test(textContent(element.element).trim());
}

/** Whether a sign such as "--" takes the place of a value. */
export function hasStandIn(page: Survey): boolean {
  if (page.code.unknown.length === 0) return false;
  return page.elements.some((element) => isStandIn(element));
}

function dataNames(attribs: Readonly<Record<string, string>>): string {
  return Object.keys(attribs)
    .filter((name) => name.startsWith("data-"))
    .map((name) => name.slice("data-".length))
    .join(" ");
}

/** Elements that are empty in most pages and stay empty. */
const OFTEN_EMPTY = new Set([
  "script",
  "style",
  "link",
  "meta",
  "template",
  "br",
  "hr",
  "img",
  "i",
  "svg",
  "path",
  "use",
  "source",
  "input",
  "canvas",
  "iframe",
  "video",
  "audio",
  "head",
  "title",
  "base",
  "noscript",
  "wbr",
  "col",
  "td",
  "th",
  "button",
  "a",
  "option",
  "textarea",
  "select",
]);

function isOpen(element: Surveyed): boolean {
  const { name, chrome, hidden, text, media, elements } = element;
  if (chrome || hidden || OFTEN_EMPTY.has(name)) return false;
  return (text === 0 && media === 0 && elements <= 1) || isStandIn(element);
}

/** The parts that external scripts may fill on this page. Undefined if all scripts are known. */
export function placeholders(page: Survey): Placeholders | undefined {
  const scripts = scriptsOf(page);
  if (scripts.length === 0) return undefined;
  const names = new Set<string>();
  for (const element of page.elements) {
    if (names.size >= MAX_NAMES) break;
    if (!isOpen(element)) continue;
    const { id = "", class: classes = "" } = element.attribs;
    for (const name of [id, ...classes.split(/\s+/), ...Object.keys(element.attribs)]) {
      if (/^[\w-]{3,}$/.test(name) && name.length <= MAX_NAME_LENGTH && !PLAIN_ATTRIBUTES.test(name)) names.add(name);
    }
  }
  return { scripts, names: [...names] };
}

/** Attributes and classes that do not name a place. */
const PLAIN_ATTRIBUTES =
  /^(?:id|class|style|role|title|lang|dir|hidden|tabindex|clear|clearfix|row|col(?:-.*)?|container|wrapper|inner|aria-.*|data-(?:v|astro|svelte|hk|reactid|ssr|nosnippet).*)$/;

function scriptsOf({ code, source, elements }: Survey): string[] {
  const found = new Set<string>();
  const add = (address: string | undefined): void => {
    if (address === undefined || address.length > MAX_ADDRESS_LENGTH || found.size >= MAX_SCRIPTS) return;
    const url = URL.parse(address.trim(), source.finalUrl);
    if (url !== null && /^https?:$/.test(url.protocol)) found.add(url.href.replace(/#.*$/, ""));
  };
  // A framework's shared parts are examined last, since the page's own code is more likely to decide.
  const [own, shared] = partition(code.unknown, (address) => !SHARED.test(address));
  const [first, later] = partition(own, (address) => OF_PAGE.test(address));
  for (const address of [...first, ...later]) add(address);
  for (const { name, attribs } of elements) {
    if (name === "astro-island") add(attribs["component-url"]);
    else if (name === "link" && attribs["rel"] === "modulepreload" && !SHARED.test(attribs["href"] ?? "")) {
      add(attribs["href"]);
    }
  }
  for (const { code: inline } of code.inline) for (const address of addressesIn(inline)) add(address);
  for (const address of shared) add(address);
  return [...found];
}

/** File names that bundlers derive from the page. */
const OF_PAGE = /\/(?:app|pages|routes|nodes)\/|(?:^|\/)(?:page|route|index|main|app)[.-]/i;

const SHARED =
  /(?:^|[/._-])(?:framework|vendors?|polyfills?|react|react-dom|vue|runtime|webpack|main-app|scheduler)[.-]/i;

function partition<T>(all: readonly T[], fits: (one: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const one of all) (fits(one) ? yes : no).push(one);
  return [yes, no];
}
