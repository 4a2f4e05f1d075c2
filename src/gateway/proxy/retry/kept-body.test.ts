import { afterEach, describe, expect, test } from "bun:test";
import { KeptBody } from "./kept-body.ts";

const MOST = 65_536;
const MOST_OF_ALL = 16_777_216;

const bodies: KeptBody[] = [];

afterEach(() => {
  for (const body of bodies.splice(0)) body.clear();
});

function kept(): KeptBody {
  const body = new KeptBody();
  bodies.push(body);
  return body;
}

function textOf({ bytes, length }: KeptBody): string {
  return Buffer.from(bytes.subarray(0, length)).toString();
}

describe("a kept body", () => {
  test("has all added bytes, in order", () => {
    const body = kept();
    let whole = "";
    for (let i = 0; i < 1000; i++) {
      const piece = `<${i}>`;
      whole += piece;
      expect(body.add(Buffer.from(`..${piece}....`), 2, 2 + piece.length)).toBe(true);
    }
    expect(textOf(body)).toBe(whole);
  });

  test("does not change bytes that it has returned", () => {
    const body = kept();
    body.add(Buffer.from("one"), 0, 3);
    const { bytes, length } = body;
    for (let i = 0; i < 1000; i++) body.add(Buffer.from("two"), 0, 3);
    expect(Buffer.from(bytes.subarray(0, length)).toString()).toBe("one");
  });

  test("keeps a body up to the last byte of the limit, and nothing of a longer one", () => {
    const body = kept();
    expect(body.add(Buffer.alloc(MOST), 0, MOST)).toBe(true);
    expect(body.add(Buffer.alloc(1), 0, 1)).toBe(false);
    expect([body.length, body.bytes.length]).toEqual([0, 0]);
  });

  test("frees its memory when it is cleared, and all bodies together stay within their limit", () => {
    const large = Buffer.alloc(MOST);
    for (let i = 0; i < MOST_OF_ALL / MOST; i++) expect(kept().add(large, 0, MOST)).toBe(true);
    expect(kept().add(large, 0, 1)).toBe(false);
    bodies[0]?.clear();
    bodies[0]?.clear();
    expect(kept().add(large, 0, MOST)).toBe(true);
    expect(kept().add(large, 0, 1)).toBe(false);
  });
});
