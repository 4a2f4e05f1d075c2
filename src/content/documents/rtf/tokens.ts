/** A piece of RTF: a control word with its number, a byte in hexadecimal, a control symbol, or text. */
export type Token =
  | { readonly is: "open" | "close" }
  | { readonly is: "word"; readonly word: string; readonly number: number | undefined }
  | { readonly is: "byte"; readonly byte: string }
  | { readonly is: "symbol"; readonly symbol: string }
  | { readonly is: "text"; readonly text: string };

const TOKEN =
  /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n\0]+|([^\\{}\r\n\0]{1,65536})|[^]/gy;

/** The tokens of an RTF file, whose bytes are the characters of `source`. Binary data is skipped. */
export function* tokensOf(source: string): Generator<Token> {
  const token = new RegExp(TOKEN);
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [, word, number, byte, symbol, brace, text] = match;
    if (text !== undefined) yield { is: "text", text };
    else if (word !== undefined) {
      const value = number === undefined ? undefined : Number(number);
      if (word === "bin") token.lastIndex += Math.max(0, value ?? 0);
      else yield { is: "word", word, number: value };
    } else if (brace !== undefined) yield { is: brace === "{" ? "open" : "close" };
    else if (byte !== undefined) yield { is: "byte", byte: String.fromCharCode(Number.parseInt(byte, 16)) };
    else if (symbol !== undefined) yield { is: "symbol", symbol };
  }
}
