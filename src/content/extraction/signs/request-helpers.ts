import { type SearchedNames } from "../extraction.ts";
import { endOfValue } from "./code-values.ts";
import { containsName } from "./placeholders.ts";
import { ASIDE } from "./request-addresses.ts";
import { isIn } from "./request-clients.ts";

/** Maximum number of requests with a parameter as address, and of queries, that are examined in one script. */
const MAX_EXAMINED = 60;
/** Number of characters before a request in which its function must begin. */
const MAX_HELPER_LENGTH = 240;
/** Maximum number of characters of a query's options. */
export const MAX_OPTIONS_LENGTH = 1_200;

/** A request whose address is, or contains, a variable: `fetch(u)`, `fetch(base + u)`, `` get(`${base}${u}`) ``. */
const REQUEST =
  /(?<![\w$.])(?:fetch|ofetch|\$fetch|axios(?:\.get)?|\$\.(?:get|getJSON))\s{0,3}\(\s{0,3}(?:new\s{1,3}(?:URL|Request)\s{0,3}\(\s{0,3})?(?:["'`][^"'`\s]{0,80}["'`]\s{0,3}\+\s{0,3}|[\w$.]{1,40}\s{0,3}\+\s{0,3}|`[^`\s]{0,80}\$\{)?([\w$]{1,40})\s{0,3}[,)}]/g;

/** An address on the site itself, or on its own service. Files are no data. */
const ADDRESS = String.raw`(["'\`])((?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/(?![^"'\`\s]*\.(?:m?js|css|svg|png|jpe?g|webp|gif|woff2?|mp4|wasm)\b)[^"'\`\s]{1,200})\1`;

/**
 * Whether code fetches data from a literal address through a function of its own or of a library:
 * `const get = (u) => fetch(u)` with `get("/api/rows")` or `useSWR("/api/rows", get)`.
 */
export function fetchesByHelper(code: string, data: string): boolean {
  const helpers = new Set<string>();
  let examined = 0;
  for (const match of code.matchAll(REQUEST)) {
    examined += 1;
    if (examined > MAX_EXAMINED) break;
    const helper = helperBefore(code.slice(Math.max(0, match.index - MAX_HELPER_LENGTH), match.index), match[1] ?? "");
    if (helper !== undefined) helpers.add(helper);
  }
  return [...helpers].some((name) => isCalledWithAddress(code, name.replaceAll("$", "\\$"), data));
}

/** The last function in the text whose first parameter has this name: `get` in `get = async (u) => {`. */
function helperBefore(text: string, parameter: string): string | undefined {
  const first = parameter.replaceAll("$", "\\$");
  const header = new RegExp(
    `(?:\\bfunction\\s{1,3}([\\w$]{1,40})\\s{0,3}\\(|(?<![\\w$.])([\\w$]{1,40})\\s{0,3}=\\s{0,3}(?:async\\s{0,3})?(?:function\\s{0,3}[\\w$]{0,40}\\s{0,3})?\\(?)\\s{0,3}${first}\\s{0,3}(?:[,)]|=>)`,
    "g",
  );
  const last = [...text.matchAll(header)].at(-1);
  return last?.[1] ?? last?.[2];
}

function isCalledWithAddress(code: string, name: string, data: string): boolean {
  const called = new RegExp(`(?<![\\w$.])${name}\\s{0,3}\\(\\s{0,3}${ADDRESS}`, "g");
  const given = new RegExp(`\\(\\s{0,3}${ADDRESS}\\s{0,3},\\s{0,3}${name}\\s{0,3}[,)]`, "g");
  return [called, given].some((pattern) =>
    code.matchAll(pattern).some(([call, , address = ""]) => !ASIDE.test(call) && !isIn(data, address)),
  );
}

/** The literal key of a query. The code of query libraries contains no literal keys. */
export const QUERY_KEY = /\bqueryKey\s{0,3}:\s{0,3}(?:\(\s{0,3}\)\s{0,3}=>\s{0,3})?\[\s{0,3}["'`]([^"'`]{1,80})["'`]/g;

/**
 * Whether code has a query that runs without user action: `useQuery({ queryKey: ["rows"], queryFn: loadRows })`. A query
 * whose key is in the document's data has its result.
 */
export function fetchesByQuery(code: string, data: string): boolean {
  let examined = 0;
  for (const match of code.matchAll(QUERY_KEY)) {
    examined += 1;
    if (examined > MAX_EXAMINED) return false;
    const open = code.lastIndexOf("{", match.index);
    if (open === -1 || match.index - open > MAX_OPTIONS_LENGTH) continue;
    const text = code.slice(open, open + MAX_OPTIONS_LENGTH);
    const options = text.slice(0, endOfValue(text, 0));
    if (!/\bqueryFn\b/.test(options) || /\benabled\s{0,3}:/.test(options)) continue;
    if (ASIDE.test(match[1] ?? "") || isIn(data, match[1] ?? "")) continue;
    return true;
  }
  return false;
}

/** Code that takes all data attributes of an element as options: `$(el).data()`, `{ ...el.dataset }`. */
const ALL_DATA = /\.data\s{0,3}\(\s{0,3}\)|\.dataset\b(?!\s{0,3}[.[])/;
/** The value of a Stimulus controller, which is in `data-<controller>-<name>-value`. */
const STIMULUS_VALUE = /\bthis\.([a-z]\w{0,40})Value\b/g;

/** A request whose address comes from an attribute of an element. */
const OF_ELEMENT =
  /\.dataset\.([A-Za-z][\w]{0,60})|["'`](data-[\w-]{1,60})["'`]|\.data\(\s{0,3}["'`]([\w-]{1,60})["'`]/g;

/** Whether code reads a data attribute, or a JSON script, of the page that contains an address. */
export function usesAddress(code: string, { addresses, configs }: SearchedNames): boolean {
  if (configs.some((name) => containsName(code, name))) return true;
  if (addresses.length === 0) return false;
  const known = new Set(addresses);
  const isRead = code.matchAll(OF_ELEMENT).some(([, property, attribute, data]) => {
    const name = property === undefined ? data : attributeName(property);
    return known.has(attribute ?? `data-${name ?? ""}`);
  });
  if (isRead) return true;
  const values = code.matchAll(STIMULUS_VALUE).map(([, name = ""]) => `-${attributeName(name)}-value`);
  if (values.some((end) => addresses.some((name) => name.endsWith(end)))) return true;
  return ALL_DATA.test(code) && addresses.some((name) => readsProperty(code, name.slice("data-".length)));
}

function attributeName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Whether code reads the property of a data attribute: `rowsUrl` for `rows-url`. */
function readsProperty(code: string, attribute: string): boolean {
  const property = attribute.replaceAll(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase());
  return /^\w{2,60}$/.test(property) && new RegExp(`(?:\\.|[{,]\\s{0,9})${property}(?![\\w$-]|\\s{0,3}\\()`).test(code);
}
