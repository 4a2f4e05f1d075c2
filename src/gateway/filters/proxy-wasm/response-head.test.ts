import { expect, test } from "bun:test";
import { changedResponse, responseFields } from "./response-head.ts";

const HEAD = { status: 200, reason: "Fine", fields: "X-A: 1\r\n", bodyLength: -1 };

test.each([
  [200, 5, "5"],
  [200, 0, "0"],
  [200, -1, undefined],
  [101, 0, undefined],
])("a filter sees of a response %i with a body of %i bytes the length %p", (status, bodyLength, length) => {
  const list = responseFields({ ...HEAD, status, bodyLength });
  expect([list.get(":status"), list.get("content-length"), list.get("x-a")]).toEqual([String(status), length, "1"]);
});

test.each<[from: number, status: string, to: object | string]>([
  [200, "200", { status: 200, reason: "Fine", fields: "x-b: 2\r\n" }],
  [200, "404", { status: 404, reason: "", fields: "x-b: 2\r\n" }],
  [200, "599", { status: 599, reason: "" }],
  [200, "600", 'sets the status "600"'],
  [200, "101", 'sets the status "101"'],
  [200, "0404", 'sets the status "0404"'],
  [200, "2".repeat(40), `sets the status "${"2".repeat(32)}"`],
  [101, "200", 'sets the status "200"'],
])("a filter may change the status %i to %s, or not", (from, status, to) => {
  const head = { ...HEAD, status: from };
  const list = responseFields(head);
  list.replace(":status", status);
  list.remove("x-a");
  list.add("x-b", "2");
  const changed = changedResponse(head, list);
  if (typeof to === "string") expect(changed).toBe(to);
  else expect(changed).toMatchObject(to);
});

test("the head is that of the server if the filter changes nothing", () => {
  expect(changedResponse(HEAD, responseFields(HEAD))).toBe(HEAD);
});
