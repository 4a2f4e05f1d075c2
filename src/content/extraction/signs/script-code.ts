import { type AutomaticCode, automaticCode } from "./automatic-code.ts";
import { endOfValue } from "./code-values.ts";
import { setsStateOnLoad } from "./client-state.ts";
import { type SearchedNames } from "../tree/extraction.ts";
import { writesDocument, writesPage } from "./inline-signs.ts";
import { containsName, selectsName } from "./placeholders.ts";
import { ASIDE, isIn } from "./request-addresses.ts";
import { fetchesByHelper, usesAddress } from "./request-helpers.ts";
import { withoutRanges } from "./without-ranges.ts";
import { streamedInto } from "./streams.ts";
import { uncovers, writtenTexts } from "./text-writes.ts";

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

/** A state and its setter: `[rows, setRows] = useState()`. */
const KEEPS_STATE = /\[\s{0,3}[\w$]{1,40}\s{0,3},\s{0,3}[\w$]{1,40}\s{0,3}\]\s{0,3}=(?!=)/;

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
    const { code } = automaticCode(script);
    if (fetchesData(withoutProperties(code), searched.data) && !(isOwn && NO_WORDS.test(code))) {
      const names = named.filter((name) => containsName(code, name));
      return { sign: "data-request", names: [...names, ...streamedInto(code, searched.tags)] };
    }
  }
  if (KEEPS_STATE.test(script) && setsStateOnLoad(withoutProperties(automaticCode(script).code))) {
    return { sign: "client-state", names: [] };
  }
  return isOwn ? signOfOwnCode(script, named, searched) : undefined;
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
  const left = automaticCode(script);
  const streamed = streamedInto(left.code, searched.tags);
  if ((streamed.length > 0 || receives(left, searched)) && writesPage(left))
    return { sign: "data-request", names: [...filled, ...streamed] };
  if (writesDocument(left)) return { sign: "document-write", names: filled };
  const isWritten =
    appendsTo(searched, left) || (insertsBeside(left.code) && writesPage(left)) || uncovers(left.code, searched.hidden);
  if (isWritten) return { sign: "script-writes", names: filled };
  const texts = writtenTexts(left.code, searched);
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

/** Whether code gets data from an address in the page or in a call of its own. */
function receives({ code, bare }: AutomaticCode, searched: SearchedNames): boolean {
  return FETCHES.test(bare) && (searched.passesAddress || usesAddress(code, searched));
}

/** Whether code appends content to one of these lists or texts, to the main element, or to the body. */
function appendsTo({ lists, texts }: SearchedNames, { code, bare }: AutomaticCode): boolean {
  if (!APPENDS.test(bare)) return false;
  if (!MAKES_ITEMS.test(code) && !(MAKES_ANY.test(bare) && NAMES_ITEM.test(code))) return false;
  if (SELECTS_MAIN.test(code) || [...lists, ...texts].some((name) => selectsName(code, name))) return true;
  return INTO_BODY.test(code) && !COVERS.test(code);
}

function fetchesData(code: string, data: string): boolean {
  if (!FETCHES.test(code)) return false;
  for (const pattern of [CALL_ADDRESS, DATA_ADDRESS, GET_ADDRESS]) {
    for (const match of code.matchAll(pattern)) {
      const call = code.slice(match.index, match.index + match[0].length + CALL_LENGTH);
      if (!/[\w.-]/.test((match[1] ?? match[0]).replaceAll(/\$\{[^}]*\}?/g, ""))) continue;
      if (ASIDE.test(match[0]) || SENDS.test(callOnly(call)) || isIn(data, match[1] ?? match[0].slice(1, -1))) continue;
      return true;
    }
  }
  return fetchesByHelper(code, data);
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
