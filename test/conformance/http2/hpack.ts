/** RFC 7541 for a server: every form of a field, and malformed field sections. */
import { expect } from "bun:test";
import { get, post, requestFields } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import {
  block,
  huffman,
  indexed,
  indexedLiteral,
  integer,
  literal,
  tableSize,
  text,
} from "../../support/http2-hpack.ts";
import { type Case, connectionError, HOLD, script, served } from "./case.ts";

const REQUEST = block(requestFields());

function head(streamId: number, ...parts: readonly Buffer[]): Buffer {
  return h2.frame(h2.HEADERS, h2.END_BOTH, streamId, Buffer.concat(parts));
}

function broken(section: string, rule: string, ...parts: readonly Buffer[]): Case {
  return connectionError([`7541 §${section}`, rule], h2.COMPRESSION_ERROR, head(1, ...parts));
}

/** A Huffman-coded text. */
function coded(bytes: Buffer): Buffer {
  return Buffer.concat([integer(bytes.length, 7, 0x80), bytes]);
}

/** A literal with exactly the value `value`. */
function withValue(value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), text("x-test"), value]);
}

/** A literal of the form `first`, with the name of the index. */
function named(first: number, bits: number, index: number): Buffer {
  return Buffer.concat([integer(index, bits, first), text("value")]);
}

const ACCEPT = 19;

export const HPACK_CASES: readonly Case[] = [
  served(
    ["7541 §6.1", "indexed fields of the static table"],
    head(1, indexed(2), indexed(6), indexed(4), literal(":authority", "a.test"), indexed(19), indexed(61)),
  ),
  ...(
    [
      ["with incremental indexing", 0x40, 6],
      ["without indexing", 0x00, 4],
      ["never indexed", 0x10, 4],
    ] as const
  ).flatMap(([form, first, bits]) => [
    served(["7541 §6.2", `a literal ${form}, with an indexed name`], head(1, REQUEST, named(first, bits, ACCEPT))),
    served(
      ["7541 §6.2", `a literal ${form}, with a new name`],
      head(1, REQUEST, Buffer.from([first]), text("x-test"), text("value")),
    ),
    served(
      ["7541 §6.2", `a literal ${form}, Huffman-coded`],
      head(1, REQUEST, Buffer.from([first]), coded(huffman("x-test")), coded(huffman('value, "\\\xff'))),
    ),
  ]),
  script(["7541 §2.3.2", "the dynamic table lasts from block to block, newest first"], async (client) => {
    client.send(
      head(1, ...requestFields("/first").map(([name, value]) => indexedLiteral(name, value))),
      head(3, indexed(65), indexed(64), literal(":path", "/second"), indexed(62)),
      head(5, indexed(65), indexed(64), indexed(63), indexed(62)),
    );
    for (const [streamId, path] of [
      [1, "/first"],
      [3, "/second"],
      [5, "/first"],
    ] as const) {
      expect((await client.response(streamId)).body.toString()).toBe(`GET ${path}`);
    }
  }),
  script(["7541 §4.4", "a field larger than the table empties it, and is still decoded"], async (client) => {
    client.send(head(1, REQUEST, indexedLiteral("x-a", "b"), indexedLiteral("x-big", "y".repeat(4100))));
    expect((await client.response(1)).status).toBe(200);
    client.send(head(3, REQUEST, indexed(62)));
    expect(await client.goawayCode()).toBe(h2.COMPRESSION_ERROR);
  }),
  script(["7541 §4.3", "the oldest fields are evicted"], async (client) => {
    const fields = Array.from({ length: 40 }, (_, i) =>
      indexedLiteral(`x-${String(i).padStart(2, "0")}`, "y".repeat(100)),
    );
    // 40 times 136 octets: the last 30 fields stay in the table.
    client.send(head(1, REQUEST, ...fields), head(3, REQUEST, indexed(62 + 29)));
    expect((await client.response(3)).status).toBe(200);
    client.send(head(5, REQUEST, indexed(62 + 30)));
    expect(await client.goawayCode()).toBe(h2.COMPRESSION_ERROR);
  }),

  broken("2.3.3", "an index beyond both tables", REQUEST, indexed(70)),
  broken("2.3.3", "a name's index beyond both tables", REQUEST, named(0x40, 6, 70)),
  broken("6.1", "an index of 0", REQUEST, indexed(0)),
  broken("6.1", "an index of 2^32 and more", REQUEST, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])),
  broken("5.1", "an integer that does not end", REQUEST, Buffer.from([0xff, 0x80, 0x80])),
  broken("5.1", "an integer of endless zeros", REQUEST, Buffer.from([0xff]), Buffer.alloc(100, 0x80), Buffer.from([0])),
  broken("5.2", "a text longer than its block", REQUEST, withValue(Buffer.from([0x20]))),
  broken("5.2", "a field without its value", REQUEST, Buffer.from([0x00, 0x01, 0x61])),
  broken("5.2", "padding of 8 bits", REQUEST, withValue(coded(Buffer.concat([huffman("a"), Buffer.from([0xff])])))),
  broken("5.2", "padding of more", REQUEST, withValue(coded(Buffer.from([0x1f, 0xff, 0xff])))),
  broken("5.2", "padding of zeros", REQUEST, withValue(coded(Buffer.from([0x18])))),
  broken("5.2", "the symbol EOS", REQUEST, withValue(coded(Buffer.from([0x1f, 0xff, 0xff, 0xff, 0xff])))),
  served(["7541 §5.2", "an empty Huffman-coded text"], head(1, REQUEST, withValue(coded(Buffer.alloc(0))))),

  broken("4.2", "a table size update behind a field", REQUEST, tableSize(0)),
  broken("6.3", "a table size above SETTINGS_HEADER_TABLE_SIZE", tableSize(4097), REQUEST),
  served(["7541 §6.3", "a table size of 0"], head(1, tableSize(0), REQUEST)),
  served(["7541 §6.3", "the maximum table size"], head(1, tableSize(4096), REQUEST)),
  served(["7541 §4.2", "two updates: the smallest size and the last"], head(1, tableSize(0), tableSize(4096), REQUEST)),
  script(["7541 §4.3", "a table that was made smaller has lost its fields"], async (client) => {
    client.send(head(1, REQUEST, indexedLiteral("x-a", "b")));
    expect((await client.response(1)).status).toBe(200);
    client.send(head(3, tableSize(0), tableSize(4096), REQUEST, indexed(62)));
    expect(await client.goawayCode()).toBe(h2.COMPRESSION_ERROR);
  }),
  connectionError(
    ["7541 §4", "trailers that cannot be decompressed"],
    h2.COMPRESSION_ERROR,
    post(1, HOLD),
    h2.frame(h2.HEADERS, h2.END_BOTH, 1, indexed(70)),
  ),
  script(["7541 §7.1.3", "a field that is never indexed is in no later block"], async (client) => {
    client.send(head(1, REQUEST, Buffer.from([0x10]), text("x-secret"), text("s")), get(3));
    expect((await client.response(3)).status).toBe(200);
    client.send(head(5, REQUEST, indexed(62)));
    expect(await client.goawayCode()).toBe(h2.COMPRESSION_ERROR);
  }),
];
