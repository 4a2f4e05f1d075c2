import { ASIDE } from "./request-addresses.ts";

/** Maximum number of clients, and of matches of one pattern, that are examined in one script. */
const MAX_CLIENTS = 20;
const MAX_EXAMINED = 60;
/** Number of characters after an address that may show that the request sends data. */
const CALL_LENGTH = 240;

/**
 * A client for requests to one service: `ky.create({ prefixUrl: base })`, `new Api("/v1")`, `new Client({ endpoint })`.
 * Objects of the browser that take an address do not count.
 */
const CLIENT =
  /(?<![\w$.])([\w$]{1,40})\s{0,3}=\s{0,3}(?:[\w$.]{1,60}(?:\(\))?\.(?:create|extend)|new\s{1,3}(?!URL\b|Request\b|RegExp\b|Worker\b|SharedWorker\b|EventSource\b|WebSocket\b|Audio\b|Error\b)[\w$.]{1,40})\s{0,3}\(\s{0,3}(?:\{[^{}]{0,300}?\b(?:base(?:URL|Url|_url)?|prefix(?:Url|URL)?|endpoint|url|uri)\s{0,3}:|["'`](?:https?:\/\/|\/)[^"'`\s]{1,200}["'`]\s{0,3}[,)])/g;

/** An address on the site itself, or on its own service. Files are no data. */
const ADDRESS = String.raw`["'\`]((?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/(?![^"'\`\s]*\.(?:m?js|css|svg|png|jpe?g|webp|gif|woff2?|mp4|wasm|html?)\b)[^"'\`\s]{0,200})["'\`]`;

/** A function of another module. The browser's own functions for files, pages and modules do not count. */
const IMPORTED = String.raw`(?<![\w$.])(?!(?:import|require|if|while|for|switch|return|typeof|function)\b)(?:\(0,\s{0,3}[\w$.]{1,40}\)|[\w$]{1,40}(?:\.default)?)\s{0,3}\(\s{0,3}`;

/** The beginning of a function that returns an address, for which a library waits: `() => ready() ? "/rows" : undefined`. */
const GIVES = String.raw`\(\s{0,3}\)\s{0,3}=>\s{0,3}(?:[\w$.!]{1,60}(?:\(\))?\s{0,3}\?\s{0,3})?`;

/** A resource that requests its address by itself: `rows = httpResource(() => "/rows")`. */
const RESOURCE = new RegExp(String.raw`(?<![\w$.])[\w$]{1,40}\s{0,3}=\s{0,3}${IMPORTED}${GIVES}${ADDRESS}`, "g");
/** The state of a resource, which other functions of an address do not have. */
const HAS_STATE = /\.(?:hasValue|isLoading)\s{0,3}\(\s{0,3}\)/;

/** An endpoint of a service of Redux Toolkit: `rows: build.query({ query: () => "rows" })`. */
const ENDPOINT = /(?<![\w$.])([A-Za-z]\w{0,60})\s{0,3}:\s{0,3}[\w$]{1,40}\.query\s{0,3}\(\s{0,3}\{[^{}]{0,160}/g;

const RESULTS: readonly RegExp[] = [
  // The response is read: `get("/rows").json()`.
  new RegExp(String.raw`${IMPORTED}${ADDRESS}[^()]{0,80}\)\s{0,3}\.json\(`, "g"),
  // A query runs by itself, and returns its data and its state: `const { data } = useSWR("/rows", get)`.
  new RegExp(
    String.raw`\bdata\b(?:\s{0,3}:\s{0,3}[\w$]{1,40})?[^{}()]{0,120}\}\s{0,3}=\s{0,3}(?:await\s{1,3})?${IMPORTED}(?:${GIVES})?${ADDRESS}`,
    "g",
  ),
  // A request is awaited, and its result is kept: `rows = await get("/rows")`.
  new RegExp(String.raw`(?:[=:?]|=>|\breturn)\s{0,3}\(?await\s{1,3}${IMPORTED}${ADDRESS}`, "g"),
];

/** A query of GraphQL that is not a mutation. */
const GRAPHQL =
  /["'`]\s{0,60}(?:query\b\s{0,9}([\w$]{0,60})\s{0,9}(?:\([^()"'`]{0,300}\)\s{0,9})?\{\s{0,60}([A-Za-z_]\w{0,60})|\{\s{0,60}([A-Za-z_]\w{0,60})\s{0,9}(?:\([^()"'`]{0,200}\)\s{0,9})?\{\s{0,60}[A-Za-z_]\w{0,60}[\s}{(])|\boperation\s{0,3}:\s{0,3}["'`]query["'`]\s{0,3},\s{0,3}name\s{0,3}:\s{0,3}\{\s{0,3}kind\s{0,3}:\s{0,3}["'`]Name["'`]\s{0,3},\s{0,3}value\s{0,3}:\s{0,3}["'`](\w{1,60})/g;

/**
 * Whether code gets data through a client or a function of another module: `api.get("rows")`, `useFetch("/rows").json()`,
 * a query of GraphQL. The code must not contain event handlers. `data` is the data that the document contains for its
 * scripts: what is in it need not be requested.
 */
export function fetchesByClient(code: string, data: string): boolean {
  for (const pattern of RESULTS) {
    for (const match of code.matchAll(pattern).take(MAX_EXAMINED)) if (loads(code, match, data)) return true;
  }
  if (
    HAS_STATE.test(code) &&
    code
      .matchAll(RESOURCE)
      .take(MAX_EXAMINED)
      .some((match) => loads(code, match, data))
  )
    return true;
  if (usesEndpoint(code, data) || keepsResponse(code, data)) return true;
  const clients = new Set<string>();
  for (const [, name = ""] of code.matchAll(CLIENT).take(MAX_CLIENTS)) clients.add(name.replaceAll("$", "\\$"));
  if ([...clients].some((name) => isCalled(code, name, data))) return true;
  for (const [whole, ...names] of code.matchAll(GRAPHQL).take(MAX_EXAMINED)) {
    if (!ASIDE.test(whole) && !names.some((name) => name !== undefined && name !== "" && isIn(data, name))) return true;
  }
  return false;
}

/** The names that a module imports: `import { t as api } from "./api.js"`. */
const IMPORTS = /\bimport\s{0,3}\{([^{}]{1,2000})\}\s{0,3}from\b/g;
/** A state whose first value is the result of an object's method: `rows = state(api.get("rows"))`. */
const KEPT =
  /(?<![\w$.])[\w$]{1,40}\s{0,3}=\s{0,3}(?:\(0,\s{0,3})?[\w$.]{1,40}\)?\(\s{0,3}([\w$]{1,40})\.(?:get|json|fetch|query|request|list|load)\s{0,3}\(\s{0,3}["'`]([\w./?=&-]{1,200})["'`]\s{0,3}\)/g;

/** Whether a state keeps the response to a request by a client of another module. */
function keepsResponse(code: string, data: string): boolean {
  const kept = [...code.matchAll(KEPT).take(MAX_EXAMINED)];
  if (kept.length === 0) return false;
  const names = new Set<string>();
  for (const [, list = ""] of code.matchAll(IMPORTS).take(MAX_EXAMINED))
    for (const item of list.split(",")) names.add(item.trim().split(/\s+/).at(-1) ?? "");
  return kept.some(([, name = "", address = ""]) => names.has(name) && !ASIDE.test(address) && !isIn(data, address));
}

/** Whether a component uses the query of an endpoint: `useRowsQuery()`. It runs by itself, unlike `useLazyRowsQuery`. */
function usesEndpoint(code: string, data: string): boolean {
  return code
    .matchAll(ENDPOINT)
    .take(MAX_EXAMINED)
    .some(([whole, name = ""]) => {
      const hook = `use${name.charAt(0).toUpperCase()}${name.slice(1)}Query`;
      return new RegExp(`(?<![\\w$])${hook}(?![\\w$])`).test(code) && !ASIDE.test(whole) && !isIn(data, name);
    });
}

function isCalled(code: string, client: string, data: string): boolean {
  const direct = new RegExp(String.raw`(?<![\w$.])${client}\s{0,3}\(\s{0,3}${ADDRESS}`, "g");
  const method = new RegExp(
    String.raw`(?<![\w$.])${client}\.(?:get|json|fetch|query|request|list|load|find|read)\s{0,3}\(\s{0,3}["'\`]([\w./?=&$\{\}-]{1,200})["'\`]`,
    "g",
  );
  return [direct, method].some((pattern) =>
    code
      .matchAll(pattern)
      .take(MAX_EXAMINED)
      .some((match) => loads(code, match, data)),
  );
}

/** The key of a request that Nuxt's compiler adds, under which the server's data is in the document. */
const NUXT_KEY = /^\s{0,3},\s{0,3}(?:\{[^{}]{0,120}\}\s{0,3},\s{0,3})?["'`]\$([\w-]{6,40})["'`]/;

const SENDS = /\bmethod\s{0,9}:\s{0,9}["'`](?!GET)|\bkeepalive\b/i;

function loads(code: string, match: RegExpExecArray, data: string): boolean {
  const address = match[1] ?? "";
  if (ASIDE.test(address) || isIn(data, address)) return false;
  const end = match.index + match[0].length;
  const rest = code.slice(end, end + CALL_LENGTH);
  const key = NUXT_KEY.exec(rest)?.[1];
  if (key !== undefined && data.includes(key)) return false;
  const statement = /;|\.then|\)\s{0,9}[,)]/.exec(rest);
  return !SENDS.test(statement === null ? rest : rest.slice(0, statement.index));
}

/** Whether the document's data contains a name or an address, in quotes. */
export function isIn(data: string, name: string): boolean {
  for (let at = data.indexOf(name); at !== -1; at = data.indexOf(name, at + 1)) {
    const isBegun = name.startsWith("/") || !/\w/.test(data.charAt(at - 1));
    if (isBegun && /["'\\&?#]/.test(data.charAt(at + name.length))) return true;
  }
  return false;
}
