import { expect, test } from "bun:test";
import { EncodedTexts } from "./encoded-texts.ts";

const LONGEST = 2048;

/** Offers the encoding of a text `times` times. Returns true if the text is then kept. */
function isKept(texts: EncodedTexts, text: string, times: number): boolean {
  const bytes = Buffer.from(`<${text}>`);
  const target = Buffer.alloc(bytes.length + 1);
  for (let i = 0; i < times; i++) if (texts.write(target, 0, text) === 0) texts.offer(text, bytes, 1, bytes.length - 1);
  const end = texts.write(target, 1, text);
  if (end === 0) return false;
  expect([end, target.toString("latin1", 1, end)]).toEqual([1 + text.length, text]);
  return true;
}

test("a text is kept from its second sight on, to the byte", () => {
  for (const text of ["a", "date: today", "x".repeat(LONGEST)]) {
    const texts = new EncodedTexts();
    expect([isKept(texts, text, 1), isKept(texts, text, 1), isKept(texts, text, 0)]).toEqual([false, true, true]);
  }
});

test("longer texts are not kept", () => {
  expect(isKept(new EncodedTexts(), "x".repeat(LONGEST + 1), 3)).toBe(false);
});

test("the text that was written last is available beside all others", () => {
  const texts = new EncodedTexts();
  for (let i = 0; i < 3000; i++) isKept(texts, `text ${i}`, 2);
  expect(isKept(texts, "text 2999", 0)).toBe(true);
  let kept = 0;
  for (let i = 0; i < 3000; i++) if (isKept(texts, `text ${i}`, 0)) kept++;
  expect(kept).toBeGreaterThan(500);
  expect(kept).toBeLessThanOrEqual(1024);
});
