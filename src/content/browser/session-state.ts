import { type BrowsingState, type Cookie, type StoredItems } from "../page/browsing-state.ts";
import { type CdpFields } from "./program/cdp.ts";
import { type RunningBrowser } from "./program/running-browser.ts";

/** Origins of a session whose localStorage is kept, and characters of each. @operator The storage of further or larger ones is not kept. */
const MAX_ORIGINS = 20;
const MAX_ORIGIN_LENGTH = 200_000;

/** An empty document in the place of a page, so that its storage can be reached without a request. */
const BLANK = {
  responseCode: 200,
  responseHeaders: [{ name: "Content-Type", value: "text/html" }],
  body: "",
};

/** Runs in a context that the pages do not share. */
const READ = `(() => {
  const items = Object.keys(localStorage).map((key) => [key, localStorage.getItem(key)]);
  return JSON.stringify(items).length > ${MAX_ORIGIN_LENGTH} ? [] : items;
})()`;

function writeScript(items: StoredItems): string {
  return `for (const [key, value] of ${JSON.stringify(items)}) localStorage.setItem(key, value)`;
}

type Spoken = Pick<RunningBrowser, "cdp">;

/** Gives a browser context the cookies and the storage of a session. Called before its first page. */
export async function restoreState(browser: Spoken, context: string, state: BrowsingState): Promise<void> {
  const set = (cookies: readonly Cookie[]) =>
    browser.cdp.send("Storage.setCookies", { cookies: cookies.map(paramOf), browserContextId: context });
  if (state.cookies.length > 0) {
    // A browser refuses all of them if it refuses one.
    await set(state.cookies).catch(() => Promise.allSettled(state.cookies.map((cookie) => set([cookie]))));
  }
  const stored = [...state.storage].map(([origin, items]) => ({ origin, expression: writeScript(items) }));
  await atOrigins(browser, context, stored);
}

/**
 * Reads the cookies of a browser context, and the storage of the origins whose pages it has shown, into the session. If it
 * fails, the session is as it was.
 */
export async function collectState(
  browser: Spoken,
  context: string,
  state: BrowsingState,
  origins: Iterable<string>,
): Promise<void> {
  const { cookies } = await browser.cdp.send("Storage.getCookies", { browserContextId: context });
  const seen = [...origins].slice(-MAX_ORIGINS).map((origin) => ({ origin, expression: READ }));
  const found = await atOrigins(browser, context, seen);
  const storage = new Map(state.storage);
  seen.forEach(({ origin }, at) => {
    // The script above makes a list of pairs.
    const items = found[at] as StoredItems | undefined;
    // The storage of an origin that the browser does not reach stays as it is.
    if (items === undefined) return;
    storage.delete(origin);
    if (items.length > 0) storage.set(origin, items);
  });
  // The protocol gives a list of Cookie objects.
  state.cookies = (cookies as readonly CdpFields[]).map(cookieOf);
  state.storage = new Map([...storage].slice(-MAX_ORIGINS));
}

/** Evaluates an expression in an empty document of each origin, and resolves with the results. */
async function atOrigins(
  { cdp }: Spoken,
  context: string,
  tasks: readonly { readonly origin: string; readonly expression: string }[],
): Promise<readonly unknown[]> {
  if (tasks.length === 0) return [];
  const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank", browserContextId: context });
  const attached = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
  const session = String(attached["sessionId"]);
  const send = (method: string, params: CdpFields = {}) => cdp.send(method, params, session);
  cdp.listen(session, (method, params) => {
    if (method !== "Fetch.requestPaused") return;
    send("Fetch.fulfillRequest", { requestId: params["requestId"], ...BLANK }).catch(() => undefined);
  });
  try {
    await send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    const results: unknown[] = [];
    for (const { origin, expression } of tasks) {
      const { frameId, errorText } = await send("Page.navigate", { url: `${origin}/` });
      if (errorText !== undefined) {
        results.push(undefined);
        continue;
      }
      const world = await send("Page.createIsolatedWorld", { frameId });
      const params = { expression, contextId: world["executionContextId"], returnByValue: true };
      // The protocol gives a RemoteObject as `result`.
      const evaluated = (await send("Runtime.evaluate", params))["result"] as CdpFields;
      results.push(evaluated["value"]);
    }
    return results;
  } finally {
    cdp.listen(session, undefined);
    await cdp.send("Target.closeTarget", { targetId });
  }
}

function paramOf({ domain, hostOnly, expires, partition, ...cookie }: Cookie): CdpFields {
  const scheme = cookie.secure ? "https" : "http";
  return {
    ...cookie,
    // Without a domain, the cookie belongs to the host of the URL alone.
    ...(hostOnly ? { url: `${scheme}://${domain}${cookie.path}` } : { domain: `.${domain}` }),
    ...(expires === undefined ? {} : { expires: expires / 1000 }),
    ...(partition === undefined ? {} : { partitionKey: partition }),
  };
}

/** `cookie` is a Cookie of the protocol. */
function cookieOf(cookie: CdpFields): Cookie {
  const domain = String(cookie["domain"]);
  const { sameSite, expires, partitionKey } = cookie;
  return {
    name: String(cookie["name"]),
    value: String(cookie["value"]),
    domain: domain.replace(/^\./, ""),
    hostOnly: !domain.startsWith("."),
    path: String(cookie["path"]),
    secure: cookie["secure"] === true,
    httpOnly: cookie["httpOnly"] === true,
    ...(sameSite === "Strict" || sameSite === "Lax" || sameSite === "None" ? { sameSite } : {}),
    ...(typeof expires === "number" && expires > 0 ? { expires: expires * 1000 } : {}),
    ...(typeof partitionKey === "object" && partitionKey !== null ? { partition: { ...partitionKey } } : {}),
  };
}
