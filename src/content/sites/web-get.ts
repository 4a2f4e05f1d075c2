import { basicAuthorization } from "../../lib/http/authorization.ts";
import { type EgressOptions, EgressSession } from "../egress/guard.ts";
import { openFor } from "../static/connect.ts";
import { Exchange, type StaticResponse } from "../static/exchange.ts";
import { TooLong } from "../static/load-errors.ts";
import { REDIRECTS } from "../static/redirect.ts";
import { type ResponseHead, valuesOf } from "../static/response-parser.ts";
import { portOf } from "../../lib/http/url-host.ts";

/** Maximum number of redirects that are followed. Search pages and sitemaps need no more. */
const MAX_REDIRECTS = 5;

export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST, as a form, or as JSON. Without it the method is GET. */
  readonly form?: URLSearchParams | undefined;
  readonly json?: string;
  /** Bytes of the body, both before and after its content coding is decoded. */
  readonly maxBytes: number;
  readonly egress: EgressOptions;
  /**
   * `same-origin` refuses redirects to another origin. `any-origin` follows them, without the `headers` that are meant
   * for the first origin only. `none` follows no redirect.
   */
  readonly redirects: "same-origin" | "any-origin" | "none";
  /** Whether to read the body of a response with this status and Content-Type. If not, the body is empty. */
  readonly wants?: (status: number, contentType: string) => boolean;
  readonly signal: AbortSignal;
}

/** The response of a web server, after redirects and with its content coding decoded. */
export interface WebResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  /** The values of the fields by name, which is in lower case. Values of one name are joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Why there is no response. */
export type WebFailure = "refused" | "unreachable" | "too-large" | "redirects" | "timeout";

/** The error of a request without a usable response. Its message contains no URL. */
export class WebError extends Error {
  readonly reason: WebFailure;

  constructor(reason: WebFailure) {
    super(`Cannot fetch: ${reason}`);
    this.name = "WebError";
    this.reason = reason;
  }
}

/** Fields that are sent to any origin. */
const FOR_ALL = new Set(["accept", "accept-language", "user-agent"]);

/**
 * Fetches one address through an egress guard of its own. It has features that search and crawler need and page visits
 * lack: the caller's own fields, forms, conditional requests and small size limits. Fails with a WebError.
 */
export async function webGet(request: WebRequest): Promise<WebResponse> {
  const session = new EgressSession(request.egress);
  try {
    return await untilAborted(follow(request, session), request.signal);
  } catch (error) {
    if (request.signal.aborted) throw new WebError("timeout");
    if (error instanceof TooLong) throw new WebError("too-large");
    throw error instanceof WebError ? error : new WebError("unreachable");
  } finally {
    session.close();
  }
}

async function follow(request: WebRequest, session: EgressSession): Promise<WebResponse> {
  let { url } = request;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const headers = url.origin === request.url.origin ? request.headers : forAll(request.headers);
    const { head, body } = await once({ ...request, url, headers }, hops === 0 ? bodyOf(request) : undefined, session);
    const next = REDIRECTS.has(head.statusCode) ? locationOf(head, url) : null;
    if (next === null || request.redirects === "none") {
      return { url: url.href, status: head.statusCode, headers: fieldsOf(head), body };
    }
    if (next.protocol !== "http:" && next.protocol !== "https:") throw new WebError("refused");
    if (next.origin !== request.url.origin && request.redirects === "same-origin") throw new WebError("redirects");
    // As in browsers. The response's address is passed on, and must not contain credentials.
    next.username = "";
    next.password = "";
    url = next;
  }
  throw new WebError("redirects");
}

/** The target of a redirect. Field values are bytes; URLs in them are UTF-8, as in browsers. */
function locationOf({ headers }: ResponseHead, from: URL): URL | null {
  const [location] = valuesOf(headers, "location");
  return location === undefined ? null : URL.parse(Buffer.from(location, "latin1").toString(), from.href);
}

function fieldsOf({ headers }: ResponseHead): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return fields;
}

function forAll(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => FOR_ALL.has(name.toLowerCase())));
}

async function once(request: WebRequest, body: PostBody | undefined, session: EgressSession): Promise<StaticResponse> {
  const { url, signal, maxBytes, wants } = request;
  const addresses = await session.addressesOf(url.hostname, portOf(url));
  if (typeof addresses === "string") throw new WebError(addresses === "refused" ? "refused" : "unreachable");
  if (signal.aborted) throw new WebError("timeout");
  const opening = openFor(url, addresses);
  const abort = () => opening.abort();
  signal.addEventListener("abort", abort, { once: true });
  const socket = await opening.socket.finally(() => signal.removeEventListener("abort", abort));
  const close = () => socket.destroy();
  signal.addEventListener("abort", close, { once: true });
  // Between the exchange's end and the close the socket has no other listener.
  socket.on("error", () => undefined);
  const wantsBody = ({ statusCode, headers }: ResponseHead): boolean =>
    wants?.(statusCode, valuesOf(headers, "content-type")[0] ?? "") ?? true;
  try {
    if (signal.aborted) throw new WebError("timeout");
    return await new Exchange(socket, { egress: session, wantsBody, reused: false, maxBytes }).run(
      requestText(url, request.headers, body),
    );
  } finally {
    signal.removeEventListener("abort", close);
    socket.destroy();
  }
}

/** Characters of a field value (RFC 9110 §5.5): visible ones, spaces, tabs and those above ASCII, one byte each. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

interface PostBody {
  readonly type: string;
  /** One byte a character. */
  readonly text: string;
}

function bodyOf({ form, json }: WebRequest): PostBody | undefined {
  if (json !== undefined) return { type: "application/json", text: Buffer.from(json).toString("latin1") };
  return form === undefined ? undefined : { type: "application/x-www-form-urlencoded", text: form.toString() };
}

/** A request with its body, one byte a character. Throws if a field cannot be sent. */
function requestText(url: URL, headers: Readonly<Record<string, string>>, body: PostBody | undefined): string {
  const authorization = basicAuthorization(url);
  const fields = Object.entries({
    host: url.host,
    connection: "close",
    ...(authorization === undefined ? {} : { authorization }),
    ...headers,
    "accept-encoding": "gzip, br",
    ...(body === undefined ? {} : { "content-type": body.type, "content-length": String(body.text.length) }),
  });
  for (const [name, value] of fields) {
    if (!FIELD_VALUE.test(value)) throw new Error(`Cannot send the field ${name}: its value has a forbidden character`);
  }
  const lines = fields.map(([name, value]) => `${name}: ${value}`);
  const method = body === undefined ? "GET" : "POST";
  return [`${method} ${url.pathname}${url.search} HTTP/1.1`, ...lines, "", body?.text ?? ""].join("\r\n");
}

/** The result of a promise. Fails with a WebError as soon as `signal` aborts. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new WebError("timeout"));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
