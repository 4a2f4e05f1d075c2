import { type AutomaticCode, automaticCode, automaticCodeOfWhole } from "./automatic-code.ts";
import { endOfBlock, endOfValue } from "./code-values.ts";
import { setsStateOnLoad } from "./client-state.ts";
import { type SearchedNames } from "../extraction.ts";
import { writesDocument, writesPage } from "./inline-signs.ts";
import { containsName, selectsName } from "./placeholders.ts";
import { ASIDE } from "./request-addresses.ts";
import { fetchesByClient, isIn } from "./request-clients.ts";
import { fetchesByHelper, fetchesByQuery, usesAddress } from "./request-helpers.ts";
import { answered } from "./answered-requests.ts";
import { showsInWideWindow } from "./media-parts.ts";
import { isRendered } from "./shown-words.ts";
import { withoutRanges } from "./without-ranges.ts";
import { filledOnScroll } from "./scroll-fills.ts";
import { streamedInto } from "./streams.ts";
import { selectsTag, uncovers, writtenTexts } from "./text-writes.ts";

/**
 * Maximum length in characters of a script in which names are searched. A longer script is a library that uses names
 * for its own purposes.
 */
const MAX_OWN_CODE = 120_000;
/** Number of characters after the address of a request that may show that the request sends data. */
const CALL_LENGTH = 240;

/** A call of the site's own client with the address of data: `api.get("/rows")`. */
const GET_ADDRESS =
  /[\w$)\]]\.get\s{0,3}\(\s{0,3}["'`](?:\$\{[\w$.]{1,40}\})?((?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/[^"'`\s]{1,200})["'`]/g;

/** Calls that fetch data. */
const FETCHES =
  /(?<![\w$])(?:fetch|ofetch|\$fetch|getJSON|axios|XMLHttpRequest|EventSource|WebSocket)\b|\$\.(?:get|ajax|post)\b|\.(?:request|get|getJSON|ajax)\s{0,9}\(/;

/** The address of data in a string: on the site itself or on its own service. */
const DATA_ADDRESS =
  /["'`](?:https?:\/\/[\w.:-]{1,120})?(?:\.{0,2}\/)?(?:[\w.${}-]{1,60}\/){0,6}(?:(?:api|ajax|graphql|rest|wp-json|data|json|feeds?|v\d)\/[\w./${}-]{1,160}|[\w./-]{1,120}\.json)(?:\?[^"'`]{0,160})?["'`]/gi;

/** The first argument of a call that fetches data, if it is a literal and refers to the site itself. */
const CALL_ADDRESS =
  /(?:(?<![\w$.])(?:fetch|ofetch|\$fetch|axios(?:\.get)?)|\$\.(?:get|getJSON|ajax)|\.getJSON|\.open|\.request|(?<![\w$.])new\s{1,9}EventSource)\s{0,9}\(\s{0,9}(?:new\s{1,3}(?:URL|Request)\s{0,3}\(\s{0,3}|["'`]GET["'`]\s{0,9},\s{0,9}|\{\s{0,9}url\s{0,9}:\s{0,9})?(?:[\w$.]{1,40}\s{0,9}\+\s{0,9})?["'`](?:\$\{[\w$.]{1,40}\})?((?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/[^"'`\s]{1,200}|[\w-]{1,60}(?:\/[\w.-]{1,60}){1,6})["'`]/g;

const SENDS = /\bmethod\s{0,9}:\s{0,9}["'`](?!GET)|\btype\s{0,9}:\s{0,9}["'`]POST/i;

/** Event handlers as properties of components, or of elements. */
const PROPERTY_HANDLER =
  /\bon[A-Z]\w{1,30}\s{0,9}:\s{0,9}|["'`]on[A-Z]?\w{1,30}["'`]\s{0,9}:\s{0,9}|\.(?:\$\$|__)\w{3,20}\s{0,9}=(?!=)\s{0,9}/g;
const HANDLER_NAME = /^([A-Za-z_$][\w$]{0,60})\s{0,9}[,;})\n]/;

/** Code that creates elements of content, as DOM elements or as HTML. */
const MAKES_ITEMS =
  /\bcreateElement\s{0,9}\(\s{0,9}["'`](?:li|tr|p|article|section|h[1-6]|dt|dd|blockquote|figure|table|ul|ol|iframe)["'`]|["'`]\s{0,99}<(?:li|tr|p|article|section|h[1-6]|dt|dd|blockquote|figure|table|ul|ol|iframe)\b|\binsertRow\s{0,9}\(|\.content\.(?:cloneNode|firstElementChild)\b|\bimportNode\s{0,9}\(/i;
/** Code that creates elements by a function of the script: `el("li", …)`. */
const MAKES_ANY = /\bcreateElement\s{0,9}\(\s{0,9}[A-Za-z_$]/;
const NAMES_ITEM =
  /(?<!\b(?:closest|querySelector|querySelectorAll|matches|is|find|filter|children|parents|getElementsByTagName|jQuery|\$)\s{0,3})\(\s{0,9}["'`](?:li|tr|p|article|section|h[1-6]|dt|dd|blockquote|figure|table|ul|ol|iframe)["'`]\s{0,3}[,)]/;
const APPENDS =
  /\.(?:append|prepend|appendChild|insertBefore|before|after|appendTo|prependTo|insertAfter|insertBefore)\s{0,9}\(|\binsertAdjacent(?:HTML|Element)\s{0,9}\(|\binnerHTML\s{0,9}\+=|\binsertRow\s{0,9}\(/;
/** Appends an element to the body of the page. */
const INTO_BODY = /\bdocument\.body\.(?:append|prepend|insertAdjacent|insertBefore|innerHTML\s{0,9}\+=)/;
/** Names of elements that cover or accompany a page: banners, dialogs, chats. */
const COVERS =
  /cookie|consent|gdpr|banner|modal|pop-?up|newsletter|toast|dialog|overlay|tooltip|lightbox|\bchat|backdrop|drawer|snackbar|survey|feedback|position\s{0,3}:\s{0,3}["']?fixed/i;
/** Inserts an element next to an element. */
const BESIDE = String.raw`\.(?:parent(?:Node|Element)[?!]?\.(?:append|prepend|insert|replace)|(?:after|before|replaceWith)\b|insertAdjacent)`;
const BESIDE_SCRIPT = new RegExp(String.raw`\bcurrentScript(?:${BESIDE}|\.parent(?:Node|Element)\b)`);
const OWN_ELEMENT = /(?<![\w$])([\w$]{1,40})\s{0,3}=\s{0,3}document\.currentScript\b/;
const SELECTS_MAIN = /(?:\bquerySelector|\$|\bjQuery)\s{0,9}\(\s{0,9}["'`](?:main|article)\b(?![-\w])/;

/** A state and its setter, the value of a reference, or a component that is mounted by a function. */
const KEEPS_STATE =
  /\[\s{0,3}[\w$]{1,40}\s{0,3},\s{0,3}[\w$]{1,40}\s{0,3}\]\s{0,3}=(?!=)|\.value\s{0,3}=(?!=)|\bonMount\b|\bawait\b|\.then\s{0,3}\(|__svelte|\buseSyncExternalStore\b|\b(?:mounted|componentDidMount)\s{0,3}[:(]/;

const ATTACHES = /\.attachShadow\s{0,9}\(/;

/** The evidence that an external script adds content to a page. */
export interface CodeSign {
  readonly sign: string;
  /** The placeholders whose names the code contains. */
  readonly names: readonly string[];
}

/**
 * Reports whether the code of an external script fetches data for the page without user action, fills a placeholder, or
 * appends content to a list. Undefined if it does none of these.
 */
export function signOfCode(script: string, searched: SearchedNames): CodeSign | undefined {
  const isOwn = script.length <= MAX_OWN_CODE;
  const named = isOwn ? searched.names.filter((name) => containsName(script, name)) : [];
  // Most scripts contain no literal request, so the expensive checks run only for those that do.
  if (fetchesData(script, searched.data)) {
    const code = isOwn
      ? automaticCodeOfWhole(script, (whole) => answered(whole, searched)).code
      : automaticCode(script).code;
    if (fetchesData(withoutProperties(code), searched.data) && !(isOwn && NO_WORDS.test(code))) {
      const names = named.filter((name) => containsName(code, name));
      return { sign: "data-request", names: [...names, ...streamedInto(code, searched.tags)] };
    }
  }
  if (KEEPS_STATE.test(script) && setsStateOnLoad(withoutProperties(automaticCode(script).code))) {
    return { sign: "client-state", names: [] };
  }
  if (isOwn && showsInWideWindow(script, searched.shown)) return { sign: "client-state", names: [] };
  if (defersPart(script, searched)) return { sign: "client-island", names: [] };
  if (isOwn) return signOfOwnCode(script, named, searched);
  // A library that gets an address from the page's own code.
  const isGiven = searched.passesAddress && FETCHES.test(script) && writesPage({ code: script, bare: script });
  return isGiven ? { sign: "data-request", names: [] } : undefined;
}

/** Angular's list of the modules of a deferred part. */
const DEFERS = /=>\s{0,3}\[\s{0,3}import\s{0,3}\(\s{0,3}["'`]/;

/** Whether a script shows a part of the page that it loads when its place is visible, and the server did not. */
function defersPart(script: string, { shown, data }: SearchedNames): boolean {
  return DEFERS.test(script) && !data.includes("__nghDeferData__") && isRendered(script, shown);
}

/** Code that uses data for a search or a drawing, and adds no words to the page. */
const NO_WORDS = /\bnew\s{1,3}(?:Fuse|FlexSearch|MiniSearch|Chart)\b|\b(?:elasticlunr|lunr)\b|\.getContext\s{0,3}\(/;

/**
 * The same for a script that is not a library and fetches no data. `named` are the placeholders whose names it
 * contains.
 */
function signOfOwnCode(script: string, named: readonly string[], searched: SearchedNames): CodeSign | undefined {
  const { code, bare } = automaticCode(script);
  const filled = named.filter((name) => containsName(code, name));
  if (filled.length > 0 && writesPage({ code, bare })) return { sign: "script-writes", names: filled };
  if (ATTACHES.test(bare) && filled.some((name) => name.includes("-"))) return { sign: "shadow-root", names: filled };
  const left = automaticCodeOfWhole(script);
  const streamed = streamedInto(left.code, searched.tags);
  if ((streamed.length > 0 || receives(left, searched)) && writesPage(left))
    return { sign: "data-request", names: [...filled, ...streamed] };
  if (writesDocument(left)) return { sign: "document-write", names: filled };
  const isWritten =
    appendsTo(searched, left) ||
    (insertsBeside(left.code) && writesPage(left)) ||
    (selectsTag(left.code, searched.tags) && writesPage(left)) ||
    (WRITES_ITSELF.test(left.bare) && searched.tags.some((tag) => WRITES_ITSELF.test(classOf(left.code, tag)))) ||
    uncovers(left.code, searched.hidden);
  if (isWritten) return { sign: "script-writes", names: filled };
  const texts = writtenTexts(left.code, searched) ?? filledOnScroll(script, named);
  return texts === undefined ? undefined : { sign: "script-writes", names: [...filled, ...texts] };
}

/** Number of characters after the script's own element in which it is used. */
const BESIDE_LENGTH = 3_000;

/** Whether code inserts an element next to the element of the script itself. */
function insertsBeside(code: string): boolean {
  if (BESIDE_SCRIPT.test(code)) return true;
  const own = OWN_ELEMENT.exec(code);
  if (own === null) return false;
  const name = (own[1] ?? "").replaceAll("$", "\\$");
  // Minified code has other variables with this name.
  return new RegExp(`(?<![\\w$.])${name}${BESIDE}`).test(code.slice(own.index, own.index + BESIDE_LENGTH));
}

/** A component replaces its own content. */
const WRITES_ITSELF =
  /(?<![\w$])this\.(?:(?:innerHTML|textContent|innerText)\s{0,3}=(?!=)|(?:replaceChildren|append|prepend)\s{0,3}\()/;

/** The code of the class that defines a custom element. "" if the script does not define the element. */
function classOf(code: string, tag: string): string {
  if (!tag.includes("-")) return "";
  const defined = new RegExp(`\\.define\\s{0,3}\\(\\s{0,3}["'\`]${tag}["'\`]\\s{0,3},\\s{0,3}([\\w$]{1,40})`).exec(
    code,
  );
  const [whole, name = ""] = defined ?? ["", ""];
  if (defined === null) return "";
  if (name === "class") return code.slice(defined.index + whole.length, endOfValue(code, defined.index + whole.length));
  const variable = name.replaceAll("$", "\\$");
  const declared = new RegExp(
    `(?:\\bclass\\s{1,9}${variable}(?![\\w$])|(?<![\\w$.])${variable}\\s{0,3}=\\s{0,3}class\\b)[^{]{0,200}`,
  ).exec(code);
  if (declared === null) return "";
  const start = declared.index + declared[0].length;
  return code.slice(start, endOfBlock(code, start));
}

/** A request whose address is a variable: `fetch(base + id)`, `x.open("GET", address)`. It sends nothing. */
const READS_VARIABLE =
  /(?:(?<![\w$.])fetch|\$\.(?:get|getJSON)|\.getJSON|\.open\s{0,3}\(\s{0,3}["'`]GET["'`]\s{0,3},)\s{0,3}\(?\s{0,3}[\w$.]{1,60}\s{0,3}(?:\+[^,;{}]{1,80})?\s{0,3}(?:,\s{0,3}(?:!0|true)\s{0,3})?\)/g;
/** The response is written into the page. */
const WRITES_RESPONSE =
  /^[^]{0,300}?(?:\.(?:innerHTML|textContent|innerText)\s{0,3}\+?=(?!=)\s{0,3}[^;,]{0,60}\bresponse(?:Text)?\b|\.then\(\s{0,3}(?:function\s{0,3}\(\s{0,3}|\(?\s{0,3})([\w$]{1,20})\)?\s{0,3}(?:=>|\{)[^]{0,160}\.(?:innerHTML|textContent|innerText)\s{0,3}\+?=(?!=)[^;]{0,80}(?<![\w$.])\1\b)/;

/** Whether code writes the response to a request with any address into the page. */
function writesResponse(code: string): boolean {
  return code
    .matchAll(READS_VARIABLE)
    .take(MAX_REQUESTS)
    .some(({ index, 0: { length } }) => {
      const call = code.slice(index, index + length);
      return !ASIDE.test(call) && WRITES_RESPONSE.test(code.slice(index + length, index + length + RESPONSE_LENGTH));
    });
}

/** Maximum number of requests that are examined, and of characters after a request that may write its response. */
const MAX_REQUESTS = 40;
const RESPONSE_LENGTH = 800;

const OPENS_STREAM = /\bnew\s{1,3}(?:WebSocket|EventSource)\b/;

/**
 * Whether code gets data from an address in the page or in a call of its own, or from a stream while the page shows a placeholder text such as
 * "--".
 */
function receives({ code, bare }: AutomaticCode, searched: SearchedNames): boolean {
  if (!FETCHES.test(bare)) return false;
  if (searched.passesAddress || usesAddress(code, searched)) return true;
  if (writesResponse(code) && searched.texts.some((name) => containsName(code, name))) return true;
  return searched.hasPlaceholderText && OPENS_STREAM.test(bare);
}

/** Whether code appends content to one of these lists or texts, to the main element, or to the body. */
function appendsTo({ lists, texts }: SearchedNames, { code, bare }: AutomaticCode): boolean {
  if (!APPENDS.test(bare)) return false;
  if (!MAKES_ITEMS.test(code) && !(MAKES_ANY.test(bare) && NAMES_ITEM.test(code))) return false;
  if (SELECTS_MAIN.test(code) || [...lists, ...texts].some((name) => selectsName(code, name))) return true;
  return INTO_BODY.test(code) && !COVERS.test(code);
}

function fetchesData(code: string, data: string): boolean {
  if (fetchesByClient(code, data)) return true;
  if (!FETCHES.test(code)) return false;
  for (const pattern of [CALL_ADDRESS, DATA_ADDRESS, GET_ADDRESS]) {
    for (const match of code.matchAll(pattern)) {
      const call = code.slice(match.index, match.index + match[0].length + CALL_LENGTH);
      if (!/[\w.-]/.test((match[1] ?? match[0]).replaceAll(/\$\{[^}]*\}?/g, ""))) continue;
      if (ASIDE.test(match[0]) || SENDS.test(callOnly(call)) || isIn(data, match[1] ?? match[0].slice(1, -1))) continue;
      return true;
    }
  }
  return fetchesByHelper(code, data) || fetchesByQuery(code, data);
}

/** The code of a call, up to the end of its statement. */
function callOnly(code: string): string {
  const end = /;|\.then|\)\s{0,9}[,)]/.exec(code);
  return end === null ? code : code.slice(0, end.index);
}

/** The beginning of a value that is a function. */
const FUNCTION_VALUE = /^(?:async\b|function\b|\(|[\w$]{1,30}\s{0,9}=>|[\w$.[\]]{1,20}\|\|)/;

/** Removes the event handlers of components: functions that are given as properties, directly or by name. */
function withoutProperties(code: string): string {
  const marked: [start: number, end: number][] = [];
  const handlers: { name: string; at: number }[] = [];
  let done = 0;
  for (const match of code.matchAll(PROPERTY_HANDLER)) {
    const start = match.index + match[0].length;
    const name = HANDLER_NAME.exec(code.slice(start, start + 70))?.[1];
    if (name !== undefined) handlers.push({ name, at: match.index });
    // A handler inside another one changes nothing. Its end is not searched, since each search may reach the script's end.
    else if (start >= done && FUNCTION_VALUE.test(code.slice(start, start + 40))) {
      done = endOfValue(code, start);
      marked.push([start, done]);
    }
  }
  if (handlers.length > 0) for (const range of definitionsOf(code, handlers)) marked.push(range);
  return withoutRanges(code, marked);
}

const DEFINITION =
  /(?<![\w$.])(?:function ([A-Za-z_$][\w$]{0,60})(?=\()|([A-Za-z_$][\w$]{0,60})(?==async|=\(| = async| = \(|=function))/g;

/**
 * For each handler, the last definition of a function with its name before it. Minified code reuses names. `handlers` are
 * in the order of their positions.
 */
function definitionsOf(
  code: string,
  handlers: readonly { readonly name: string; readonly at: number }[],
): [start: number, end: number][] {
  const definitions = code.matchAll(DEFINITION);
  const latest = new Map<string, number>();
  const starts = new Set<number>();
  let next = definitions.next();
  for (const { name, at } of handlers) {
    for (; !next.done && next.value.index <= at; next = definitions.next()) {
      const [, declared, assigned = ""] = next.value;
      latest.set(declared ?? assigned, next.value.index);
    }
    const start = latest.get(name);
    if (start !== undefined) starts.add(start);
  }
  const ranges: [start: number, end: number][] = [];
  let done = 0;
  for (const start of [...starts].toSorted((a, b) => a - b)) {
    if (start < done) continue;
    done = endOfValue(code, start);
    ranges.push([start, done]);
  }
  return ranges;
}
