import { RedirectError } from "../page/page-errors.ts";
import { type Socket } from "node:net";
import { type SecureContext } from "node:tls";
import { egressError } from "../egress/guard.ts";
import { type FetchedDocument, type FetchedResponse } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";
import { type ClientIdentity, clientIdentityOf } from "./client-identity.ts";
import { openFor, type Opening } from "./connect.ts";
import { CookieJar } from "./cookies.ts";
import { type StaticResponse, Exchange, StaleConnection } from "./exchange.ts";
import { redirectOf } from "./redirect.ts";
import { requestHead } from "./request-head.ts";
import { type ResponseHead, valuesOf } from "./response-parser.ts";
import { firstHop, nextHop, type OwnHop } from "../page/own-hop.ts";
import { portOf } from "../../lib/http/url-host.ts";

/** Maximum number of redirects before a document, as in browsers. */
const MAX_REDIRECTS = 20;
/** Milliseconds after the timeout to read what has come by then, if the caller accepts a partial page. @bound */
const PARTIAL_READ_MS = 1_000;

const USUAL = clientIdentityOf();
const NO_LINES: readonly string[] = [];

/** The client identity, the trusted authorities and the wanted media types of a fetch. */
export interface FetchOptions {
  /** The client identity if the caller names no user agent. */
  readonly identity?: ClientIdentity;
  /** The trusted authorities. Default: those of the system. */
  readonly trust?: SecureContext;
  /**
   * Whether a document of this Content-Type can be processed. If not, its body is not loaded. With the first bytes of
   * its body: undefined if they are too few to tell.
   */
  readonly isReadable?: (contentType: string, start?: Uint8Array) => boolean | undefined;
}

/**
 * Fetches the document of a visit through its egress guard, without a browser. It follows redirects and undoes content
 * codings. Fails with `page-failed`, `address-refused` or `page-timeout`.
 */
export async function fetchDocument(visit: Visit, options: FetchOptions = {}): Promise<FetchedDocument> {
  const { deadline, request } = visit;
  const fetching = new Fetching(visit, options);
  const document = fetching.run();
  try {
    return await deadline.race(document);
  } catch (error) {
    if (!request.partial || !fetching.hasPart || !deadline.grace(PARTIAL_READ_MS)) throw error;
    fetching.cut();
    return await deadline.race(document);
  } finally {
    fetching.close();
  }
}

/** A connection that is ready for another request of the same visit to the same origin. */
interface KeptDocument {
  readonly origin: string;
  readonly socket: Socket;
}

class Fetching {
  readonly #visit: Visit;
  readonly #options: FetchOptions;
  readonly #cookies: CookieJar;
  readonly #identity: ClientIdentity;
  readonly #now = Date.now;
  #opening: Opening | undefined;
  #socket: Socket | undefined;
  #kept: KeptDocument | undefined;
  #exchange: Exchange | undefined;
  #closed = false;
  /** The caller's part of the next request. */
  #own: OwnHop | undefined;

  constructor(visit: Visit, options: FetchOptions) {
    this.#visit = visit;
    const { own, url } = visit.request;
    this.#own = own && firstHop(own);
    this.#options = options;
    this.#cookies = new CookieJar(visit.request.session?.cookies);
    this.#cookies.add(own?.cookies ?? [], url.hostname);
    const { userAgent = "" } = visit.request;
    this.#identity = userAgent === "" ? (options.identity ?? USUAL) : { userAgent, hints: [] };
  }

  /** True if a part of an HTML document has come. */
  get hasPart(): boolean {
    const head = this.#exchange?.partOf;
    return head !== undefined && /html/i.test(valuesOf(head.headers, "content-type")[0] ?? "html");
  }

  /** Ends the fetch with the received part of the document. */
  cut(): void {
    this.#exchange?.cut();
  }

  close(): void {
    this.#closed = true;
    this.#opening?.abort();
    this.#socket?.destroy();
    this.#kept?.socket.destroy();
  }

  async run(): Promise<FetchedDocument> {
    const redirects: FetchedResponse[] = [];
    const seen = new Set<string>();
    let url: URL = this.#visit.request.url;
    for (;;) {
      // After a cookie was set, a second request to the same URL can have another response.
      const visited = `${this.#own?.method ?? "GET"} ${url.href} ${this.#cookies.header(url, this.#now())}`;
      if (seen.has(visited)) throw new RedirectError("redirects without end");
      seen.add(visited);
      const { fetched, target } = await this.#hop(url);
      const response = responseOf(url, fetched);
      if (target === undefined) return { ...response, redirects, complete: fetched.complete };
      redirects.push(response);
      this.#own &&= nextHop(this.#own, { status: response.statusCode, from: url, to: target });
      if (redirects.length > MAX_REDIRECTS) throw new RedirectError(`redirects more than ${MAX_REDIRECTS} times`);
      url = target;
    }
  }

  async #hop(url: URL): Promise<{ fetched: StaticResponse; target: URL | undefined }> {
    let target: URL | undefined;
    const wantsBody = (head: ResponseHead): boolean => {
      this.#cookies.store(url, valuesOf(head.headers, "set-cookie"), this.#now());
      const { session } = this.#visit.request;
      if (session !== undefined) session.cookies = this.#cookies.all(this.#now());
      target = redirectOf(head, url);
      return target === undefined && (this.#options.isReadable?.(contentTypeOf(head)) ?? true);
    };
    if (!this.#visit.egress.request()) throw egressError("too-much");
    const fetched = await this.#ask(url, wantsBody);
    return { fetched, target };
  }

  async #ask(url: URL, wantsBody: (head: ResponseHead) => boolean): Promise<StaticResponse> {
    // A server may act twice on such a request, if it closes a kept connection after it has received it.
    const isSafe = this.#own === undefined || this.#own.method === "GET";
    const kept = isSafe ? this.#takeKept(url) : undefined;
    try {
      return await this.#exchangeOn(kept ?? (await this.#connect(url)), kept !== undefined, url, wantsBody);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await this.#exchangeOn(await this.#connect(url), false, url, wantsBody);
    }
  }

  async #exchangeOn(
    socket: Socket,
    reused: boolean,
    url: URL,
    wantsBody: (head: ResponseHead) => boolean,
  ): Promise<StaticResponse> {
    this.#socket = socket;
    const { egress, request } = this.#visit;
    const { isReadable = () => true } = this.#options;
    const wantsRest = (of: ResponseHead, start: Uint8Array) => isReadable(contentTypeOf(of), start);
    const exchange = new Exchange(socket, { egress, wantsBody, wantsRest, reused, maxBytes: request.maxBytes });
    this.#exchange = exchange;
    try {
      const lines = (url.href === request.url.href && this.#visit.conditions) || NO_LINES;
      const own = this.#own;
      const head = requestHead(url, this.#identity, { cookie: this.#cookies.header(url, this.#now()), lines, own });
      const fetched = await exchange.run(head, own?.body);
      if (fetched.reusable && !this.#closed) this.#kept = { origin: url.origin, socket };
      else socket.destroy();
      return fetched;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      this.#exchange = undefined;
      this.#socket = undefined;
    }
  }

  /** Takes the kept connection if it matches the next request. A connection to another origin is closed. */
  #takeKept(url: URL): Socket | undefined {
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept?.origin === url.origin && !kept.socket.destroyed && kept.socket.readable) return kept.socket;
    kept?.socket.destroy();
    return undefined;
  }

  async #connect(url: URL): Promise<Socket> {
    const { egress } = this.#visit;
    const addresses = await egress.addressesOf(url.hostname, portOf(url));
    const route = await egress.route();
    if (typeof addresses === "string") throw egressError(addresses);
    if (typeof route === "string") throw egressError(route);
    if (this.#closed) throw egressError("unreachable");
    this.#opening = openFor(url, addresses, { trust: this.#options.trust, route });
    const socket = await this.#opening.socket;
    this.#opening = undefined;
    // Between two requests the socket has no other listener, and an unhandled error would end the process.
    socket.on("error", () => undefined);
    if (this.#closed) socket.destroy();
    return socket;
  }
}

function contentTypeOf({ headers }: ResponseHead): string {
  return valuesOf(headers, "content-type")[0] ?? "";
}

/** Fields that describe the body in its transferred form. */
const UNDONE = new Set(["content-encoding", "content-length", "transfer-encoding"]);

function responseOf(url: URL, { head, body }: StaticResponse): FetchedResponse {
  const headers = head.headers.filter(([name]) => !UNDONE.has(name.toLowerCase()));
  return { url: url.href, statusCode: head.statusCode, headers, body };
}
