import { expect, test } from "bun:test";
import { type BrowsingState, newState } from "../page/browsing-state.ts";
import { type CdpConnection, type CdpFields } from "./program/cdp.ts";
import { collectState, restoreState } from "./session-state.ts";

const OLD: BrowsingState = { ...newState(), cookies: [], storage: new Map([["https://shop.test", [["key", "old"]]]]) };
const COOKIE = { name: "id", value: "new", domain: "shop.test", path: "/", secure: true, httpOnly: true };
const ORIGINS = ["https://shop.test", "https://other.test"];

/** A browser with one new cookie and new items. `change` replaces results of calls. */
function browserWith(change: (method: string, params: CdpFields) => CdpFields | undefined) {
  const data = {
    items: [["key", "new"]],
    databases: [["db", "new"]],
    leftOut: [{ database: "photos", reason: "size" }],
  };
  const results: Readonly<Record<string, CdpFields>> = {
    "Storage.getCookies": { cookies: [COOKIE] },
    "Runtime.evaluate": { result: { value: data } },
  };
  const send = async (method: string, params: CdpFields = {}) => change(method, params) ?? results[method] ?? {};
  // These are the calls of the connection that are used.
  return { cdp: { send, listen: () => undefined } as unknown as CdpConnection };
}

test("if the browser ends while the storage is read, the session keeps its old cookies, too", async () => {
  const state = { ...OLD };
  const ending = browserWith((method) => {
    if (method === "Runtime.evaluate") throw new Error("the browser has ended");
    return undefined;
  });
  const failure = await collectState(ending, "context", state, ORIGINS).catch(String);
  expect(failure).toContain("the browser has ended");
  expect(state).toEqual({ ...OLD });
});

test("the data of an origin that the browser does not reach stays as it is", async () => {
  const state = { ...OLD };
  const browser = browserWith((method, { url }) =>
    method === "Page.navigate" && url === "https://shop.test/" ? { errorText: "net::ERR_FAILED" } : undefined,
  );
  await collectState(browser, "context", state, ORIGINS);
  expect(state.cookies.map(({ value }) => value)).toEqual(["new"]);
  expect([...state.storage]).toEqual([
    ["https://shop.test", [["key", "old"]]],
    ["https://other.test", [["key", "new"]]],
  ]);
  expect([...state.databases]).toEqual([["https://other.test", [["db", "new"]]]]);
  expect(state.leftOut).toEqual([{ origin: "https://other.test", database: "photos", reason: "size" }]);
});

test("a database that its page does not let be read stays as it is, and is named", async () => {
  const databases = new Map([
    [
      "https://shop.test",
      [
        ["logins", "old"],
        ["gone", "old"],
      ] as const,
    ],
  ]);
  const state: BrowsingState = { ...OLD, databases };
  const data = { items: [], databases: [["db", "new"]], leftOut: [{ database: "logins", reason: "busy" }] };
  const browser = browserWith((method) => (method === "Runtime.evaluate" ? { result: { value: data } } : undefined));
  await collectState(browser, "context", state, ["https://shop.test"]);
  expect([...state.databases]).toEqual([
    [
      "https://shop.test",
      [
        ["db", "new"],
        ["logins", "old"],
      ],
    ],
  ]);
  expect(state.leftOut).toEqual([{ origin: "https://shop.test", database: "logins", reason: "busy" }]);
});

test("a database that cannot be made again is named, until a page of its origin has one", async () => {
  const databases = new Map([["https://shop.test", [["db", "{}"]] as const]]);
  const state: BrowsingState = { ...OLD, databases };
  const failing = browserWith((method) => (method === "Runtime.evaluate" ? { result: { value: ["db"] } } : undefined));
  const empty = browserWith((method) =>
    method === "Runtime.evaluate" ? { result: { value: { items: [], databases: [], leftOut: [] } } } : undefined,
  );
  const lost = [{ origin: "https://shop.test", database: "db", reason: "restore" }];
  for (let use = 0; use < 2; use += 1) {
    await restoreState(failing, "context", state);
    expect(state.leftOut).toEqual(lost as BrowsingState["leftOut"]);
  }
  await collectState(empty, "context", state, ORIGINS);
  expect(state.leftOut).toEqual(lost as BrowsingState["leftOut"]);
  await collectState(
    browserWith(() => undefined),
    "context",
    state,
    ["https://shop.test"],
  );
  expect(state.leftOut).toEqual([{ origin: "https://shop.test", database: "photos", reason: "size" }]);
});
