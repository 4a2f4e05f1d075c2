import { expect, test } from "bun:test";
import fc from "fast-check";
import { TextPieces } from "./text-pieces.ts";

function written(pieces: TextPieces, texts: readonly string[], at: number): string {
  pieces.begin();
  // Some pieces are given as bytes, in the middle of others.
  for (const [i, text] of texts.entries()) {
    if ((i + texts.length) % 3 === 1) pieces.addBytes(Buffer.from(`<${text}>`, "latin1"), 1, text.length + 1);
    else pieces.add(text);
  }
  const { length } = pieces;
  const bytes = Buffer.alloc(at + length + 1, "!");
  pieces.writeTo(bytes, at);
  expect(pieces.join()).toBe(texts.join(""));
  expect(bytes.toString("latin1", 0, at) + bytes.toString("latin1", at + length)).toBe("!".repeat(at + 1));
  return bytes.toString("latin1", at, at + length);
}

test("heads are written one after another, each as its own pieces", () => {
  const piece = fc.oneof(
    fc.constantFrom("", "GET", "POST", " ", "/a", "/b", "X: y\r\n", "X: z\r\n", "\u00ff".repeat(50)),
    fc.constantFrom("long ".repeat(500), "long, ".repeat(200)),
  );
  fc.assert(
    fc.property(fc.array(fc.array(piece, { maxLength: 6 }), { maxLength: 12 }), fc.nat(5), (heads, at) => {
      const pieces = new TextPieces();
      for (const texts of heads) expect(written(pieces, texts, at)).toBe(texts.join(""));
    }),
    { numRuns: 500 },
  );
});

test("pieces that were added before an error are forgotten", () => {
  const pieces = new TextPieces();
  pieces.begin().add("lost");
  expect(written(pieces, ["kept"], 0)).toBe("kept");
  expect(pieces.join()).toBe("kept");
});
