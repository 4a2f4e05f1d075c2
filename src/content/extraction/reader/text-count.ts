/** FNV-1a of an empty text. */
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Maximum number of words of a text whose hashes are kept. */
const MAX_HASHES = 100;

const OTHER = 0;
const LETTER = 1;
const DIGIT = 2;
/** Characters of scripts without spaces. Two of them count as one word. */
const UNSPACED = 3;
const CAPITAL = 4;
const END = 5;
const COMMA = 6;
const CURRENCY = 7;

/** The class of each UTF-16 code unit. */
const CLASSES = classes();

function classes(): Uint8Array {
  const all = new Uint8Array(0x10000);
  const letter = /[\p{L}\p{M}]/u;
  const digit = /\p{N}/u;
  const currency = /\p{Sc}/u;
  const capital = /\p{Lu}/u;
  const unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
  for (let code = 0; code < 0x10000; code += 1) {
    // Surrogates: most of these characters are emoji and rare ideographs.
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCharCode(code);
    if (unspaced.test(character)) all[code] = UNSPACED;
    else if (capital.test(character)) all[code] = CAPITAL;
    else if (letter.test(character)) all[code] = LETTER;
    else if (digit.test(character)) all[code] = DIGIT;
    else if (currency.test(character)) all[code] = CURRENCY;
  }
  // Full stops of Latin, CJK, Devanagari, Arabic and Urdu, Armenian, Ethiopic, Burmese, Khmer.
  for (const end of ".!?…。！？｡।॥؟۔։።၊။។") all[end.charCodeAt(0)] = END;
  for (const comma of ",;:،؛、，；：፣") all[comma.charCodeAt(0)] = COMMA;
  return all;
}

/** Counts the words and marks of a text that arrives in pieces. */
export class TextCount {
  words = 0;
  linkWords = 0;
  characters = 0;
  sentences = 0;
  commas = 0;
  digits = 0;
  capitals = 0;
  letters = 0;
  currencies = 0;
  /** FNV-1a over the letters in lower case, with a mark between words. */
  hash = FNV_START;
  /** FNV-1a of each of the first words, in lower case, as a signed integer. Numbers are left out. */
  readonly hashes: number[] = [];
  /** The same of the last word. */
  last = 0;
  #inWord = false;
  #wordHash = 0;
  /** Whether the last character that is not a space ends a sentence. */
  endsSentence = false;

  /** Ends the last word, since no text follows. */
  end(): void {
    if (this.#inWord) this.#endWord(this.#wordHash);
    this.#inWord = false;
  }

  #endWord(hash: number): void {
    if (hash === 0) return;
    // Sets and maps look up signed integers fastest.
    this.last = hash | 0;
    if (this.hashes.length < MAX_HASHES) this.hashes.push(this.last);
  }

  add(text: string, inLink: boolean): void {
    const before = this.words;
    let { words, characters, sentences, commas, digits, capitals, letters, hash, endsSentence } = this;
    let inWord = this.#inWord;
    let wordHash = this.#wordHash;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const kind = CLASSES[code] ?? 0;
      if (code > 0x20) characters += 1;
      if (kind === OTHER || kind >= END) {
        if (inWord) this.#endWord(wordHash);
        inWord = false;
        wordHash = 0;
        if (kind === END) {
          if (!endsSentence) sentences += 1;
          endsSentence = true;
        } else if (kind === COMMA) commas += 1;
        else if (kind === CURRENCY) this.currencies += 1;
        // A full stop within a word or a number does not end a sentence.
        continue;
      }
      if (endsSentence && code < 0x80 && CLASSES[text.charCodeAt(at - 1)] === END) sentences -= 1;
      endsSentence = false;
      if (kind === UNSPACED) words += 0.5;
      else if (!inWord) {
        words += 1;
        wordHash = FNV_START;
        hash = Math.imul(hash ^ 0x20, FNV_PRIME);
        if (kind === CAPITAL) capitals += 1;
      }
      inWord = kind !== UNSPACED;
      letters += 1;
      if (kind === DIGIT) {
        digits += 1;
        hash = Math.imul(hash ^ 0x30, FNV_PRIME);
        wordHash = 0;
      } else {
        const small = kind === CAPITAL && code < 0x80 ? code | 0x20 : code;
        hash = Math.imul(hash ^ small, FNV_PRIME);
        if (wordHash !== 0) wordHash = Math.imul(wordHash ^ small, FNV_PRIME);
      }
    }
    this.#inWord = inWord;
    this.#wordHash = wordHash;
    this.words = words;
    this.characters = characters;
    this.sentences = sentences;
    this.commas = commas;
    this.digits = digits;
    this.capitals = capitals;
    this.letters = letters;
    this.hash = hash;
    this.endsSentence = endsSentence;
    if (inLink) this.linkWords += words - before;
  }
}

/** FNV-1a of a name, within 32 bits. */
export function hashOf(text: string): number {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return hash >>> 0;
}
