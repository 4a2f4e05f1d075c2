import { textContent } from "domutils";
import { isKnownSnippet, MAX_ADDRESS_LENGTH } from "./known-scripts.ts";
import { addressesIn } from "./inline-signs.ts";
import { ROOTS, waitsForAction } from "./empty-signs.ts";
import { ASIDE } from "./request-addresses.ts";
import { passesAddress } from "./passed-addresses.ts";
import { streamedInto } from "./streams.ts";
import { LATE_ELEMENTS, ROUTER, SMALL_ELEMENT } from "./framework-signs.ts";
import { type Placeholders } from "../tree/extraction.ts";
import { type Survey, type Surveyed } from "./survey.ts";

/** Maximum number of external scripts that are examined, and of names that are searched in them. */
const MAX_SCRIPTS = 12;
const MAX_NAMES = 200;
const MAX_NAME_LENGTH = 60;
/** Maximum number of characters of inline scripts in which names are searched. */
const MAX_INLINE_CODE = 200_000;

/** A text in the place of a value that a script fills in later: "--", "…", "?". */
const PLACEHOLDER_TEXT = /^(?:[-–—]{1,3}|…|\.{3}|\?{1,3}|n\/a|#{2,})$/i;

/** A notice in the place of a value, such as "Loading". */
const WAITS =
  /^(?:please wait|connecting|loading|one moment|updating|fetching|checking|calculating)\s{0,3}(?:…|\.{1,3})?$/i;
const MAX_WAITS_LENGTH = 24;

/** Whether an element with an id or a class shows only a placeholder text or a notice instead of a value. */
function showsPlaceholderText({ element, chrome, hidden, text, elements, name }: Surveyed): boolean {
  if (chrome || hidden || text === 0 || text > MAX_WAITS_LENGTH || elements > 0 || name === "option") return false;
  const shown = textContent(element).trim();
  return PLACEHOLDER_TEXT.test(shown) || WAITS.test(shown);
}

const ZERO = /^0+(?:[.,]0+)?\s?[%+kM]?$/;
const MAX_ZERO_LENGTH = 6;

/** Whether an element shows a zero, and has an attribute with another number to which a script may count. */
function isCounter({ element, attribs, chrome, hidden, text, elements }: Surveyed): boolean {
  if (chrome || hidden || text === 0 || text > MAX_ZERO_LENGTH || elements > 0) return false;
  const isEnd = (name: string) =>
    name.startsWith("data-") && !/id$|index|key/.test(name) && /^\d[\d.,]{0,14}$/.test(attribs[name] ?? "");
  return Object.keys(attribs).some(isEnd) && ZERO.test(textContent(element).trim());
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
  ROUTER,
]);

function isOpen(element: Surveyed): boolean {
  const { name, chrome, hidden, text, media, elements } = element;
  if (chrome || hidden || OFTEN_EMPTY.has(name) || (name.includes("-") && SMALL_ELEMENT.test(name))) return false;
  return (text === 0 && media === 0 && elements <= 1) || isUnmade(element);
}

/** Names of empty elements of carousels and lists that get buttons, but no content. */
const CONTROL_NAMES =
  /(?:^|[-_\s])(?:nav|navigation|dots|bullets|pagination|pager|indicators?|arrows?|thumbs|scrollbar|progress|backdrop|recaptcha|captcha)(?:$|[-_\s])/i;

/** Characters of text. A page with more text is not a page of search results. */
const MUCH_TEXT = 500;

/** Whether an empty element gets only buttons, or the results of a search in the site. */
function isControl({ attribs: { id = "", class: classes = "" } }: Surveyed, { contentText }: Survey): boolean {
  const names = `${id} ${classes}`;
  return CONTROL_NAMES.test(names) || (contentText >= MUCH_TEXT && /search/i.test(names));
}

/** Maximum number of characters of a fallback text in a custom element. */
const MAX_FALLBACK_LENGTH = 80;

/** Whether an element is a component with at most a short text. Its script may then display something else. */
function isUnmade({ name, text, media, elements }: Surveyed): boolean {
  if (!name.includes("-") || SMALL_ELEMENT.test(name) || LATE_ELEMENTS.has(name)) return false;
  return text <= MAX_FALLBACK_LENGTH && media === 0 && elements === 0;
}

/** Elements with content to which a script may append. */
const LISTS = new Set(["ul", "ol", "dl", "table", "tbody", "section", "article", "main", "div"]);

/** Share of a page's text. An element with more of the text is the root of an application. */
const ROOT_PART = 0.8;

function isList({ name, chrome, hidden, text }: Surveyed, page: Survey): boolean {
  if (!LISTS.has(name) || chrome || hidden || text === 0) return false;
  return name !== "div" || text < page.text * ROOT_PART;
}

/** Maximum number of characters of a text that a script may replace completely. */
const MAX_SHORT_TEXT = 200;

/** Controls. Their text is a label, not content. */
const CONTROLS = new Set(["button", "summary", "label", "option", "select", "textarea", "legend", "form"]);
/** Number of ancestors of a text that are checked for controls. */
const MAX_ABOVE = 4;

function isShortText({ name, chrome, hidden, text, parent, attribs }: Surveyed, page: Survey): boolean {
  const { elements } = page;
  if (chrome || hidden || text === 0 || text > MAX_SHORT_TEXT || text >= page.text * ROOT_PART) return false;
  if (CONTROLS.has(name) || attribs["role"] === "button") return false;
  let above = elements[parent];
  for (let level = 0; level < MAX_ABOVE && above !== undefined; level += 1) {
    if (CONTROLS.has(above.name)) return false;
    above = elements[above.parent];
  }
  return true;
}

function dataAttributes({ attribs }: Surveyed): string[] {
  return Object.keys(attribs).filter((name) => name.startsWith("data-"));
}

/** Elements that scripts select by their tag names alone. */
const TAGS = new Set(
  "output time ol ul dl dd tbody table section article main figure figcaption blockquote strong b em mark data h1 h2 h3 p pre code address caption".split(
    " ",
  ),
);

/** Names of elements, up to a limit. */
class Names {
  readonly #names = new Set<string>();

  add(all: readonly string[]): void {
    for (const name of all) {
      if (this.#names.size >= MAX_NAMES) return;
      if (/^[\w-]+$/.test(name) && name.length <= MAX_NAME_LENGTH && !PLAIN_ATTRIBUTES.test(name)) {
        this.#names.add(name);
      }
    }
  }

  get all(): readonly string[] {
    return [...this.#names];
  }
}

/** The elements that external scripts may fill on this page. Undefined if all scripts are known. */
export function placeholders(page: Survey): Placeholders | undefined {
  const scripts = scriptsOf(page);
  const inline = ownCode(page);
  if (scripts.length === 0 && inline.length === 0) return undefined;
  const [names, certain, lists, texts] = [new Names(), new Names(), new Names(), new Names()];
  const [addresses, configs, hidden] = [new Names(), new Names(), new Names()];
  const tags = new Set<string>();
  for (const element of page.elements) {
    const isPlaceholder = showsPlaceholderText(element);
    addresses.add(addressAttributes(element));
    if (isCovered(element, page)) hidden.add(namesOf(element));
    if (isConfig(element)) configs.add([...namesOf(element), ...dataAttributes(element)]);
    if (
      (isPlaceholder || isOpen(element) || isCounter(element)) &&
      !isControl(element, page) &&
      !waitsForAction(element, page)
    ) {
      const all = [...namesOf(element), ...Object.keys(element.attribs), ...(isUnmade(element) ? [element.name] : [])];
      names.add(all);
      if (isPlaceholder) certain.add(all);
      if (TAGS.has(element.name)) tags.add(element.name);
      continue;
    }
    if (isList(element, page)) lists.add(element.name === "div" ? [element.attribs["id"] ?? ""] : namesOf(element));
    if (isShortText(element, page)) texts.add([...namesOf(element), ...dataAttributes(element)]);
  }
  certain.add(names.all.filter((name) => inline.some((code) => containsName(code, name))));
  for (const code of inline) certain.add(streamedInto(code, tags));
  const [parts, short] = [lists, texts].map(({ all }) => all.filter((name) => !ROOTS.test(name)));
  return {
    scripts,
    names: names.all,
    certain: certain.all,
    lists: parts ?? [],
    texts: short ?? [],
    tags: [...tags],
    addresses: addresses.all,
    configs: configs.all,
    hidden: hidden.all,
    passesAddress: inline.some((code) => !isKnownSnippet(code) && passesAddress(code)),
    data: scripts.length === 0 ? "" : dataFor(page),
  };
}

/** Maximum number of characters of the data in a page with which scripts are compared. */
const MAX_DATA = 60_000;

/** The data that the document contains for its scripts: JSON, and values that inline code assigns. */
function dataFor({ code }: Survey): string {
  const found: string[] = [];
  let left = MAX_DATA;
  for (const text of [...code.dataText, ...code.inline.map(({ whole }) => whole)]) {
    if (left <= 0) break;
    found.push(text.slice(0, left));
    left -= text.length;
  }
  return found.join("\n");
}

/** Elements whose addresses are of pictures, or are used when a user acts. */
const OTHER_ADDRESSES = new Set(["img", "picture", "source", "video", "audio", "a", "button", "input", "form"]);

/**
 * The address of data: on the site or on another host. Addresses with the extension of a picture, a style sheet or the
 * like do not match.
 */
const DATA_ADDRESS =
  /^(?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/(?!\S*\.(?:m?js|css|svg|png|jpe?g|webp|avif|gif|ico|woff2?|mp[34]|m3u8|webm|pdf)\b)\S{1,300}$/i;

/** The data attributes of an element that may contain addresses of data. */
function addressAttributes({ name, attribs, chrome, hidden }: Surveyed): string[] {
  if (chrome || hidden || OTHER_ADDRESSES.has(name)) return [];
  return Object.keys(attribs).filter(
    (attribute) => attribute.startsWith("data-") && DATA_ADDRESS.test(attribs[attribute] ?? ""),
  );
}

/** Maximum number of characters of a JSON script in which addresses are searched. */
const MAX_CONFIG_LENGTH = 20_000;
/** An address of data in JSON, in which slashes may be escaped. */
const CONFIG_ADDRESS =
  /"(?:url|src|source|endpoint|api|feed|data|json|remote|href|\w{1,20}(?:Url|URL|_url|Source|Endpoint|Feed))"\s{0,9}:\s{0,9}"((?:https?:)?\\?\/[^"\s]{1,300})"/g;

/** Whether an element is a JSON script with the address of data. */
function isConfig({ name, attribs, element }: Surveyed): boolean {
  if (name !== "script" || attribs["type"]?.trim().toLowerCase() !== "application/json") return false;
  const text = textContent(element).slice(0, MAX_CONFIG_LENGTH);
  return text.matchAll(CONFIG_ADDRESS).some(([, address = ""]) => {
    const plain = address.replaceAll("\\/", "/");
    return DATA_ADDRESS.test(plain) && !ASIDE.test(plain);
  });
}

/** Minimum number of characters of hidden content. Less text is a label or a notice. */
const MIN_COVERED_TEXT = 25;
/** Names of hidden elements that most readers never see, or that only a user action shows. */
const STAYS_COVERED =
  /cookie|consent|gdpr|banner|modal|pop-?up|newsletter|toast|dialog|overlay|tooltip|lightbox|chat|backdrop|drawer|snackbar|survey|feedback|promo|error|fail|alert|warning|success|message|notice|notif|status|load|spinner|menu|nav|drop-?down|search|cart|basket|wish|compare|recent|log-?in|user|account|member|admin|install|offline|update|upgrade|browser|unsupported|no-?js|no-?script|form|reply|share|top|print|template|tpl/i;

/** Whether an element contains content that is hidden, and is not inside another hidden element. */
function isCovered({ element, attribs, chrome, hidden, parent }: Surveyed, { elements }: Survey): boolean {
  if (!hidden || chrome || elements[parent]?.hidden === true) return false;
  const { id = "", class: classes = "" } = attribs;
  if (STAYS_COVERED.test(`${id} ${classes}`)) return false;
  return textContent(element).trim().length >= MIN_COVERED_TEXT;
}

function namesOf({ attribs: { id = "", class: classes = "" } }: Surveyed): string[] {
  return [id, ...classes.split(/\s+/)];
}

/** The inline scripts in which names are searched. Their total length is limited. */
function ownCode({ code }: Survey): readonly string[] {
  let left = MAX_INLINE_CODE;
  return code.inline.flatMap(({ code: inline }) => {
    left -= inline.length;
    return left < 0 ? [] : [inline];
  });
}

/**
 * Whether a script contains a name in one of the usual forms: `#price`, `.list li`, `"price"`, `[data-widget]`,
 * `dataset.widget`.
 */
export function containsName(script: string, name: string): boolean {
  // A name of two letters may also be a variable or a tag.
  if (name.length <= 2) return selectsName(script, name);
  if (writesGlobal(script, name)) return true;
  for (let at = script.indexOf(name); at !== -1; at = script.indexOf(name, at + 1)) {
    const before = script.charAt(at - 1);
    const after = script.charAt(at + name.length);
    if (/[#."'`[\s]/.test(before) && /["'`\].\s:>,=]/.test(after)) return true;
  }
  return false;
}

/** Whether code writes to an element through the variable that browsers define for its id. */
function writesGlobal(script: string, name: string): boolean {
  if (!/^[A-Za-z_]\w{2,}$/.test(name) || !script.includes(`${name}.`)) return false;
  const written = `(?<![\\w$.])${name}\\.(?:textContent|innerText|innerHTML|value|append|prepend|replaceChildren|insertAdjacent)`;
  const declared = `\\b(?:const|let|var|function|class)\\s+${name}\\b|(?<![\\w$.])${name}\\s*=(?!=)`;
  return new RegExp(written).test(script) && !new RegExp(declared).test(script);
}

/** Whether code selects an element by this name: `"#list"`, `".list li"`, `getElementById("list")`. */
export function selectsName(script: string, name: string): boolean {
  for (let at = script.indexOf(name); at !== -1; at = script.indexOf(name, at + 1)) {
    const before = script.slice(Math.max(0, at - 32), at);
    const isWhole = !/[\w-]/.test(script.charAt(at + name.length));
    if (isWhole && /(?:["'`\s>,][#.]|\bgetElement(?:ById|sByClassName)\s{0,3}\(\s{0,3}["'`])$/.test(before))
      return true;
  }
  return false;
}

/** Attributes and classes by which scripts do not select elements. */
const PLAIN_ATTRIBUTES =
  /^(?:id|class|style|role|title|lang|dir|hidden|tabindex|clear|clearfix|row|col(?:-.*)?|container|wrapper|inner|aria-.*|data-(?:v|astro|svelte|hk|reactid|ssr|nosnippet).*)$/;

/**
 * Attributes of Qwik with the addresses of tasks. The tasks run when the element becomes visible or the page is loaded.
 */
const VISIBLE_TASKS = ["on:qvisible", "on-document:qinit", "on-document:qidle"];

function scriptsOf({ code, source, elements }: Survey): string[] {
  const found = new Set<string>();
  const add = (address: string | undefined): void => {
    if (address === undefined || address.length > MAX_ADDRESS_LENGTH || found.size >= MAX_SCRIPTS) return;
    const url = URL.parse(address.trim(), source.finalUrl);
    if (url !== null && /^https?:$/.test(url.protocol)) found.add(url.href.replace(/#.*$/, ""));
  };
  // The framework's shared scripts are examined last, since the page's own scripts decide more often.
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
  const base = elements.find(({ attribs }) => attribs["q:base"] !== undefined)?.attribs["q:base"] ?? "";
  for (const { attribs } of elements) {
    for (const event of VISIBLE_TASKS) for (const task of attribs[event]?.split("\n") ?? []) add(base + task);
  }
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
