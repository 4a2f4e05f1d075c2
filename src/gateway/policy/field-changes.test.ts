import { expect, test } from "bun:test";
import { TextPieces } from "../../lib/memory/text-pieces.ts";
import { changedHead } from "../exchange/exchange-state.ts";
import { parseResponseHead } from "../http1/response-head.ts";
import { FieldChanges } from "./field-changes.ts";

const FIELDS = "Server: a\r\nX-One: 1\r\nserver: b\r\nX-Two: 2\r\n";

test("lines are removed in any capitalisation and position, and added lines come last", () => {
  const changes = new FieldChanges({ removed: ["SERVER"], added: "X-New: 3\r\n" });
  expect(changes.apply(FIELDS)).toBe("X-One: 1\r\nX-Two: 2\r\nX-New: 3\r\n");
  expect(changes.apply("X-A: 1\r\nServer: a\r\n")).toBe("X-A: 1\r\nX-New: 3\r\n");
  expect(changes.apply("Server:\r\n")).toBe("X-New: 3\r\n");
  expect(changes.apply("")).toBe("X-New: 3\r\n");
});

test("the first and the last letter of the alphabet match in either case", () => {
  const changes = new FieldChanges({ removed: ["A-Zebra"] });
  expect(changes.apply("A-ZEBRA: 1\r\na-zebra: 2\r\nX-One: 1\r\n")).toBe("X-One: 1\r\n");
});

test("a default is added only if its name is absent", () => {
  const changes = new FieldChanges({
    defaults: [
      { name: "X-One", line: "X-One: default\r\n" },
      { name: "X-Six", line: "X-Six: default\r\n" },
    ],
  });
  expect(changes.apply("x-one: 1\r\n")).toBe("x-one: 1\r\nX-Six: default\r\n");
  expect(changes.apply("X-Six: \r\nX-One: 1\r\n")).toBe("X-Six: \r\nX-One: 1\r\n");
  expect(changes.apply("X-Other: X-One: 1\r\n")).toBe("X-Other: X-One: 1\r\nX-One: default\r\nX-Six: default\r\n");
});

test("names with the same start or length, or within a value, do not match", () => {
  const changes = new FieldChanges({ removed: ["X-One"] });
  const others = "X-One-More: 1\r\nX-On: 1\r\nX-Two: X-One: 1\r\nX_One: 1\r\n";
  expect(changes.apply(others)).toBe(others);
});

test("unchanged fields are the same text, also with a last line without its end", () => {
  const changes = new FieldChanges({ removed: ["X-Gone"] });
  expect(changes.apply(FIELDS)).toBe(FIELDS);
  expect(changes.apply("X-One: 1\r\nX-Gone: 2")).toBe("X-One: 1\r\n");
});

test("only the fields of a head change, and the given head stays as it is", () => {
  const changes = new FieldChanges({ added: "X-New: 3\r\n" });
  const head = { status: 200, reason: "OK", fields: "X-One: 1\r\n", bodyLength: 4 };
  const changed = changes.applyToHead(head);
  expect(changed).toEqual({ ...head, fields: "X-One: 1\r\nX-New: 3\r\n" });
  expect(changes.applyToHead(changedHead(head, { status: 404 }))).toEqual(changedHead(changed, { status: 404 }));
  expect(changes.applyToHead(head)).toEqual(changed);
});

test("a received head is written as its changed text", () => {
  const changes = new FieldChanges({
    removed: ["Server"],
    added: "X-New: 3\r\n",
    defaults: [
      { name: "X-One", line: "X-One: default\r\n" },
      { name: "X-Six", line: "X-Six: default\r\n" },
    ],
  });
  for (const fields of [
    FIELDS,
    "",
    "X-Six: 1\r\nx-one: 2\r\n",
    "Server: a\r\n",
    "X-Seven: 7\r\nX-SIX: 1\r\nserver:\r\n",
  ]) {
    const text = `HTTP/1.1 200 OK\r\nDate: now\r\n${fields}\r\n`;
    const parsed = parseResponseHead(
      Buffer.from(text, "latin1"),
      { from: 0, end: text.length - 2 },
      { isRequest: false, maxCount: 10 },
    );
    if (typeof parsed === "string") throw new Error(parsed);
    const pieces = new TextPieces().begin();
    expect(parsed.head.lines).toBeDefined();
    changes.addTo(pieces, parsed.head);
    expect(pieces.join()).toBe(changes.apply(`Date: now\r\n${fields}`));
  }
});
