import { expect, test } from "bun:test";
import { boundsReference } from "./bounds.ts";

test("docs/reference/bounds.md has every bound with its value", async () => {
  expect(await Bun.file("docs/reference/bounds.md").text()).toBe(await boundsReference());
});
