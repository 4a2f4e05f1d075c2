import { afterAll, expect, test } from "bun:test";
import { defineGlobals } from "../testing/fake-page.ts";

const location = { hash: "" };
const undo = defineGlobals({ location });
afterAll(undo);
const { goTo, linkTo, viewLocation } = await import("./view-location.ts");

function seenAfter(hash: string): unknown {
  goTo(hash);
  dispatchEvent(new Event("hashchange"));
  const { view, query } = viewLocation.value;
  return [view, Object.fromEntries(query)];
}

test("a link names a view and its query, without what is undefined", () => {
  expect(linkTo("routes")).toBe("#/routes");
  expect(linkTo("routes/edit", { prefix: "/a b", host: undefined, name: "" })).toBe(
    "#/routes/edit?prefix=%2Fa+b&name=",
  );
});

test("the place is that of the address, the overview without one, and links within the page are left out", () => {
  expect(viewLocation.value.view).toBe("overview");
  const link = linkTo("routes/edit", { prefix: "/a?b" });
  expect(seenAfter(link)).toEqual(["routes/edit", { prefix: "/a?b" }]);
  expect(location.hash).toBe(link);
  expect(seenAfter("#field-name")).toEqual(["routes/edit", { prefix: "/a?b" }]);
  expect(seenAfter("#/keys")).toEqual(["keys", {}]);
  expect(seenAfter("")).toEqual(["overview", {}]);
});
