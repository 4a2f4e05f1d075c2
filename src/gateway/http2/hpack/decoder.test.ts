import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DynamicTable } from "./dynamic-table.ts";
import { STATIC_TABLE } from "./static-table.ts";
import { decodeBlock, pairDecoder } from "./testing/decode.ts";
import { IndexingEncoder, integer, type SentField, text } from "./testing/indexing-encoder.ts";

function bytes(...values: number[]): Buffer {
  return Buffer.from(values);
}

/** A literal with indexing and a new name. */
function inserted(name: string, value: string): Buffer {
  return Buffer.concat([bytes(0x40), text(name, false), text(value, false)]);
}

const sent: fc.Arbitrary<SentField> = fc.record({
  name: fc.constantFrom("a", "b", "cookie", ":path", "x-long-name-of-a-field", "date"),
  value: fc.oneof(
    fc.constantFrom("", "1", "2", "/"),
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)) }),
  ),
  as: fc.constantFrom("indexed", "indexed", "incremental", "without", "never"),
  huffman: fc.boolean(),
});

/** The blocks of one connection. Some begin with a new table size. */
const blocks = fc.array(
  fc.record({
    resize: fc.option(fc.integer({ min: 0, max: 300 }), { freq: 4 }),
    fields: fc.array(sent, { maxLength: 12, size: "max" }),
  }),
  { maxLength: 12, size: "max" },
);

describe("a block", () => {
  test("gives every entry of the static table by its index", () => {
    const block = Buffer.concat(STATIC_TABLE.map((_, i) => integer(0x80, 0x7f, i + 1)));
    const { error, fields, sizes } = decodeBlock(pairDecoder(), block);
    expect(error).toBe("");
    expect(fields).toEqual(STATIC_TABLE);
    expect(sizes).toEqual(STATIC_TABLE.map(([name, value]) => name.length + value.length + 32));
  });

  test("without fields is valid", () => {
    expect(decodeBlock(pairDecoder(), Buffer.alloc(0))).toEqual({ error: "", fields: [], sizes: [] });
  });

  test("in a row of others gives the encoded fields, with evictions and table size updates in between", () => {
    fc.assert(
      fc.property(blocks, (sequence) => {
        const encoder = new IndexingEncoder(300);
        const decoder = pairDecoder(300);
        for (const { resize, fields } of sequence) {
          const update = resize === null ? Buffer.alloc(0) : encoder.resize(resize);
          const decoded = decodeBlock(decoder, Buffer.concat([update, encoder.block(fields)]));
          expect(decoded.error).toBe("");
          expect(decoded.fields).toEqual(fields.map(({ name, value }) => [name, value] as const));
          expect(decoded.sizes).toEqual(fields.map(({ name, value }) => name.length + value.length + 32));
        }
      }),
    );
  });

  test("of any bytes ends in fields or an error, and reads nothing beyond its end", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), (anyBlocks) => {
        const decoder = pairDecoder();
        for (const block of anyBlocks) {
          const { error, fields } = decodeBlock(decoder, block);
          expect(fields.length).toBeLessThanOrEqual(block.length);
          if (error !== "") break;
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("cut short anywhere gives either whole fields or an error, never another field", () => {
    const encoder = new IndexingEncoder();
    const first = encoder.field({ name: "some-name", value: "some value", as: "incremental", huffman: false });
    const second = encoder.field({ name: "other", value: "v".repeat(300), as: "incremental", huffman: true });
    const block = Buffer.concat([first, second]);
    const whole = decodeBlock(pairDecoder(), block).fields;
    for (let end = 0; end < block.length; end++) {
      const { error, fields } = decodeBlock(pairDecoder(), block.subarray(0, end));
      expect(fields).toEqual(whole.slice(0, fields.length));
      if (error === "") expect([0, first.length]).toContain(end);
    }
  });
});

describe("a block is refused", () => {
  test.each([
    ["with index 0", bytes(0x80), "an index is in neither table"],
    [
      "with index 0 behind inserted fields",
      Buffer.concat([...Array.from({ length: 8 }, () => bytes(0x40, 0x01, 0x61, 0x01, 0x62)), bytes(0x80)]),
      "an index is in neither table",
    ],
    ["with an index beyond an empty dynamic table", bytes(0xbe), "an index is in neither table"],
    ["with a large index", integer(0x80, 0x7f, 100_000), "an index is in neither table"],
    [
      "with a name's index beyond both tables",
      Buffer.concat([integer(0x40, 0x3f, 62), text("v", false)]),
      "an index is in neither table",
    ],
    [
      "with an index that is too long",
      bytes(0xff, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
      "an integer is not whole or too large",
    ],
    ["that ends within an integer", bytes(0xff, 0x80), "an integer is not whole or too large"],
    ["that ends before a name", bytes(0x40), "an integer is not whole or too large"],
    ["that ends within a name", bytes(0x40, 0x05, 0x61), "the block ends within a field"],
    ["that ends before a value", bytes(0x40, 0x01, 0x61), "an integer is not whole or too large"],
    ["that ends within a value", bytes(0x40, 0x01, 0x61, 0x02, 0x62), "the block ends within a field"],
    [
      "with wrong Huffman padding",
      bytes(0x40, 0x01, 0x61, 0x82, 0xff, 0xff),
      "a Huffman-coded text holds EOS or is wrongly padded",
    ],
    ["with a table size above 4096", integer(0x20, 0x1f, 4097), "a table size update is above the agreed size"],
    ["with a table size behind a field", bytes(0x82, 0x20), "a table size update is not at the start of its block"],
    ["with three table sizes", bytes(0x20, 0x20, 0x20), "a table size update is not at the start of its block"],
  ])("%s", (_name, block, error) => {
    expect(decodeBlock(pairDecoder(), block).error).toBe(error);
  });

  test("if its index is in neither table, and the fields before it are passed on", () => {
    const decoded = decodeBlock(pairDecoder(), bytes(0x82, 0x84, 0x80, 0x86));
    expect(decoded.fields).toEqual([
      [":method", "GET"],
      [":path", "/"],
    ]);
    expect(decoded.error).toBe("an index is in neither table");
  });
});

describe("the dynamic table", () => {
  test("evicts an entry that does not fit any more, and holds exactly the entries that fit", () => {
    const decoder = pairDecoder(68);
    expect(decodeBlock(decoder, Buffer.concat([inserted("a", "1"), inserted("b", "2")])).error).toBe("");
    expect(decodeBlock(decoder, bytes(0xbe, 0xbf)).fields).toEqual([
      ["b", "2"],
      ["a", "1"],
    ]);
    expect(decodeBlock(decoder, Buffer.concat([inserted("c", "3"), bytes(0xbe)])).fields.at(-1)).toEqual(["c", "3"]);
    expect(decodeBlock(decoder, bytes(0xbf)).fields).toEqual([["b", "2"]]);
    expect(decodeBlock(decoder, bytes(0xc0)).error).toBe("an index is in neither table");
  });

  test("is emptied by an entry that is larger than the table", () => {
    const decoder = pairDecoder(68);
    decodeBlock(decoder, inserted("a", "1"));
    expect(decodeBlock(decoder, inserted("large", "x".repeat(40))).fields).toEqual([["large", "x".repeat(40)]]);
    expect(decodeBlock(decoder, bytes(0xbe)).error).toBe("an index is in neither table");
  });

  test("keeps the name of an entry that its own insertion evicts", () => {
    const decoder = pairDecoder(40);
    decodeBlock(decoder, inserted("name", "1"));
    const again = Buffer.concat([integer(0x40, 0x3f, 62), text("2", false)]);
    expect(decodeBlock(decoder, Buffer.concat([again, bytes(0xbe)])).fields).toEqual([
      ["name", "2"],
      ["name", "2"],
    ]);
  });

  test("is emptied by a size of 0, and filled again after a second update", () => {
    const decoder = pairDecoder();
    decodeBlock(decoder, inserted("a", "1"));
    const block = Buffer.concat([bytes(0x20), integer(0x20, 0x1f, 4096), inserted("b", "2"), bytes(0xbe)]);
    expect(decodeBlock(decoder, block).fields.at(-1)).toEqual(["b", "2"]);
    expect(decodeBlock(decoder, bytes(0xbf)).error).toBe("an index is in neither table");
  });

  test("does not keep a literal that must not be indexed", () => {
    const decoder = pairDecoder();
    const literals = [0x00, 0x10].map((first) => Buffer.concat([bytes(first), text("a", false), text("1", false)]));
    expect(decodeBlock(decoder, Buffer.concat(literals)).fields).toHaveLength(2);
    expect(decodeBlock(decoder, bytes(0xbe)).error).toBe("an index is in neither table");
  });

  test("gives the same as a plain list through all growth and eviction", () => {
    const steps = fc.array(
      fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 32, max: 200 }) }, { weight: 1, arbitrary: fc.constant(0) }),
      {
        minLength: 60,
        maxLength: 120,
      },
    );
    fc.assert(
      fc.property(steps, (sizes) => {
        const table = new DynamicTable<number>(2000);
        let list: { item: number; size: number }[] = [];
        const fit = (room: number): void => {
          while (list.reduce((sum, { size }) => sum + size, 0) > room && list.length > 0) list.pop();
        };
        for (const [item, size] of sizes.entries()) {
          // 0 stands for a resize to a third of the size and back.
          if (size === 0) {
            table.resize(700);
            fit(700);
            table.resize(2000);
          } else {
            table.insert("n", item, size);
            fit(2000 - size);
            list = [{ item, size }, ...list];
          }
          expect(list.map((_, age) => table.get(age)?.item)).toEqual(list.map((entry) => entry.item));
          expect(table.get(list.length)).toBeUndefined();
        }
      }),
    );
  });
});
