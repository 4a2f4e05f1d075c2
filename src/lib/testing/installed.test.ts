import { expect, test } from "bun:test";
import { isInstalled } from "./installed.ts";

test("the tests of a missing tool are skipped, but not in CI", () => {
  expect(isInstalled("sh")).toBeTrue();
  expect(isInstalled("no-such-tool", undefined, "")).toBeFalse();
  expect(() => isInstalled("no-such-tool", undefined, "true")).toThrow("no-such-tool is not installed");
});
