import { FIELD_ROLES, FORWARDED_PREFIXES } from "../../lib/http/field-roles.ts";
import {
  fieldLine,
  type Fields,
  MAX_LENGTH_DIGITS,
  parseContentLength,
  parseRequestLength,
  trimOws,
  withoutFields,
} from "../../lib/http/fields.ts";
import { joined } from "../../lib/memory/flat-text.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { RecurringTexts } from "../../lib/memory/recurring-texts.ts";

/** Bits of CLASS: the elements that a byte may be part of (RFC 9110 §5.6.2 and §5.5, RFC 3986 §2). */
const TOKEN = 1;
const VALUE = 2;
const TARGET = 4;

const HASH = 0x23;
const PERCENT = 0x25;
const DOT = 0x2e;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const QUESTION_MARK = 0x3f;
const BACKSLASH = 0x5c;

const NO_BYTES = new Uint8Array(0);
const CLASS = new Uint8Array(256);
CLASS.fill(VALUE, 0x20);
CLASS.fill(VALUE | TARGET, 0x21, 0x7f);
CLASS[0x7f] = 0;
CLASS[0x09] = VALUE;
CLASS[HASH] = VALUE;
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  CLASS[char.charCodeAt(0)] = (CLASS[char.charCodeAt(0)] ?? 0) | TOKEN;
}

/**
 * All scanned bytes end with CRLF. No class contains these characters, so the loop ends before the end of the bytes. A
 * single read beyond it would make the engine compile the whole function for the rare case, ten times as slow (bench
 * http1).
 */
function skip(bytes: Uint8Array, from: number, bit: number): number {
  let i = from;
  while (((CLASS[bytes[i] ?? 0] ?? 0) & bit) !== 0) i++;
  return i;
}

/** True for the code of a token character (RFC 9110 §5.6.2). */
export function isTokenCode(code: number): boolean {
  return ((CLASS[code] ?? 0) & TOKEN) !== 0;
}

/** The index of the first character from `from` on that is not a token character. */
export function skipToken(bytes: Uint8Array, from: number): number {
  return skip(bytes, from, TOKEN);
}

/** The result of `scanTarget`, valid until the next call. `#` ends a target, because a target cannot contain it. */
export const targetScan = { end: 0, pathEnd: 0, isRegular: true };

/**
 * Scans the request target at `from`. Finds the end of the target and of its path, and whether the path is already
 * normalised.
 */
export function scanTarget(bytes: Uint8Array, from: number): void {
  let i = from;
  let isRegular = true;
  for (;;) {
    const code = bytes[i] ?? 0;
    if (code === QUESTION_MARK || ((CLASS[code] ?? 0) & TARGET) === 0) break;
    if (code === SLASH) {
      const next = bytes[i + 1] ?? 0;
      if (next === SLASH || next === SEMICOLON || (next === DOT && !isNamedBehindDot(bytes[i + 2] ?? 0)))
        isRegular = false;
    } else if (code === PERCENT || code === BACKSLASH) isRegular = false;
    i++;
  }
  targetScan.pathEnd = i;
  targetScan.isRegular = isRegular;
  targetScan.end = skip(bytes, i, TARGET);
}

/** True if a segment that begins with a dot and this character is a name, as `.well-known` is. */
function isNamedBehindDot(code: number): boolean {
  return code !== DOT && isTokenCode(code);
}

/**
 * The bit of a name with this length. Most names that the gateway looks for are absent. If the bit of such a name is not
 * set, no line has to be read (bench http1).
 */
export function lengthBit(length: number): number {
  return 1 << (length & 31);
}

/** The index of the first control character except tab from `from` on. */
export function fieldValueEnd(bytes: Uint8Array, from: number): number {
  return skip(bytes, from, VALUE);
}

/** Fields that affect framing, routing or forwarding. All others are passed on unread. */
const OTHER = 0;
const HOST = 1;
const CONNECTION = 2;
const TRANSFER_ENCODING = 3;
const CONTENT_LENGTH = 4;
const TE = 5;
const UPGRADE = 6;
const EXPECT = 7;
const DATE = 8;
const VIA = 9;
const FORWARDED_FOR = 10;
const REQUEST_ID = 11;
/** Hop-by-hop, never read. */
const DROPPED = 12;
/** The gateway sets the field on every request; a response may contain it. */
const DROPPED_FROM_REQUEST = 13;
/** Passed on; a request may have only one. */
const CONTENT_TYPE = 14;
/** Passed on only under exactly this name. */
const METHOD_OVERRIDE = 15;
/** Kept separate from the fields that are passed on. */
const PAYMENT_SIGNATURE = 16;
const X_PAYMENT = 17;
const PAYMENT_STREAM = 18;

const PAYMENT_NAMES: ReadonlyMap<number, string> = new Map([
  [PAYMENT_SIGNATURE, "PAYMENT-SIGNATURE"],
  [X_PAYMENT, "X-PAYMENT"],
  [PAYMENT_STREAM, "Payment-Stream"],
]);

const HYPHEN = 0x2d;
/** `_ | 0x20`. */
const UNDERSCORE_SEEN = 0x7f;

/**
 * Returns `id` if the text at `start` is `lowerName`. `| 0x20` changes only letters in these texts, because the scan has
 * excluded control characters. A name with underscores in place of hyphens is suspicious, because
 * CGI and similar interfaces treat both as one name: it is dropped from requests.
 */
function named(bytes: Uint8Array, start: number, lowerName: Uint8Array, id: number): number {
  let found = id;
  for (let i = 0; i < lowerName.length; i++) {
    const code = (bytes[start + i] ?? 0) | 0x20;
    const wanted = lowerName[i];
    if (code === wanted) continue;
    if (code !== UNDERSCORE_SEEN || wanted !== HYPHEN) return OTHER;
    found = DROPPED_FROM_REQUEST;
  }
  return found;
}

const KEEP_ALIVE = Buffer.from(" keep-alive");
const CLOSE = Buffer.from(" close");

/** The recognised names in lower case, and what their fields are. The first of two entries with the same name counts. */
const NAMES: readonly (readonly [lowerName: string, id: number])[] = [
  ["te", TE],
  ["via", VIA],
  ["host", HOST],
  ["date", DATE],
  ["expect", EXPECT],
  ["upgrade", UPGRADE],
  ["trailer", DROPPED],
  ["x-payment", X_PAYMENT],
  ["connection", CONNECTION],
  ["keep-alive", DROPPED],
  ["content-type", CONTENT_TYPE],
  ["x-request-id", REQUEST_ID],
  ["content-length", CONTENT_LENGTH],
  ["x-forwarded-for", FORWARDED_FOR],
  ["proxy-connection", DROPPED],
  ["transfer-encoding", TRANSFER_ENCODING],
  ["payment-stream", PAYMENT_STREAM],
  ["payment-signature", PAYMENT_SIGNATURE],
  ...FIELD_ROLES.proxy.map((name) => [name, DROPPED] as const),
  ...FIELD_ROLES.methodOverride.map((name) => [name, METHOD_OVERRIDE] as const),
  // By these fields, a request could steer upstreams.
  ...[...FIELD_ROLES.forwarded, ...FIELD_ROLES.trusted].map((name) => [name, DROPPED_FROM_REQUEST] as const),
];
const PREFIXES = FORWARDED_PREFIXES.map((prefix) => Buffer.from(prefix));

/** Index of the names of this length with this first letter, in any capitalisation. */
function slotOf(length: number, letter: number): number {
  return (length << 5) | (letter & 0x1f);
}

const BY_SLOT: ({ readonly name: Uint8Array; readonly id: number }[] | undefined)[] = Array.from({
  length: slotOf(64, 0),
});
for (const [name, id] of NAMES)
  (BY_SLOT[slotOf(name.length, name.charCodeAt(0))] ??= []).push({ name: Buffer.from(name), id });
const LETTER_X = 0x78;

/** Most names that are not recognised share length and first letter with none, and are not compared. */
function identify(bytes: Uint8Array, start: number, length: number): number {
  const letter = (bytes[start] ?? 0) | 0x20;
  const candidates = BY_SLOT[slotOf(length, letter)];
  if (candidates !== undefined) {
    for (const { name, id } of candidates) {
      const found = named(bytes, start, name, id);
      if (found !== OTHER) return found;
    }
  }
  return letter === LETTER_X ? withPrefix(bytes, start, length) : OTHER;
}

function withPrefix(bytes: Uint8Array, start: number, length: number): number {
  for (const prefix of PREFIXES) {
    if (length > prefix.length && named(bytes, start, prefix, DROPPED_FROM_REQUEST) !== OTHER)
      return DROPPED_FROM_REQUEST;
  }
  return OTHER;
}

/**
 * Fields that `Connection` may nominate. A request with more is refused: each is compared with
 * every line, and thousands of them would cost milliseconds a request.
 */
const MAX_NOMINATED = 64;

/**
 * Like `parseContentLength`, for the value between `start` and `end`; the usual form needs no slice. `isRequest`: like
 * `parseRequestLength`.
 */
function lengthAt(bytes: Uint8Array, start: number, end: number, isRequest: boolean): number {
  const from = bytes[start] === 0x20 ? start + 1 : start;
  const isPlain = end > from && end - from <= MAX_LENGTH_DIGITS && (bytes[from] !== 0x30 || end === from + 1);
  if (!isPlain) return unusualLength(latin1Text(bytes, from, end), isRequest);
  let length = 0;
  for (let i = from; i < end; i++) {
    const digit = (bytes[i] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) return unusualLength(latin1Text(bytes, from, end), isRequest);
    length = length * 10 + digit;
  }
  return length;
}

/** Numbers for each line of `places`. */
export const LINE_NUMBERS = 3;

/** The lines at the first `count` numbers of `places`. */
export function linesText(bytes: Uint8Array, places: readonly number[], count: number): Fields {
  let text = "";
  for (let i = 0; i < count; ) {
    const start = places[i] ?? 0;
    // Lines that follow each other are one text.
    let end = start;
    while (i < count && places[i] === end) {
      end = places[i + 2] ?? 0;
      i += LINE_NUMBERS;
    }
    text = joined(text, latin1Text(bytes, start, end));
  }
  return text;
}

const hosts = new RecurringTexts();

/** The host between `start` and `end`, without the white space around it. */
function hostAt(bytes: Uint8Array, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isOws(bytes[from])) from++;
  while (to > from && isOws(bytes[to - 1])) to--;
  return hosts.text(bytes, from, to);
}

function isOws(code: number | undefined): boolean {
  return code === 0x20 || code === 0x09;
}

function unusualLength(text: string, isRequest: boolean): number {
  const value = trimOws(text);
  return isRequest ? parseRequestLength(value) : parseContentLength(value);
}

export interface ScanLimits {
  readonly isRequest: boolean;
  /** Fields of the head. */
  readonly maxCount: number;
}

/**
 * The result of one pass over the field lines of a head. A worker has one such object, so a result is valid until the next
 * scan.
 */
export class FieldScan {
  /** The payment of a request, which is not passed on. */
  payment: Fields = "";
  host = "";
  hosts = 0;
  /** Bytes; -1 if absent. */
  contentLength = -1;
  /** Lower-case codings as listed; empty if absent. */
  transferEncoding = "";
  /** True if `Connection` lists `close` or `keep-alive`. */
  close = false;
  keepAlive = false;
  upgrade = "";
  te = "";
  expect = "";
  via = "";
  forwardedFor = "";
  requestId = "";
  hasDate = false;
  /** Why the head is refused; empty if it is valid. */
  error = "";
  tooMany = false;
  #nominated: string[] | undefined;
  #isRequest = false;
  /** Position of the first Content-Type value; -1 if it is absent. */
  #typeStart = -1;
  #typeEnd = -1;
  /** The lines to pass on: of each its start, the end of its name and its end, in the scanned bytes. Not valid if `isText`. */
  readonly #lines: number[] = [];
  #lineNumbers = 0;
  /** A bit for the length of each name in the lines to pass on: see `lengthBit`. */
  lengths = 0;
  /** The lines to pass on, if they are a text already. */
  #fields: Fields | undefined = "";
  #bytes: Uint8Array = NO_BYTES;

  /** The lines to pass on. */
  get fields(): Fields {
    this.#fields ??= linesText(this.#bytes, this.#lines, this.#lineNumbers);
    return this.#fields;
  }

  /** The places of the lines to pass on, `LINE_NUMBERS` of each. Not valid if `isText`. */
  places(): number[] {
    return this.#lines.slice(0, this.#lineNumbers);
  }

  /** True if `fields` is a text, because Connection nominates lines to drop. */
  get isText(): boolean {
    return this.#fields !== undefined;
  }

  /** True if Connection lists this option, in lower case. `close` and `keep-alive` have their own properties. */
  nominates(option: string): boolean {
    return this.#nominated?.includes(option) === true;
  }

  /** Scans the lines from `from` to the empty line at `end`. False: see `error` and `tooMany`. */
  scan(bytes: Uint8Array, from: number, end: number, { isRequest, maxCount }: ScanLimits): boolean {
    this.#reset(bytes);
    this.#isRequest = isRequest;
    let count = 0;
    let kept = 0;
    const lines = this.#lines;
    let at = from;
    while (at < end) {
      const nameEnd = skipToken(bytes, at);
      if (nameEnd === at || bytes[nameEnd] !== 0x3a) return this.#refuse("malformed field line");
      const valueEnd = skip(bytes, nameEnd + 1, VALUE);
      if (bytes[valueEnd] !== 0x0d || bytes[valueEnd + 1] !== 0x0a) {
        return this.#refuse("control character in a field value");
      }
      count++;
      const id = identify(bytes, at, nameEnd - at);
      if (id === OTHER || !this.#take(id, bytes, nameEnd + 1, valueEnd)) {
        lines[kept++] = at;
        lines[kept++] = nameEnd;
        lines[kept++] = valueEnd + 2;
        this.lengths |= lengthBit(nameEnd - at);
      }
      if (this.error !== "") return false;
      at = valueEnd + 2;
    }
    if (count > maxCount) {
      this.tooMany = true;
      return this.#refuse("too many fields");
    }
    this.#lineNumbers = kept;
    if (this.#nominated !== undefined) this.#dropNominated(this.#nominated);
    return true;
  }

  #dropNominated(names: readonly string[]): void {
    this.#fields = withoutFields(this.fields, names);
    this.payment = withoutFields(this.payment, names);
  }

  /**
   * Records a field that affects the request. True if its line is not passed on. The value is between `start` and `end` of
   * the bytes. Common values are recognised in place, because each slice that is read costs an allocation.
   */
  #take(id: number, bytes: Uint8Array, start: number, end: number): boolean {
    switch (id) {
      case DATE:
        this.hasDate = true;
        return false;
      case CONTENT_TYPE:
        if (this.#isRequest) this.#takeType(bytes, start, end);
        return false;
      case DROPPED:
        return true;
      case DROPPED_FROM_REQUEST:
        return this.#isRequest;
      case CONTENT_LENGTH: {
        const length = lengthAt(bytes, start, end, this.#isRequest);
        const differs = this.contentLength !== -1 && this.contentLength !== length;
        if (length === -1 || differs) this.error = "bad Content-Length";
        this.contentLength = length;
        return true;
      }
      case CONNECTION:
        if (end - start === KEEP_ALIVE.length && named(bytes, start, KEEP_ALIVE, id) === id) this.keepAlive = true;
        else if (end - start === CLOSE.length && named(bytes, start, CLOSE, id) === id) this.close = true;
        else this.#takeConnection(latin1Text(bytes, start, end));
        return true;
      case HOST:
        if (!this.#isRequest) return false;
        this.hosts++;
        this.host = hostAt(bytes, start, end);
        return true;
      case METHOD_OVERRIDE:
        return false;
      default:
        return this.#takeRare(id, trimOws(latin1Text(bytes, start, end)));
    }
  }

  /** RFC 9110 §5.3: Content-Type is not a list. Of two types, the gateway might check one and the upstream use the other. */
  #takeType(bytes: Uint8Array, start: number, end: number): void {
    if (this.#typeStart === -1) {
      this.#typeStart = start;
      this.#typeEnd = end;
    } else if (trimOws(latin1Text(bytes, start, end)) !== trimOws(latin1Text(bytes, this.#typeStart, this.#typeEnd))) {
      this.error = "Content-Type fields that differ";
    }
  }

  #takeRare(id: number, value: string): boolean {
    switch (id) {
      case TRANSFER_ENCODING: {
        const codings = value.toLowerCase();
        this.transferEncoding = this.transferEncoding === "" ? codings : `${this.transferEncoding},${codings}`;
        if (this.transferEncoding === "") this.error = "empty Transfer-Encoding";
        return true;
      }
      case TE:
        this.te = value;
        return true;
      case UPGRADE:
        this.upgrade = this.upgrade === "" ? value : `${this.upgrade}, ${value}`;
        return true;
      case REQUEST_ID:
        // Two ids are joined, which makes an invalid id.
        this.requestId = this.requestId === "" ? value : `${this.requestId}, ${value}`;
        return true;
      case EXPECT:
        this.expect = value;
        return this.#isRequest;
      case PAYMENT_SIGNATURE:
      case PAYMENT_STREAM:
      case X_PAYMENT:
        if (this.#isRequest) this.payment += fieldLine(PAYMENT_NAMES.get(id) ?? "", value);
        return this.#isRequest;
      case VIA:
        this.via = this.via === "" ? value : `${this.via}, ${value}`;
        return this.#isRequest;
      default:
        this.forwardedFor = this.forwardedFor === "" ? value : `${this.forwardedFor}, ${value}`;
        return this.#isRequest;
    }
  }

  #takeConnection(value: string): void {
    for (const part of value.split(",")) {
      const option = trimOws(part).toLowerCase();
      if (option === "close") this.close = true;
      else if (option === "keep-alive") this.keepAlive = true;
      else if (option !== "") {
        this.#nominated ??= [];
        if (this.#nominated.push(option) > MAX_NOMINATED) this.error = "too many connection options";
      }
    }
  }

  #refuse(error: string): false {
    this.error = error;
    return false;
  }

  #reset(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#fields = undefined;
    this.#lineNumbers = 0;
    this.lengths = 0;
    this.payment = "";
    this.host = "";
    this.hosts = 0;
    this.contentLength = -1;
    this.transferEncoding = "";
    this.close = false;
    this.keepAlive = false;
    this.upgrade = "";
    this.te = "";
    this.expect = "";
    this.via = "";
    this.forwardedFor = "";
    this.requestId = "";
    this.hasDate = false;
    this.error = "";
    this.tooMany = false;
    this.#nominated = undefined;
    this.#typeStart = -1;
  }
}
