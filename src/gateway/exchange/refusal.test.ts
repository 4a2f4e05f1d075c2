import { expect, test } from "bun:test";
import { refusedHead } from "./refusal.ts";

test.each([
  ["/a%2Fb?api_key=k", "/a%2Fb", "?api_key=k"],
  ["/a?b?c", "/a", "?b?c"],
  ["http://ann:hush@a.example/b@c?d", "/b@c", "?d"],
  ["http://ann:hush@a.example", "", ""],
  ["ann:hush@a.example:443", "a.example:443", ""],
  ["*", "*", ""],
  ["/a#access_token=hush", "/a", ""],
  ["?a", "", "?a"],
  ["", "", ""],
])("of a rejected request for %p, the path %p and the query %p are logged", (target, path, query) => {
  expect(refusedHead("GET", target, "https")).toEqual({
    method: "GET",
    scheme: "https",
    authority: "",
    path,
    query,
    fields: "",
  });
});

test("an invalid method is not logged: it can be a target", () => {
  expect(refusedHead("/a?api_key=hush", "HTTP/1.1", "http").method).toBe("");
});
