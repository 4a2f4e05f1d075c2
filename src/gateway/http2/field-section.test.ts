/** Field sections in several frames, padded, or with a priority (RFC 9113 §4.3, §6.2, §6.10). */
import { describe, expect, test } from "bun:test";
import * as f from "./frame.ts";
import { GET, POST, ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";
import { type FieldList } from "./testing/scripted-peer.ts";

/** `Accept-Encoding: gzip, deflate` of the static table. Repeating it makes a block of any length. */
const ANY_FIELD = 0x90;
const EXTRA_BLOCK_BYTES = 16_384;
const MAX_FRAMES = 64;

/** The reason in the last GOAWAY. */
function reason(client: ScriptedClient): string {
  const goaway = client.frames().findLast(({ type }) => type === f.GOAWAY);
  return goaway === undefined ? "" : goaway.payload.toString("latin1", 8);
}

describe("within a field section", () => {
  test.each<[string, (client: ScriptedClient) => void]>([
    ["a PING", (client) => client.frame(f.PING, 0, 0, Buffer.alloc(8))],
    ["an unknown frame", (client) => client.frame(0x77, 0, 0)],
    ["DATA of the same stream", (client) => client.data(1, 0, "x")],
    ["CONTINUATION of another stream", (client) => client.frame(f.CONTINUATION, f.END_HEADERS, 3)],
  ])("%s is a connection error", (_what, play) => {
    const client = new ScriptedClient().begin();
    client.frame(f.HEADERS, f.END_STREAM, 1, client.block(GET));
    play(client);
    expect(reason(client)).toBe("another frame within a field section");
    expect(client.host.exchanges).toEqual([]);
  });
});

test("CONTINUATION without HEADERS is a connection error", () => {
  const client = new ScriptedClient().begin();
  client.frame(f.CONTINUATION, f.END_HEADERS, 1, client.block(GET));
  expect([reason(client), client.host.exchanges.length]).toEqual(["CONTINUATION without HEADERS", 0]);
});

test("a block in the maximum number of frames is read on each stream, and one more frame ends the connection", () => {
  const client = new ScriptedClient().begin();
  const send = (streamId: number, frames: number): void => {
    const block = client.block([...GET, ["x-text", "a".repeat(MAX_FRAMES)]]);
    client.frame(f.HEADERS, f.END_STREAM, streamId, block.subarray(0, block.length - frames + 1));
    for (let i = frames - 1; i > 0; i--) {
      const flags = i === 1 ? f.END_HEADERS : 0;
      client.frame(f.CONTINUATION, flags, streamId, block.subarray(block.length - i, block.length - i + 1));
    }
  };
  for (const streamId of [1, 3]) send(streamId, MAX_FRAMES);
  const text = `x-text: ${"a".repeat(MAX_FRAMES)}\r\n`;
  expect(client.host.exchanges.map(({ head }) => head.fields)).toEqual([text, text]);
  send(5, MAX_FRAMES + 1);
  expect(reason(client)).toBe("the field section is too long");
});

test("a block of the maximum size is read although its list is too large, and one byte more is not", () => {
  const most = SETTINGS.http2.maxHeaderListSize + EXTRA_BLOCK_BYTES;
  for (const [length, heard] of [
    [most, ["HEADERS", "DATA"]],
    [most + 1, ["GOAWAY"]],
  ] as const) {
    const client = new ScriptedClient().begin();
    const block = Buffer.alloc(length, ANY_FIELD);
    client.block(GET).copy(block);
    client.frame(f.HEADERS, f.END_STREAM, 1, block.subarray(0, 16_000));
    client.frame(f.CONTINUATION, f.END_HEADERS, 1, block.subarray(16_000));
    expect(client.heard().map((frame) => frame.split(" ")[0] ?? "")).toEqual([...heard]);
    expect(client.host.refusals.map(({ status }) => status)).toEqual(heard.length === 2 ? [431] : []);
  }
});

test("padding and a priority are not part of the block, and the stream ends as the flag says", () => {
  const client = new ScriptedClient().begin();
  const block = client.block(GET);
  const priority = Buffer.from([0, 0, 0, 9, 15]);
  const padded = Buffer.concat([Buffer.from([3]), block, Buffer.alloc(3, 0xff)]);
  const both = Buffer.concat([Buffer.from([3]), priority, block, Buffer.alloc(3, 0xff)]);
  client.frame(f.HEADERS, f.END_HEADERS | f.END_STREAM | f.PADDED, 1, padded);
  client.frame(f.HEADERS, f.END_HEADERS | f.HAS_PRIORITY, 3, Buffer.concat([priority, block]));
  client.frame(f.HEADERS, f.END_HEADERS | f.END_STREAM | f.PADDED | f.HAS_PRIORITY, 5, both);
  expect(client.host.exchanges.map(({ head }) => [head.path, head.fields, head.bodyLength])).toEqual([
    ["/", "", 0],
    ["/", "", -1],
    ["/", "", 0],
  ]);
  expect(client.heard()).toEqual([]);
});

test.each([
  ["padding that leaves nothing", f.PADDED, [2, 0, 0], "RST_STREAM 1 1"],
  ["a priority and nothing else", f.HAS_PRIORITY, [0, 0, 0, 9, 15], "RST_STREAM 1 1"],
  ["padding that is longer than its frame", f.PADDED, [3, 0, 0], "GOAWAY 0 1"],
  ["no room for a pad length", f.PADDED, [], "GOAWAY 0 1"],
  ["no room for a priority", f.HAS_PRIORITY, [0, 0, 0, 9], "GOAWAY 0 1"],
])("HEADERS with %s", (_what, flags, payload, heard) => {
  const client = new ScriptedClient().begin();
  client.frame(f.HEADERS, f.END_HEADERS | f.END_STREAM | flags, 1, Buffer.from(payload));
  expect(client.heard()).toEqual([heard]);
});

test("a stream that depends on itself is reset, and the next stream, which does not, is served", () => {
  const client = new ScriptedClient().begin();
  const send = (streamId: number, flags: number, before: readonly number[]): void =>
    client.frame(f.HEADERS, f.END_HEADERS | flags, streamId, Buffer.concat([Buffer.from(before), client.block(GET)]));
  send(1, f.HAS_PRIORITY, [0, 0, 0, 1, 15]);
  send(3, 0, []);
  expect(client.heard()).toEqual(["RST_STREAM 1 1"]);
  expect(client.host.exchanges.length).toBe(1);
});

test("a field list may be as large as its limit; one more byte is refused with 431, and in trailers it resets the stream", () => {
  const FIELD_OVERHEAD = 32;
  const limit = SETTINGS.http2.maxHeaderListSize;
  const sizeOf = (fields: FieldList): number =>
    fields.reduce((sum, [name, value]) => sum + name.length + value.length + FIELD_OVERHEAD, 0);
  /** The fields and one more, which make a list of this size. */
  const filled = (fields: FieldList, size: number): FieldList => [
    ...fields,
    ["x", "v".repeat(size - sizeOf([...fields, ["x", ""]]))],
  ];
  const client = new ScriptedClient().begin();
  client.head(1, f.END_STREAM, filled(GET, limit));
  client.head(3, f.END_STREAM, filled(GET, limit + 1));
  expect([client.host.exchanges.length, client.host.refusals.map(({ status }) => status)]).toEqual([1, [431]]);
  client.frames();
  for (const [streamId, size, heard] of [
    [5, limit, []],
    [7, limit + 1, ["RST_STREAM 7 1"]],
  ] as const) {
    client.head(streamId, 0, POST);
    client.host.exchanges.at(-1)?.body.readTo({ data: () => true, end() {}, abort() {} });
    client.head(streamId, f.END_STREAM, filled([], size));
    expect(client.heard()).toEqual([...heard]);
  }
});
