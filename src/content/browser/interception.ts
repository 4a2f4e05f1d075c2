import { decode, isHtml } from "../encoding/decode.ts";
import { type EgressSession, egressError } from "../egress/guard.ts";
import { type OwnHop, firstHop } from "../page/own-hop.ts";
import { type FetchedResponse } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";
import { type CdpFields } from "./program/cdp.ts";

/** Resource types that are not loaded if the result is text. */
const PICTURES = ["Image", "Media", "Font"];

/** A transparent picture of one pixel, so that pages which wait for their pictures continue. */
const PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const PIXEL_FIELDS = [
  { name: "Content-Type", value: "image/gif" },
  { name: "Access-Control-Allow-Origin", value: "*" },
];

type Send = (method: string, params: CdpFields) => Promise<CdpFields>;

/**
 * Fulfils requests of a tab in place of their servers, through the Fetch domain. It supplies the document that was
 * already fetched, with its redirects, and placeholder pictures if none are wanted. Thirty pictures of 90 kB cost 255
 * ms of CPU time a page when they are loaded, and 27 ms with placeholders. On a page without pictures, the domain has
 * no measurable cost. If pictures are loaded, it costs up to 40 ms of CPU time, so it is disabled after the document
 * was supplied.
 */
export class Interception {
  readonly #send: Send;
  readonly #frame: string;
  readonly #egress: EgressSession;
  readonly #pictures: boolean;
  readonly #chain: readonly FetchedResponse[];
  readonly #stop: (error: Error) => void;
  readonly #origin: string;
  /** The caller's part of requests to the page's origin. */
  readonly #own: OwnHop | undefined;
  /** True until the first request for the page. Only this request has the caller's method and body. */
  #isFirst = true;
  /** The tab has requested a page of another origin. */
  #hasLeft = false;
  #given = 0;

  constructor(send: Send, frame: string, visit: Visit) {
    this.#send = send;
    this.#frame = frame;
    this.#egress = visit.egress;
    this.#pictures = visit.request.pictures === true;
    this.#chain = visit.fetched === undefined ? [] : [...visit.fetched.redirects, visit.fetched];
    const { own, url } = visit.request;
    this.#origin = url.origin;
    this.#own = own && firstHop(own);
    this.#hasLeft = this.#chain.some((response) => URL.parse(response.url)?.origin !== url.origin);
    this.#stop = (error) => visit.deadline.stop(error);
  }

  /** Starts the interception. Awaited before the navigation. */
  async start(): Promise<void> {
    const patterns = [
      ...(this.#chain.length === 0 ? [] : [{ resourceType: "Document" }]),
      ...(this.#pictures ? [] : PICTURES.map((resourceType) => ({ resourceType }))),
      ...(this.#hasOwn ? [{ urlPattern: `${this.#origin}/*` }, { resourceType: "Document" }] : []),
    ];
    if (patterns.length > 0) await this.#send("Fetch.enable", { patterns });
  }

  /** True if requests get something from the caller. Cookies are in the browser's own store. */
  get #hasOwn(): boolean {
    return this.#own !== undefined && (this.#own.headers.length > 0 || this.#own.method !== "GET");
  }

  onPaused(params: CdpFields): void {
    // The protocol gives a Request with this event.
    const url = String((params["request"] as CdpFields)["url"]);
    const isPicture = PICTURES.includes(String(params["resourceType"]));
    if (isPicture && !this.#pictures) this.#giveNothing(params);
    else if (!this.#giveFetched(url, params)) this.#ask("Fetch.continueRequest", params, this.#ownPart(url, params));
  }

  /**
   * The caller's part of a request for the page, or of a request by it. Each redirect is a further request, and overrides do
   * not extend to it. After the tab has left the origin, nothing gets it again: another page may send requests there.
   */
  #ownPart(url: string, params: CdpFields): CdpFields {
    const own = this.#own;
    if (own === undefined || !this.#hasOwn || params["frameId"] !== this.#frame) return {};
    const isDocument = params["resourceType"] === "Document";
    const isElsewhere = URL.parse(url)?.origin !== this.#origin;
    if (isDocument && isElsewhere) this.#hasLeft = true;
    if (this.#hasLeft || isElsewhere) return {};
    const isPage = this.#isFirst && isDocument;
    if (isPage) this.#isFirst = false;
    // The protocol gives an object with the fields by name.
    const { headers, method } = params["request"] as {
      readonly headers: Readonly<Record<string, string>>;
      readonly method: string;
    };
    const hasBody = isPage || (isDocument && params["redirectedRequestId"] !== undefined && method !== "GET");
    const fields = hasBody ? own.headers : own.headers.filter(([name]) => !/^content-/i.test(name));
    const names = new Set(fields.map(([name]) => name.toLowerCase()));
    const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
    return {
      headers: [...kept, ...fields].map(([name, value]) => ({ name, value })),
      ...(isPage && own.method !== "GET" ? { method: own.method } : {}),
      ...(isPage && own.body !== undefined ? { postData: Buffer.from(own.body).toString("base64") } : {}),
    };
  }

  #giveNothing(params: CdpFields): void {
    if (!this.#egress.request()) this.#stop(egressError("too-much"));
    else if (params["resourceType"] !== "Image")
      this.#ask("Fetch.failRequest", params, { errorReason: "BlockedByClient" });
    else this.#ask("Fetch.fulfillRequest", params, { responseCode: 200, responseHeaders: PIXEL_FIELDS, body: PIXEL });
  }

  #giveFetched(url: string, params: CdpFields): boolean {
    const response = this.#chain[this.#given];
    if (response === undefined || params["frameId"] !== this.#frame || !isSame(url, response.url)) return false;
    this.#given += 1;
    this.#ask("Fetch.fulfillRequest", params, {
      responseCode: response.statusCode,
      responseHeaders: response.headers.map(([name, value]) => ({ name, value: valueOf(name, value, response) })),
      body: Buffer.from(response.body).toString("base64"),
    });
    this.#isFirst = false;
    const isDone = this.#given === this.#chain.length && this.#pictures && !this.#hasOwn;
    if (isDone) this.#send("Fetch.disable", {}).catch(() => undefined);
    return true;
  }

  /** The fetched document, if the tab shows it as its first document. */
  shown(url: string, documents: number): FetchedResponse | undefined {
    const last = this.#chain.at(-1);
    const given = this.#given > 0 && this.#given === this.#chain.length && documents === 1;
    return given && last !== undefined && isSame(url, last.url) ? last : undefined;
  }

  /** A request that has been cancelled needs no response. */
  #ask(method: string, { requestId }: CdpFields, more: CdpFields): void {
    this.#send(method, { requestId, ...more }).catch(() => undefined);
  }
}

/**
 * Adds the charset to a UTF-8 document that does not declare it, as the static engine decodes it. Browsers would guess
 * another encoding.
 */
function valueOf(name: string, value: string, { body }: FetchedResponse): string {
  if (name.toLowerCase() !== "content-type" || !isHtml(value) || /charset/i.test(value)) return value;
  return decode(body, value, "html").encoding === "utf-8" ? `${value}; charset=utf-8` : value;
}

/** The URLs of requests have no fragment. */
function isSame(url: string, fetched: string): boolean {
  return url.split("#", 1)[0] === fetched.split("#", 1)[0];
}
