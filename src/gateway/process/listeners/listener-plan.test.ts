import { expect, test } from "bun:test";
import { listenerText } from "./listener-plan.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:80"],
  ["::1", "http://[::1]:80"],
  ["0.0.0.0", "http://127.0.0.1:80 (all addresses)"],
  ["::", "http://127.0.0.1:80 (all addresses)"],
])("a listener on %s is shown with a URL for this machine, and whether others reach it", (address, text) => {
  expect(listenerText({ address, port: 80, scheme: "http" })).toBe(text);
});
