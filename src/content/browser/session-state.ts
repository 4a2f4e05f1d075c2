import {
  type BrowsingState,
  type Cookie,
  type LeftOut,
  MAX_LEFT_OUT,
  MAX_ORIGINS,
  type StoredItems,
} from "../page/browsing-state.ts";
import { type CdpFields } from "./program/cdp.ts";
import { type RunningBrowser } from "./program/running-browser.ts";
import { type OriginData, READ, writeScript } from "./stored-data.ts";

/** An empty document in the place of a page, so that its storage can be reached without a request. */
const BLANK = {
  responseCode: 200,
  responseHeaders: [{ name: "Content-Type", value: "text/html" }],
  body: "",
};

type Spoken = Pick<RunningBrowser, "cdp">;

/** Gives a browser context the cookies, the storage and the databases of a session. Called before its first page. */
export async function restoreState(browser: Spoken, context: string, state: BrowsingState): Promise<void> {
  const set = (cookies: readonly Cookie[]) =>
    browser.cdp.send("Storage.setCookies", { cookies: cookies.map(paramOf), browserContextId: context });
  if (state.cookies.length > 0) {
    // A browser refuses all of them if it refuses one.
    await set(state.cookies).catch(() => Promise.allSettled(state.cookies.map((cookie) => set([cookie]))));
  }
  const origins = [...new Set([...state.storage.keys(), ...state.databases.keys()])];
  const stored = origins.map((origin) => ({
    origin,
    expression: writeScript(state.storage.get(origin) ?? [], state.databases.get(origin) ?? []),
  }));
  const failed = await atOrigins(browser, context, stored);
  const lost = origins.flatMap((origin, at) =>
    // The script above makes a list of names.
    ((failed[at] ?? []) as readonly string[]).map((database) => ({ origin, database, reason: "restore" as const })),
  );
  const known = state.leftOut.filter((one) => !lost.some((other) => isSame(one, other)));
  state.leftOut = [...known, ...lost].slice(-MAX_LEFT_OUT);
}

/**
 * Reads the cookies of a browser context, and the storage and databases of the origins whose pages it has shown, into the session. If it
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
  const [storage, databases] = [new Map(state.storage), new Map(state.databases)];
  let { leftOut } = state;
  seen.forEach(({ origin }, at) => {
    // As the script makes it.
    const data = found[at] as OriginData | undefined;
    // The data of an origin that the browser does not reach stays as it is, and a database that its page does not let be read.
    if (data === undefined) return;
    put(storage, origin, data.items);
    const busy = new Set(data.leftOut.flatMap(({ database, reason }) => (reason === "busy" ? (database ?? []) : [])));
    const before = databases.get(origin)?.filter(([name]) => busy.has(name)) ?? [];
    put(databases, origin, [...data.databases, ...before]);
    const names = new Set(data.databases.map(([name]) => name));
    const stays = (one: LeftOut) =>
      one.origin !== origin || (one.reason === "restore" && !names.has(one.database ?? ""));
    leftOut = [...leftOut.filter(stays), ...data.leftOut.map((one) => ({ origin, ...one }))];
  });
  // The protocol gives a list of Cookie objects.
  state.cookies = (cookies as readonly CdpFields[]).map(cookieOf);
  state.storage = storage;
  state.databases = databases;
  state.leftOut = leftOut.slice(-MAX_LEFT_OUT);
}

function isSame(one: LeftOut, other: LeftOut): boolean {
  return one.origin === other.origin && one.database === other.database;
}

/** Makes the items of an origin the last ones. */
function put(map: Map<string, StoredItems>, origin: string, items: StoredItems): void {
  map.delete(origin);
  if (items.length > 0) map.set(origin, items);
}

/** Evaluates an expression in an empty document of each origin. Resolves with the results; undefined for one that failed. */
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
      const params = { expression, contextId: world["executionContextId"], returnByValue: true, awaitPromise: true };
      const { result, exceptionDetails } = await send("Runtime.evaluate", params);
      // The protocol gives a RemoteObject as `result`.
      results.push(exceptionDetails === undefined ? (result as CdpFields)["value"] : undefined);
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
