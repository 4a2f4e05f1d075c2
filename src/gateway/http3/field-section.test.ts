import { expect, test } from "bun:test";
import { type FieldSection } from "node:quic";
import { addFields, canSend, fitSection, newFields, newHead, readFields } from "./field-section.ts";

/** Lines that the engine sends in one section, with the status. */
const MOST = 128;

function lines(count: number, name: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `${name(i)}: ${i}\r\n`).join("");
}

function section(fields: string): FieldSection {
  const block = newHead(200);
  addFields(block, fields);
  return block;
}

function entries(block: FieldSection): [string, unknown][] {
  return Object.entries(block);
}

test("a head begins with its status, and its names have lower case", () => {
  expect(entries(section("X-One: 1\r\nVary: a\r\nx-one: 2\r\nX-One: 3\r\n"))).toEqual([
    [":status", "200"],
    ["x-one", ["1", "2", "3"]],
    ["vary", "a"],
  ]);
});

test("fields of the connection, the length, and invalid names are not sent", () => {
  const fields =
    "Connection: a\r\nTransfer-Encoding: a\r\nTE: a\r\nHTTP2-Settings: a\r\nContent-Length: 1\r\nä: 1\r\nb: 2\r\n";
  expect(entries(section(fields))).toEqual([
    [":status", "200"],
    ["b", "2"],
  ]);
});

test("of a field that the engine sends once, the first line is sent", () => {
  expect(entries(section("ETag: 1\r\nEtag: 2\r\nRetry-After: 3\r\nretry-after: 4\r\n")).toString()).toBe(
    ":status,200,etag,1,retry-after,3",
  );
});

test("a section with too many lines fits if lines of one name can be joined", () => {
  const same = section(lines(MOST - 1, () => "x-a"));
  expect(fitSection(same)).toBe(true);
  expect(same["x-a"]).toHaveLength(MOST - 1);
  const joined = section(lines(MOST, () => "x-a"));
  expect(fitSection(joined)).toBe(true);
  expect(joined["x-a"]).toBe(Array.from({ length: MOST }, (_, i) => i).join(", "));
  for (const [names, fits] of [
    [MOST - 2, true],
    [MOST - 1, false],
  ] as const)
    expect(fitSection(section(lines(names, (i) => `x-${i}`) + lines(2, () => "x-a")))).toBe(fits);
  expect(fitSection(section(lines(MOST - 1, (i) => `x-${i}`)))).toBe(true);
  expect(fitSection(section(lines(MOST, (i) => `x-${i}`)))).toBe(false);
});

test("lines of Set-Cookie are never joined", () => {
  const block = section(lines(MOST - 1, () => "set-cookie") + lines(2, () => "x-a"));
  expect(fitSection(block)).toBe(false);
  expect(block["set-cookie"]).toHaveLength(MOST - 1);
  expect(block["x-a"]).toBe("0, 1");
});

test("a head can be sent if room is left for the 24 fields that the gateway adds", () => {
  const most = MOST - 24 - 1;
  expect(canSend(lines(most, (i) => `x-${i}`))).toBe(true);
  expect(canSend(lines(most + 1, (i) => `x-${i}`))).toBe(false);
  expect(canSend(lines(500, () => "x-a"))).toBe(true);
  expect(canSend(lines(most, () => "set-cookie"))).toBe(true);
  expect(canSend(lines(most + 1, () => "set-cookie"))).toBe(false);
});

test("received fields are read in their order, those with a number as their name last, and 32 bytes are added for each", () => {
  const block = newFields();
  const read: [string, string][] = [];
  Object.assign(block, { "7": "number", "x-a": ["1", "22"], "07": "name", b: "" });
  const size = readFields(block, ({ name, value }) => read.push([name, value]));
  expect(read).toEqual([
    ["x-a", "1"],
    ["x-a", "22"],
    ["07", "name"],
    ["b", ""],
    ["7", "number"],
  ]);
  expect(size).toBe(5 * 32 + 3 + 1 + 3 + 2 + 2 + 4 + 1 + 1 + 6);
});
