/** Maximum number of bytes that are read to guess the encoding of a document. */
const MAX_SAMPLE = 128 * 1024;
/** Minimum number of bytes beyond ASCII. With fewer, the frequencies of characters say little. */
const MIN_HIGH_BYTES = 40;
/** Minimum share of the bytes beyond ASCII that stand beside each other. In Latin scripts, they stand alone. */
const MIN_SHARE_IN_RUNS = 0.6;

interface Candidate {
  readonly encoding: Bun.Encoding;
  /** The characters that are most frequent in texts with this encoding. */
  readonly frequent: ReadonlySet<string>;
  /** Minimum share of these characters among those beyond ASCII. */
  readonly share: number;
}

const CANDIDATES: readonly Candidate[] = [
  of(
    "gb18030",
    0.2,
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家里如高自二理起小现加都两体当点从业本去把好开还因由其些然前外天日那事平相全间样与关重新内心你明看，。",
  ),
  of(
    "big5",
    0.2,
    "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經十三之進著等部度家裡如高自二理起小現加都兩體當點從業本去把好開還因由其些然前外天日那事平相全間樣與關重新內心你明看，。",
  ),
  of("shift_jis", 0.3, kana()),
  of("euc-jp", 0.3, kana()),
  of(
    "euc-kr",
    0.3,
    "이다는에의을를가은고하지로한도서기사리어나대해자아인그일시전정보수스들있것과년게부장성주제상여원구면무오만우소세라마비모내으조신동문요화되",
  ),
  of("windows-1251", 0.45, "оеаинтсрвлкмдпу"),
  of("koi8-r", 0.45, "оеаинтсрвлкмдпу"),
  of("windows-1253", 0.45, "αοιετσνηυρπκμλς"),
  of("windows-1255", 0.45, "יוהלאתרבמשנחדםע"),
  of("windows-1256", 0.45, "الينمورتبةعدسفه"),
  of("windows-874", 0.4, "านรกอเงยมลวดทส่้ี"),
];

function of(encoding: Bun.Encoding, share: number, characters: string): Candidate {
  return { encoding, share, frequent: new Set(characters) };
}

function kana(): string {
  const all = Array.from({ length: 0x3094 - 0x3041 }, (_, at) => String.fromCharCode(0x3041 + at));
  return `${all.join("")}、。ー`;
}

/**
 * The encoding of a document that does not declare one and is not UTF-8, by the frequency of its characters. Undefined
 * if the document is short, in a Latin script, or not like a text in one of the known encodings.
 */
export function guessEncoding(body: Uint8Array): string | undefined {
  const sample = body.subarray(0, MAX_SAMPLE);
  const { high, inRuns } = highBytes(sample);
  if (high < MIN_HIGH_BYTES) return undefined;
  if (isDamagedUtf8(sample)) return "utf-8";
  if (inRuns < high * MIN_SHARE_IN_RUNS) return isTurkish(sample) ? "windows-1254" : undefined;
  let best: { readonly encoding: string; readonly share: number } | undefined;
  for (const candidate of CANDIDATES) {
    const share = shareOf(sample, candidate);
    if (share < candidate.share || (best !== undefined && best.share >= share)) continue;
    best = { encoding: candidate.encoding, share };
  }
  return best?.encoding;
}

/** Maximum share of invalid characters in a damaged UTF-8 document. Other encodings have many more. */
const MAX_SHARE_INVALID = 0.02;

function isDamagedUtf8(sample: Uint8Array): boolean {
  let [all, invalid] = [0, 0];
  for (const character of new TextDecoder().decode(sample, { stream: true })) {
    const code = character.charCodeAt(0);
    if (code >= 0x80) all += 1;
    if (code === 0xfffd) invalid += 1;
  }
  return invalid <= all * MAX_SHARE_INVALID;
}

/** The number of bytes beyond ASCII, and of those beside another one. */
function highBytes(sample: Uint8Array): { readonly high: number; readonly inRuns: number } {
  let high = 0;
  let inRuns = 0;
  for (let at = 0; at < sample.length; at += 1) {
    if ((sample[at] ?? 0) < 0x80) continue;
    high += 1;
    if ((sample[at - 1] ?? 0) >= 0x80 || (sample[at + 1] ?? 0) >= 0x80) inRuns += 1;
  }
  return { high, inRuns };
}

/** The share of frequent characters among those beyond ASCII. 0 if a byte is not valid in this encoding. */
function shareOf(sample: Uint8Array, { encoding, frequent }: Candidate): number {
  // The last character may be cut off.
  const text = new TextDecoder(encoding).decode(sample, { stream: true });
  let all = 0;
  let same = 0;
  for (const character of text) {
    const code = character.charCodeAt(0);
    if (code < 0x80) continue;
    // Bytes that are not valid, and control characters in the place of letters.
    if (code === 0xfffd || code < 0xa0) return 0;
    all += 1;
    if (frequent.has(character)) same += 1;
  }
  return all === 0 ? 0 : same / all;
}

/** Minimum share of the letters that only Turkish has, among the letters beyond ASCII. */
const MIN_SHARE_OF_TURKISH = 0.35;
/** The bytes of ğ, ı, ş and their capitals. In windows-1252, these are letters of Icelandic: ð, ý, þ. */
const TURKISH = new Set([0xd0, 0xdd, 0xde, 0xf0, 0xfd, 0xfe]);
/** The bytes of á, é, í and ú, which Icelandic has, and Turkish does not have. */
const ACUTE = new Set([0xe1, 0xe9, 0xed, 0xfa]);

function isTurkish(sample: Uint8Array): boolean {
  let [letters, own, acute] = [0, 0, 0];
  for (const byte of sample) {
    if (byte < 0xc0) continue;
    letters += 1;
    if (TURKISH.has(byte)) own += 1;
    if (ACUTE.has(byte)) acute += 1;
  }
  return own >= letters * MIN_SHARE_OF_TURKISH && acute < own * 0.1;
}
