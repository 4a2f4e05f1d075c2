/**
 * Header compression for tests: it writes literals and reads every form. Written from RFC 7541; shares no code with the
 * source.
 */

export type HeaderList = readonly (readonly [name: string, value: string])[];

/** An integer with a prefix of `bits` bits (RFC 7541 §5.1); `first` holds the bits before it. */
export function integer(value: number, bits: number, first = 0): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([first | value]);
  const bytes = [first | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
}

export function text(content: string): Buffer {
  return Buffer.concat([integer(content.length, 7), Buffer.from(content, "latin1")]);
}

const WITHOUT_INDEXING = 0x00;
const WITH_INDEXING = 0x40;

/** A literal field with a literal name, neither indexed nor Huffman-coded. */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([WITHOUT_INDEXING]), text(name), text(value)]);
}

/** A literal field that goes into the dynamic table. */
export function indexedLiteral(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([WITH_INDEXING]), text(name), text(value)]);
}

export function indexed(index: number): Buffer {
  return integer(index, 7, 0x80);
}

export function tableSize(size: number): Buffer {
  return integer(size, 5, 0x20);
}

export function block(list: HeaderList): Buffer {
  return Buffer.concat(list.map(([name, value]) => literal(name, value)));
}

/** RFC 7541 appendix A; entries with only a name have no value. */
const STATIC = (
  ":authority|:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|" +
  ":status 206|:status 304|:status 400|:status 404|:status 500|accept-charset|accept-encoding gzip, deflate|accept-language|" +
  "accept-ranges|accept|access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|" +
  "content-encoding|content-language|content-length|content-location|content-range|content-type|cookie|date|etag|expect|" +
  "expires|from|host|if-match|if-modified-since|if-none-match|if-range|if-unmodified-since|last-modified|link|location|" +
  "max-forwards|proxy-authenticate|proxy-authorization|range|referer|refresh|retry-after|server|set-cookie|" +
  "strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate"
)
  .split("|")
  .map((entry): readonly [string, string] => {
    const space = entry.indexOf(" ");
    return space === -1 ? [entry, ""] : [entry.slice(0, space), entry.slice(space + 1)];
  });

/**
 * Bits of each symbol's code, EOS last: "A" is 5. The code is canonical, so the lengths define it (RFC 7541 appendix
 * B).
 */
const CODE_LENGTHS =
  "ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJIX" +
  "PRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ";

function huffmanCodes(): ReadonlyMap<string, number> {
  const lengths = CODE_LENGTHS.split("").map((letter) => letter.charCodeAt(0) - 60);
  const symbols = lengths.map((_, symbol) => symbol);
  symbols.sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0) || a - b);
  const codes = new Map<string, number>();
  let code = 0;
  let before = 0;
  for (const symbol of symbols) {
    const length = lengths[symbol] ?? 0;
    code *= 2 ** (length - before);
    before = length;
    codes.set(code.toString(2).padStart(length, "0"), symbol);
    code++;
  }
  return codes;
}

const CODES = huffmanCodes();

function decodeHuffman(bytes: Buffer): string {
  let decoded = "";
  let bits = "";
  for (const byte of bytes) {
    for (const bit of byte.toString(2).padStart(8, "0")) {
      bits += bit;
      const symbol = CODES.get(bits);
      if (symbol === undefined) continue;
      decoded += String.fromCharCode(symbol);
      bits = "";
    }
  }
  if (bits.length > 7 || bits.includes("0")) throw new Error(`Cannot decode a text: it ends in the bits "${bits}"`);
  return decoded;
}

/** The Huffman code of a text, for tests that need it. */
export function huffman(content: string): Buffer {
  const bySymbol = new Map([...CODES].map(([code, symbol]) => [symbol, code]));
  const bits = content
    .split("")
    .map((char) => bySymbol.get(char.charCodeAt(0)) ?? "")
    .join("");
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  return Buffer.from((whole.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Decodes the field sections of one connection, in order. Throws if one is malformed. */
export class BlockDecoder {
  #table: (readonly [string, string])[] = [];
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;

  decode(bytes: Buffer): (readonly [string, string])[] {
    this.#bytes = bytes;
    this.#at = 0;
    const list: (readonly [string, string])[] = [];
    while (this.#at < bytes.length) {
      const first = bytes[this.#at] ?? 0;
      if (first >= 0x80) list.push(this.#entry(this.#integer(7)));
      else if (first >= 0x40) {
        const field = this.#literal(6);
        this.#table.unshift(field);
        list.push(field);
      } else if (first >= 0x20) {
        if (this.#integer(5) === 0) this.#table = [];
      } else list.push(this.#literal(4));
    }
    return list;
  }

  #literal(bits: number): readonly [string, string] {
    const index = this.#integer(bits);
    const name = index === 0 ? this.#text() : this.#entry(index)[0];
    return [name, this.#text()];
  }

  #entry(index: number): readonly [string, string] {
    const entry = STATIC[index - 1] ?? this.#table[index - 1 - STATIC.length];
    if (entry === undefined) throw new Error(`Cannot decode a block: there is no entry ${index}`);
    return entry;
  }

  #text(): string {
    const isCoded = ((this.#bytes[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const content = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return isCoded ? decodeHuffman(content) : content.toString("latin1");
  }

  #integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = (this.#bytes[this.#at++] ?? 0) & most;
    if (value < most) return value;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("Cannot decode a block: it ends in an integer");
      value += (byte & 0x7f) * factor;
      if (byte < 128) return value;
    }
  }
}
