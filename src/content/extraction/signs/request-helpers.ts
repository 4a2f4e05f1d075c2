import { type SearchedNames } from "../tree/extraction.ts";
import { containsName } from "./placeholders.ts";
import { ASIDE, isIn } from "./request-addresses.ts";

/** Maximum number of requests with a parameter as address that are examined in one script. */
const MAX_EXAMINED = 60;
/** Number of characters before a request in which its function must begin. */
const MAX_HELPER_LENGTH = 240;

/** A request whose address is, or contains, a variable: `fetch(u)`, `fetch(base + u)`, `` get(`${base}${u}`) ``. */
const REQUEST =
  /(?<![\w$.])(?:fetch|ofetch|\$fetch|axios(?:\.get)?|\$\.(?:get|getJSON))\s{0,3}\(\s{0,3}(?:new\s{1,3}(?:URL|Request)\s{0,3}\(\s{0,3})?(?:["'`][^"'`\s]{0,80}["'`]\s{0,3}\+\s{0,3}|[\w$.]{1,40}\s{0,3}\+\s{0,3}|`[^`\s]{0,80}\$\{)?([\w$]{1,40})\s{0,3}[,)}]/g;

/** An address on the site itself, or on its own service. Addresses of files do not count. */
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

/** A request whose address comes from an attribute of an element. */
const OF_ELEMENT =
  /\.dataset\.([A-Za-z][\w]{0,60})|["'`](data-[\w-]{1,60})["'`]|\.data\(\s{0,3}["'`]([\w-]{1,60})["'`]/g;

/** Whether code reads a data attribute, or a JSON script, of the page that contains an address. */
export function usesAddress(code: string, { addresses, configs }: SearchedNames): boolean {
  if (configs.some((name) => containsName(code, name))) return true;
  if (addresses.length === 0) return false;
  const known = new Set(addresses);
  return code.matchAll(OF_ELEMENT).some(([, property, attribute, data]) => {
    const name = property === undefined ? data : attributeName(property);
    return known.has(attribute ?? `data-${name ?? ""}`);
  });
}

function attributeName(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
