import { expect, test } from "bun:test";
import { FieldList } from "./field-list.ts";

const FIELDS = "Host: a.example\r\nCookie: a=1\r\nX-Tag: one\r\nX-Tag: two\r\nCookie: b=2\r\n";

function listOf(fields = FIELDS): FieldList {
  return new FieldList({ fields, pseudo: [[":path", "/x"]], kept: new Set(["via"]) });
}

test("a list counts its pseudo-header fields and fields, and the bytes of their names and values", () => {
  const list = listOf();
  expect(list.count).toBe(6);
  expect(list.bytes).toBe(":path/xhosta.examplecookiea=1x-tagonex-tagtwocookieb=2".length);
  expect([listOf("").count, new FieldList({ fields: "", kept: new Set() }).bytes]).toEqual([1, 0]);
});

test("a filter reads the first value of a field, but all of Cookie", () => {
  const list = listOf();
  expect(["x-tag", "COOKIE", ":path", "absent"].map((name) => list.get(name))).toEqual([
    "one",
    "a=1; b=2",
    "/x",
    undefined,
  ]);
  expect([list.joined("X-Tag"), list.joined("cookie"), list.joined("host")]).toEqual([
    "one,two",
    "a=1; b=2",
    "a.example",
  ]);
});

test("a filter that lists the fields again sees each of its changes", () => {
  const list = new FieldList({ fields: "A: 1\r\n", pseudo: [[":path", "/x"]], kept: new Set() });
  const texts = (): readonly string[] => list.encoded().slice(20).split("\0").slice(0, -1);
  expect(texts()).toEqual([":path", "/x", "a", "1"]);
  list.replace(":path", "/yy");
  expect(texts()).toEqual([":path", "/yy", "a", "1"]);
  list.replace("a", "22");
  expect(texts()).toEqual([":path", "/yy", "a", "22"]);
});

test("the encoding of a list without fields is empty", () => {
  expect(new FieldList({ fields: "", kept: new Set() }).encoded()).toBe("");
});

test("a pseudo-header field that the message does not have, or has with this value, changes nothing", () => {
  const list = listOf();
  list.replace(":path", "/x");
  list.add(":other", "1");
  expect([list.isChanged, list.count, list.pseudo(":other")]).toEqual([false, 6, undefined]);
});

test("a change of a field that belongs to the gateway is shown, and not passed on", () => {
  const list = listOf("Via: 1.1 a\r\n");
  list.replace("Via", "1.1 b");
  list.add("X-New", " 1 ");
  expect(list.get("via")).toBe("1.1 b");
  expect([list.fields, list.isChanged, list.error]).toEqual(["Via: 1.1 a\r\nx-new: 1\r\n", true, undefined]);
});

test("a field that cannot be sent makes the message fail, and nothing more is changed", () => {
  const list = listOf();
  list.add("bad name", "1");
  list.remove("x-tag");
  expect(list.error).toBe('sets the field "bad name", which cannot be sent');
  expect(list.fields).toBe(FIELDS);
});

test("all pairs replace the list, and fields that are the same stay as they arrived", () => {
  const list = listOf();
  let changes = 0;
  list.setAll(
    [
      [":path", "/y"],
      ["cookie", "a=1"],
      ["cookie", "b=2"],
      ["x-tag", "three"],
    ],
    () => changes++,
  );
  expect(list.fields).toBe("Cookie: a=1\r\nCookie: b=2\r\nx-tag: three\r\n");
  expect([list.pseudo(":path"), changes, list.dropsLength]).toEqual(["/y", 3, false]);
});
