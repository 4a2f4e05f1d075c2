import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { codeOf } from "../../lib/caught.ts";
import { type EgressOptions, EgressSession, portOf } from "../egress/guard.ts";
import { REDIRECTS } from "../static/redirect.ts";

/** Redirects that are followed. Search pages and sitemaps need no more. */
const MAX_REDIRECTS = 5;

/** Addresses of a host that are tried. */
const MAX_ADDRESSES = 4;
const NOT_CONNECTED = /^(?:ECONNREFUSED|ConnectionRefused|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/;

export interface WebRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent by POST, as a form. Without it the method is GET. */
  readonly form?: URLSearchParams;
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

export interface WebResponse {
  /** After redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Why there is no response. */
export type WebFailure = "refused" | "unreachable" | "too-large" | "redirects" | "timeout";

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
    return await follow(request, session);
  } catch (error) {
    if (request.signal.aborted) throw new WebError("timeout");
    throw error instanceof WebError ? error : new WebError("unreachable");
  } finally {
    session.close();
  }
}

async function follow(request: WebRequest, session: EgressSession): Promise<WebResponse> {
  let { url } = request;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const headers = url.origin === request.url.origin ? request.headers : forAll(request.headers);
    const response = await once({ ...request, url, headers }, hops === 0 ? request.form : undefined, session);
    const location = response.headers.location;
    const next = REDIRECTS.has(response.status) && location !== undefined ? URL.parse(location, url.href) : null;
    if (next === null || request.redirects === "none") return response;
    if (next.protocol !== "http:" && next.protocol !== "https:") throw new WebError("refused");
    if (next.origin !== request.url.origin && request.redirects === "same-origin") throw new WebError("redirects");
    // As in browsers. The response's address is passed on, and must not contain credentials.
    next.username = "";
    next.password = "";
    url = next;
  }
  throw new WebError("redirects");
}

function forAll(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => FOR_ALL.has(name.toLowerCase())));
}

async function once(
  request: WebRequest,
  form: URLSearchParams | undefined,
  session: EgressSession,
): Promise<WebResponse> {
  const { url, signal } = request;
  const addresses = await untilAborted(session.addressesOf(url.hostname, portOf(url)), signal);
  if (typeof addresses === "string") throw new WebError(addresses === "refused" ? "refused" : "unreachable");
  const incoming = await firstOf(addresses, (address) => send(request, form, address));
  try {
    const { headers, statusCode: status = 0 } = incoming;
    const wanted = request.wants?.(status, headers["content-type"] ?? "") ?? true;
    const body = wanted ? await readBody(incoming, request.maxBytes) : new Uint8Array(0);
    return { url: url.href, status, headers, body };
  } finally {
    incoming.destroy();
  }
}

/** Tries the next address if the connection to one is refused. No request has been sent in that case. */
async function firstOf(
  addresses: readonly string[],
  ask: (address: string) => Promise<IncomingMessage>,
): Promise<IncomingMessage> {
  const [address = "", ...others] = addresses.slice(0, MAX_ADDRESSES);
  try {
    return await ask(address);
  } catch (error) {
    if (others.length === 0 || !NOT_CONNECTED.test(codeOf(error) ?? "")) throw error;
    return await firstOf(others, ask);
  }
}

async function send(request: WebRequest, form: URLSearchParams | undefined, address: string): Promise<IncomingMessage> {
  const { url, signal } = request;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const body = form?.toString();
  const outgoing = (url.protocol === "https:" ? httpsRequest : httpRequest)(url, {
    agent: false,
    signal,
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...request.headers,
      "accept-encoding": "gzip, br",
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
    },
    lookup: (_host, _options, done) => done(null, [{ address, family: isIP(address) }]),
  });
  outgoing.on("response", resolve);
  outgoing.on("error", reject);
  outgoing.end(body);
  return await untilAborted(promise, signal);
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  let received = 0;
  incoming.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) incoming.destroy(new WebError("too-large"));
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of decoded(incoming)) {
    // The stream has no encoding, so its chunks are buffers.
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > maxBytes) throw new WebError("too-large");
    chunks.push(bytes);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function decoded(incoming: IncomingMessage): Readable {
  const coding = (incoming.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "") return incoming;
  const undo = coding === "br" ? createBrotliDecompress() : /^(?:x-)?gzip$/.test(coding) ? createGunzip() : undefined;
  if (undo === undefined) throw new WebError("unreachable");
  incoming.on("error", (error) => undo.destroy(error));
  return incoming.pipe(undo);
}

async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
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
