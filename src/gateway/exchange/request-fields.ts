import { BAD_PATH, normalisePath } from "../../lib/http/url-path.ts";
import { type Fields, parseRequestLength, withoutFields } from "../../lib/http/fields.ts";
import { unservedMethod } from "../../lib/http/http-method.ts";
import { FIELD_ROLES, type FieldRole, hasForwardedPrefix, isGrpcType } from "../../lib/http/field-roles.ts";
import { versionOf } from "../../lib/http/websocket-handshake.ts";
import { isAuthority } from "./authority.ts";
import { type RequestHead } from "./exchange.ts";
import { type HeadError } from "./refusal.ts";
import { soundTrailers } from "./request-trailers.ts";

/** The role of a request field for a gateway. The roles from MALFORMED on make the request malformed. */
const OTHER = 0;
const METHOD = 1;
const SCHEME = 2;
const AUTHORITY = 3;
const PATH = 4;
const PROTOCOL = 5;
const HOST = 6;
const CONTENT_LENGTH = 7;
const COOKIE = 8;
const TE = 9;
const EXPECT = 10;
const VIA = 11;
const FORWARDED_FOR = 12;
const REQUEST_ID = 13;
const CONTENT_TYPE = 14;
/** Hop-by-hop in HTTP/1, without meaning here, or set by the proxy on every request. */
const DROPPED = 15;
/** Forwarded under this exact name only. */
const METHOD_OVERRIDE = 16;
/** Kept apart from the forwarded fields. */
const PAYMENT = 17;
const MALFORMED = 18;

function kindsOf(role: FieldRole, kind: number): (readonly [name: string, kind: number])[] {
  return FIELD_ROLES[role].map((name) => [name, kind]);
}

/** The roles first; the names below them have kinds of their own. */
const KINDS: ReadonlyMap<string, number> = new Map([
  ...kindsOf("connection", MALFORMED),
  ...kindsOf("framing", DROPPED),
  ...kindsOf("proxy", DROPPED),
  ...kindsOf("trusted", DROPPED),
  ...kindsOf("forwarded", DROPPED),
  ...kindsOf("methodOverride", METHOD_OVERRIDE),
  ...kindsOf("payment", PAYMENT),
  [":method", METHOD],
  [":scheme", SCHEME],
  [":authority", AUTHORITY],
  [":path", PATH],
  [":protocol", PROTOCOL],
  ["host", HOST],
  ["content-length", CONTENT_LENGTH],
  ["cookie", COOKIE],
  ["te", TE],
  ["expect", EXPECT],
  ["via", VIA],
  ["x-forwarded-for", FORWARDED_FOR],
  ["x-request-id", REQUEST_ID],
  ["content-type", CONTENT_TYPE],
]);

/** RFC 9110 §5.6.2, without uppercase letters (RFC 9113 §8.2.1). */
export const LOWER_TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/**
 * RFC 9113 §8.2.1 and the dangerous characters of RFC 9110 §5.5: control characters other than tab, and white space at
 * either end.
 */
export const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]|^[\t ]|[\t ]$/;
const METHOD_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The target as the HTTP/1 codec reads it: visible ASCII, no fragment (RFC 3986 §3.5). */
const TARGET = /^(?:\/[!-"$-~]*|\*)$/;
const SCHEME_NAME = /^[A-Za-z][A-Za-z0-9+\-.]*$/;

/** One field of a request with everything that follows from its name and value. A table can keep it. */
export interface RequestField {
  readonly kind: number;
  readonly name: string;
  readonly value: string;
  /** `name: value\r\n`. */
  readonly line: string;
  /** The content type is a gRPC type. */
  readonly isGrpc: boolean;
}

/** Patterns for the values of pseudo-header fields (RFC 9113 §8.3.1). */
const PSEUDO_VALUES: readonly (RegExp | undefined)[] = [
  undefined,
  METHOD_TOKEN,
  SCHEME_NAME,
  undefined,
  TARGET,
  METHOD_TOKEN,
];

/** The role of a field that KINDS does not list. */
function unlistedKind(name: string): number {
  if (!LOWER_TOKEN.test(name)) return MALFORMED;
  // CGI and similar interfaces treat hyphens and underscores in names as equal. An honest client does not use one for
  // the other.
  const hyphened = name.replaceAll("_", "-");
  if (hasForwardedPrefix(hyphened)) return DROPPED;
  return hyphened !== name && KINDS.has(hyphened) ? DROPPED : OTHER;
}

/** Reads a field. The result can be used for any number of requests. `name` and `value` are latin1. */
export function requestField(name: string, value: string): RequestField {
  const kind = KINDS.get(name) ?? unlistedKind(name);
  const isSound = !BAD_VALUE.test(value) && PSEUDO_VALUES[kind]?.test(value) !== false;
  const isGrpc = kind === CONTENT_TYPE && isGrpcType(value);
  return { kind: isSound ? kind : MALFORMED, name, value, line: `${name}: ${value}\r\n`, isGrpc };
}

/** The connection's scheme and the limits that its requests are checked against. */
export interface RequestLimits {
  readonly scheme: "http" | "https";
  readonly maxCount: number;
  /** The server announced that CONNECT can name a protocol (RFC 8441 §3, RFC 9220 §3). */
  readonly extendedConnect: boolean;
}

/** The head of a request, with additional data for its codec. */
export interface ListedRequest {
  readonly head: RequestHead;
  readonly requestId: string;
}

/**
 * Makes a request head from the fields of an HTTP/2 or HTTP/3 client, in the order in which they arrive (RFC 9113 §8.3,
 * RFC 9114 §4.3). A violation of those protocols makes the request `malformed`, which is a stream error. A request that
 * HTTP/1 would reject is a `HeadError`, which has a response. One object serves a whole worker.
 */
export class RequestFields {
  /** The reason why the request is malformed; empty while it is valid. */
  malformed = "";
  #fields = "";
  #payment = "";
  #method = "";
  #scheme = "";
  #authority: string | undefined;
  #path = "";
  #protocol = "";
  #host: string | undefined;
  #pseudoOver = false;
  #hosts = 0;
  #length = -1;
  #cookie = "";
  #expect = "";
  #via = "";
  #forwardedFor = "";
  #requestId = "";
  #contentType: string | undefined;
  #typesDiffer = false;
  #isGrpcType = false;
  #count = 0;

  begin(): void {
    this.malformed = "";
    this.#fields = "";
    this.#payment = "";
    this.#method = "";
    this.#scheme = "";
    this.#authority = undefined;
    this.#path = "";
    this.#protocol = "";
    this.#host = undefined;
    this.#pseudoOver = false;
    this.#hosts = 0;
    this.#length = -1;
    this.#cookie = "";
    this.#expect = "";
    this.#via = "";
    this.#forwardedFor = "";
    this.#requestId = "";
    this.#contentType = undefined;
    this.#typesDiffer = false;
    this.#isGrpcType = false;
    this.#count = 0;
  }

  add(field: RequestField): void {
    const { kind } = field;
    if (kind >= METHOD && kind <= PROTOCOL) {
      this.#addPseudo(kind, field.value);
      return;
    }
    this.#pseudoOver = true;
    this.#count++;
    if (kind === OTHER || kind === METHOD_OVERRIDE) this.#fields += field.line;
    else if (kind !== DROPPED) this.#addKnown(field);
  }

  #addPseudo(kind: number, value: string): void {
    if (this.#pseudoOver) this.malformed = "a pseudo-header field after a regular one";
    switch (kind) {
      case METHOD:
        if (this.#method !== "") this.malformed = "repeated :method";
        this.#method = value;
        return;
      case SCHEME:
        if (this.#scheme !== "") this.malformed = "repeated :scheme";
        this.#scheme = value;
        return;
      case AUTHORITY:
        if (this.#authority !== undefined) this.malformed = "repeated :authority";
        this.#authority = value;
        return;
      case PATH:
        if (this.#path !== "") this.malformed = "repeated :path";
        this.#path = value;
        return;
      default:
        if (this.#protocol !== "") this.malformed = "repeated :protocol";
        this.#protocol = value;
    }
  }

  #addKnown({ kind, name, value, line, isGrpc }: RequestField): void {
    switch (kind) {
      case HOST:
        this.#hosts++;
        this.#host = value;
        return;
      case CONTENT_LENGTH: {
        const length = parseRequestLength(value);
        if (length === -1 || (this.#length !== -1 && this.#length !== length)) this.malformed = "bad content-length";
        this.#length = length;
        return;
      }
      case COOKIE:
        // RFC 9113 §8.2.3: cookie crumbs are joined to one field before the request leaves HTTP/2.
        this.#cookie = this.#cookie === "" ? value : `${this.#cookie}; ${value}`;
        return;
      case TE:
        if (value.toLowerCase() !== "trailers") this.malformed = "te other than trailers";
        return;
      case EXPECT:
        this.#expect = value;
        return;
      case VIA:
        this.#via = this.#via === "" ? value : `${this.#via}, ${value}`;
        return;
      case FORWARDED_FOR:
        this.#forwardedFor = this.#forwardedFor === "" ? value : `${this.#forwardedFor}, ${value}`;
        return;
      case CONTENT_TYPE:
        this.#typesDiffer ||= this.#contentType !== undefined && this.#contentType !== value;
        this.#contentType = value;
        this.#isGrpcType = isGrpc;
        this.#fields += line;
        return;
      case PAYMENT:
        this.#payment += line;
        return;
      case REQUEST_ID:
        this.#requestId = this.#requestId === "" ? value : `${this.#requestId}, ${value}`;
        return;
      default:
        this.malformed = `the field ${JSON.stringify(name)} is not allowed in this request`;
    }
  }

  /**
   * The request, after all its fields were added. `hasBody`: the message does not end with its head. Undefined: see
   * `malformed`.
   */
  finish(hasBody: boolean, limits: RequestLimits): ListedRequest | HeadError | undefined {
    const isExtended = this.#protocol !== "";
    if (isExtended && this.malformed === "") this.#checkExtended(limits);
    else if (this.malformed === "") this.#checkPseudo();
    this.#checkAuthority();
    const hasLength = this.#length !== -1;
    if (!hasBody && hasLength && this.#length !== 0) this.malformed = "content-length without a body";
    if (this.malformed !== "") return undefined;
    const path = this.#path === "*" ? "*" : normalisePath(this.#pathOnly());
    const error = this.#errorOf(path, limits.maxCount);
    if (error !== undefined || path === undefined) return error;
    const query = this.#path.indexOf("?");
    return {
      head: {
        method: isExtended ? "GET" : this.#method,
        scheme: limits.scheme,
        authority: this.#authority ?? this.#host ?? "",
        path,
        query: query === -1 ? "" : this.#path.slice(query),
        fields: this.#cookie === "" ? this.#fields : `${this.#fields}cookie: ${this.#cookie}\r\n`,
        payment: this.#payment,
        bodyLength: hasBody && !isExtended ? this.#length : 0,
        expectContinue: this.#expect !== "",
        via: this.#via,
        forwardedFor: this.#forwardedFor,
        isGrpc: this.isGrpc,
        upgrade: isExtended ? "websocket" : "",
      },
      requestId: this.#requestId,
    };
  }

  /**
   * The trailers, after all their fields were added; undefined if they are malformed (RFC 9113 §8.1). Fields that
   * belong in a head are left out.
   */
  finishTrailers(): Fields | undefined {
    const hasPseudo = this.#method !== "" || this.#scheme !== "" || this.#path !== "" || this.#authority !== undefined;
    return this.malformed === "" && !hasPseudo && this.#protocol === "" ? soundTrailers(this.#fields) : undefined;
  }

  /** The fields so far make it a gRPC call. */
  get isGrpc(): boolean {
    return this.#isGrpcType && this.#method === "POST";
  }

  /** `:method` and `:path`, if they have arrived. A rejected request is logged with them. */
  get method(): string {
    return this.#method;
  }

  get target(): string {
    return this.#path;
  }

  /** The request has an authority, valid or not. */
  get hasAuthority(): boolean {
    return (this.#authority ?? this.#host ?? "") !== "";
  }

  #checkPseudo(): void {
    if (this.#method === "") this.malformed = "no :method";
    else if (this.#method === "CONNECT") {
      // RFC 9113 §8.5: the target of CONNECT is only the authority.
      if (this.#scheme !== "" || this.#path !== "" || this.#authority === undefined) this.malformed = "bad CONNECT";
    } else if (this.#scheme === "" || this.#path === "") this.malformed = "no :scheme or no :path";
    else if (this.#path === "*" && this.#method !== "OPTIONS")
      this.malformed = "the :path * with a method other than OPTIONS";
  }

  /** RFC 8441 §4: a CONNECT with a target URI. It is valid if the server announced support. */
  #checkExtended({ extendedConnect }: RequestLimits): void {
    const hasTarget = this.#scheme !== "" && this.#path !== "" && this.#path !== "*";
    if (!extendedConnect || this.#method !== "CONNECT" || !hasTarget || this.#length > 0) {
      this.malformed = "bad extended CONNECT";
    }
  }

  #checkAuthority(): void {
    // Host names are not case-sensitive (RFC 9113 §8.3.1, RFC 3986 §6.2.2.1).
    if (this.#authority !== undefined && this.#hosts > 0 && !isSameName(this.#authority, this.#host ?? "")) {
      this.malformed = ":authority and host differ";
    }
  }

  #pathOnly(): string {
    const query = this.#path.indexOf("?");
    return query === -1 ? this.#path : this.#path.slice(0, query);
  }

  #errorOf(path: string | undefined, maxCount: number): HeadError | undefined {
    const requestId = this.#requestId;
    const headError = (code: HeadError["code"], detail: string): HeadError => ({ code, detail, requestId });
    if (this.#count > maxCount) return headError("head-too-large", "too many header fields");
    if (this.#hosts > 1) return headError("bad-request", "more than one host field");
    if (this.#typesDiffer) return headError("bad-request", "content-type fields that differ");
    const authority = this.#authority ?? this.#host;
    if (authority === undefined || !isAuthority(authority))
      return headError("bad-request", "no authority, or a malformed one");
    const unserved = this.#protocol === "" ? unservedMethod(this.#method) : this.#refuseProtocol();
    if (unserved !== "") return headError("not-implemented", unserved);
    if (path === undefined) return headError("bad-path", BAD_PATH);
    if (this.#expect !== "" && this.#expect.toLowerCase() !== "100-continue") {
      return headError("expectation-failed", "the only supported expectation is 100-continue");
    }
    return this.#protocol === "" ? undefined : this.#handshakeError();
  }

  #refuseProtocol(): string {
    return this.#protocol.toLowerCase() === "websocket" ? "" : "CONNECT is served only for websocket";
  }

  /** RFC 8441 §5: the handshake of RFC 6455 without its key, which each hop sets itself. */
  #handshakeError(): HeadError | undefined {
    this.#fields = withoutFields(this.#fields, ["sec-websocket-key", "sec-websocket-accept"]);
    const version = versionOf(this.#fields);
    if (version === "absent") this.#fields += "sec-websocket-version: 13\r\n";
    if (version !== "unknown") return undefined;
    return {
      code: "bad-request",
      detail: "this version of WebSocket is not supported",
      requestId: this.#requestId,
      fields: "Sec-WebSocket-Version: 13\r\n",
    };
  }
}

function isSameName(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}
