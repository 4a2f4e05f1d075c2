import { expect, test } from "bun:test";
import { draftOf, dropDraft, itemsOf, keepDraft } from "./drafts.ts";
import { ROUTES, SETTINGS, UPSTREAMS } from "./sections.ts";

const BASE = { etag: undefined, document: {}, index: 0, item: undefined, readAtMs: 0 };

/** Whether the browser asks before it closes the page. */
function asks(): boolean {
  return !dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

test("twenty typed forms are kept, and the browser asks before they are lost", () => {
  expect(asks()).toBe(false);
  for (let n = 0; n < 21; n += 1) keepDraft(`${n}`, { base: BASE, value: { n } });
  expect([draftOf("0"), draftOf("1")?.value, draftOf("20")?.value]).toEqual([undefined, { n: 1 }, { n: 20 }]);
  expect(asks()).toBe(true);
  for (let n = 0; n < 21; n += 1) dropDraft(`${n}`);
  expect([draftOf("20"), asks()]).toEqual([undefined, false]);
});

test("a section that is not a list has no items", () => {
  expect(itemsOf({ routes: [{ a: 1 }] }, "routes")).toEqual([{ a: 1 }]);
  for (const document of [undefined, {}, { routes: "text" }]) expect(itemsOf(document, "routes")).toEqual([]);
});

test("an item has an address and a title by the keys that identify it", () => {
  const route = { path_prefix: "/a b", host: "a.test", name: "one" };
  expect([ROUTES.addressOf(route), ROUTES.titleOf(route)]).toEqual([
    "/v1/routes/%2Fa%20b?host=a.test&name=one",
    "a.test/a b#one",
  ]);
  const plain = { path_prefix: "/", host: 7 };
  expect([ROUTES.addressOf(plain), ROUTES.titleOf(plain)]).toEqual(["/v1/routes/%2F?host=&name=", "/"]);
  expect([UPSTREAMS.addressOf({ name: "a/b" }), UPSTREAMS.titleOf({ name: "a/b" })]).toEqual([
    "/v1/upstreams/a%2Fb",
    "a/b",
  ]);
  expect([SETTINGS.addressOf({}), SETTINGS.titleOf({})]).toEqual(["settings", "all but routes and upstreams"]);
});
