import { expect, test } from "bun:test";
import { qrPicture } from "./picture.ts";
import { hasZbar, readByJsQr, readByZbar, readPng } from "./testing/decoders.ts";

const SCRIPTS: readonly [name: string, characters: string][] = [
  ["digits", "0123456789"],
  ["capitals", "AZ 19$%*+-./:"],
  ["ASCII", "az~\\{}@#'\"`"],
  ["accented Latin letters", "éÉüßñçåøÿ"],
  ["ASCII with one accent", "café au lait, "],
  ["Greek", "αβγΩ"],
  ["Cyrillic", "жщыэЯ"],
  ["Hebrew", "שלום"],
  ["Arabic", "مرحبا"],
  ["Devanagari", "नमस्ते"],
  ["Thai", "ไทย"],
  ["Chinese", "世界漢字"],
  ["kana", "あいカナー"],
  ["Korean", "한국어"],
  ["emoji", "😀🎉"],
  ["symbols", "€©¿…"],
];

const LENGTHS = [1, 2, 3, 4, 5, 7, 10, 16, 30, 80, 250];

/** Bytes of UTF-8 that fit into a code at level L, in addition to the declaration of their encoding. */
const MAX_BYTES = 2952;

const textsOf = (characters: string): string[] => {
  const all = [...new Intl.Segmenter().segment(characters)].map(({ segment }) => segment);
  return LENGTHS.map((length) =>
    Array.from({ length }, (_, at) => all[(at + length) % all.length])
      .join("")
      .trim(),
  ).filter((text) => text !== "" && Buffer.byteLength(text) <= MAX_BYTES);
};

function draw(text: string): Uint8Array {
  const png = qrPicture(text, 600, 4);
  if (!(png instanceof Uint8Array)) throw new Error(`Cannot draw: ${JSON.stringify(png)}`);
  return png;
}

test.each(SCRIPTS)("text in %s is read by jsQR, short or long", (_script, characters) => {
  for (const text of textsOf(characters)) expect(readByJsQr(readPng(draw(text)))).toBe(text);
});

test.skipIf(!hasZbar).each(SCRIPTS)(
  "text in %s is read by zbar, short or long (needs zbarimg)",
  (_script, characters) => {
    const texts = textsOf(characters);
    expect(readByZbar(texts.map(draw))).toEqual(texts);
  },
);

test("the longest text that is not ASCII fills the largest code", () => {
  expect(readByJsQr(readPng(draw("é".repeat(MAX_BYTES / 2))))).toBe("é".repeat(MAX_BYTES / 2));
  expect(qrPicture("é".repeat(MAX_BYTES / 2 + 1), 600, 4)).toEqual({ tooLong: true });
});
