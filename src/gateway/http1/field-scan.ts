import { FIELD_ROLES, FORWARDED_PREFIXES } from "../../lib/http/field-roles.ts";
import { fieldLine, type Fields, trimOws, withoutFields } from "../../lib/http/fields.ts";
import { latin1Text } from "../../lib/memory/latin1.ts";
import { hostAt, lengthAt } from "./field-values.ts";
import { fieldValueEnd, skipToken } from "./head-bytes.ts";
import { lengthBit, linesText } from "./line-places.ts";

/** Fields that affect framing, routing or forwarding. All others are passed on unread. */
const OTHER = 0;
const HOST = 1;
const CONNECTION = 2;
const TRANSFER_ENCODING = 3;
const CONTENT_LENGTH = 4;
const UPGRADE = 5;
const EXPECT = 6;
const DATE = 7;
const VIA = 8;
const FORWARDED_FOR = 9;
const REQUEST_ID = 10;
/** Hop-by-hop, never read. */
const DROPPED = 11;
/** The gateway sets the field on every request; a response may contain it. */
const DROPPED_FROM_REQUEST = 12;
/** Passed on; a request may have only one. */
const CONTENT_TYPE = 13;
/** Passed on only under exactly this name. */
const METHOD_OVERRIDE = 14;
/** Kept separate from the fields that are passed on. */
const PAYMENT_SIGNATURE = 15;
const X_PAYMENT = 16;
const PAYMENT_STREAM = 17;

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
  ["te", DROPPED],
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

const NO_BYTES = new Uint8Array(0);

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
      const valueEnd = fieldValueEnd(bytes, nameEnd + 1);
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
