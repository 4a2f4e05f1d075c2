/** Encodings by the numbers of their code pages, as far as the Encoding Standard has them. */
const PAGES: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  10007: "x-mac-cyrillic",
  65001: "utf-8",
};

/** Code pages by the character sets of fonts. */
const CHARACTER_SETS: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** The encoding of a code page. Unknown ones are read as windows-1252. */
export function encodingOf(page: number): string {
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  return PAGES[page] ?? "windows-1252";
}

/** The code page of a font's character set. Undefined for the one of the file. */
export function pageOfCharacterSet(set: number): number | undefined {
  return CHARACTER_SETS[set];
}
