import { expect, test } from "bun:test";
import { type BrowsingState } from "../page/browsing-state.ts";
import { type CdpConnection, type CdpFields } from "./program/cdp.ts";
import { collectState } from "./session-state.ts";

const OLD: BrowsingState = { cookies: [], storage: new Map([["https://shop.test", [["key", "old"]]]]) };
const COOKIE = { name: "id", value: "new", domain: "shop.test", path: "/", secure: true, httpOnly: true };
const ORIGINS = ["https://shop.test", "https://other.test"];

/** A browser with one new cookie and new items. `change` replaces results of calls. */
function browserWith(change: (method: string, params: CdpFields) => CdpFields | undefined) {
  const items = [["key", "new"]];
  const results: Readonly<Record<string, CdpFields>> = {
    "Storage.getCookies": { cookies: [COOKIE] },
    "Runtime.evaluate": { result: { value: items } },
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

test("the storage of an origin that the browser does not reach stays as it is", async () => {
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
});
