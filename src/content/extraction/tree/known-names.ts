import { html as names } from "parse5";

export interface KnownName {
  /** The name as the page has it, and in lower case. */
  readonly source: string;
  readonly text: string;
  /** The parser's number of the element with this name. */
  readonly tagID: names.TAG_ID;
  readonly hash: number;
}

/**
 * Maximum number of names that are remembered, by their hash. A name replaces another one with the same place. Pages
 * have some hundred different names.
 */
const MAX_KNOWN_NAMES = 1024;
/** Maximum number of characters of a name that is remembered. A longer name is read again each time. */
const MAX_KNOWN_LENGTH = 64;

/** 1 for each ASCII character that can be a part of a plain name. */
const OF_NAME = charactersOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.@#$%*+()[]{}!?,;|~^\\");

function charactersOf(all: string): Uint8Array {
  const found = new Uint8Array(0x80);
  for (const character of all) found[character.charCodeAt(0)] = 1;
  return found;
}

/** Whether a character can be a part of a plain name. */
export function isOfName(code: number): boolean {
  return OF_NAME[code] === 1;
}

/** Shared by all pages of a worker, since they have the same names. */
const known: (KnownName | undefined)[] = Array.from({ length: MAX_KNOWN_NAMES }, () => undefined);

/**
 * Reads names without a new string for each. A string that is a part of the page must be hashed for each look-up, which
 * took 7 % of parsing on pages of median length (`npm run bench -- reader --data DIR --cost`).
 */
export class NameReader {
  /** The index after the last name. */
  end = 0;

  /** Reads the name that begins at `start`, which may be empty. */
  read(html: string, start: number): KnownName {
    let hash = 0;
    let at = start;
    for (;;) {
      const code = html.charCodeAt(at);
      if (!isOfName(code)) break;
      hash = (Math.imul(hash, 31) + code) | 0;
      at += 1;
    }
    this.end = at;
    const place = (hash ^ (hash >>> 15)) & (MAX_KNOWN_NAMES - 1);
    const name = known[place];
    if (name !== undefined && name.hash === hash && isAt(html, start, at, name.source)) return name;
    const read = knownNameAt(html, start, at, hash);
    if (at - start <= MAX_KNOWN_LENGTH) known[place] = read;
    return read;
  }
}

function isAt(html: string, start: number, end: number, name: string): boolean {
  const { length } = name;
  if (length !== end - start) return false;
  for (let at = 0; at < length; at += 1) if (html.charCodeAt(start + at) !== name.charCodeAt(at)) return false;
  return true;
}

function knownNameAt(html: string, start: number, end: number, hash: number): KnownName {
  const source = html.slice(start, end);
  // A slice would keep the whole page in memory as long as the name is remembered.
  const own = end - start <= MAX_KNOWN_LENGTH ? String.fromCharCode(...Buffer.from(source, "latin1")) : source;
  const text = own.toLowerCase();
  return { source: own, text, tagID: names.getTagID(text), hash };
}
