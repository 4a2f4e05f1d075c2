import { decode, isHtml } from "../encoding/decode.ts";
import { type EgressSession, egressError } from "../egress/guard.ts";
import { type FetchedResponse } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";
import { type CdpFields } from "./cdp.ts";

/** What is not loaded where the result is text. */
const PICTURES = ["Image", "Media", "Font"];

/** A transparent picture of one pixel, so that pages which wait for their pictures go on. */
const PIXEL = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const PIXEL_FIELDS = [
  { name: "Content-Type", value: "image/gif" },
  { name: "Access-Control-Allow-Origin", value: "*" },
];

type Send = (method: string, params: CdpFields) => Promise<CdpFields>;

/**
 * Answers requests of a tab in place of their servers, through the Fetch domain: the document that was fetched already,
 * with the redirects before it, and pictures where none are wanted. Thirty pictures of 90 kB cost 255 CPU-ms a page when
 * they are loaded, and 27 this way; the domain itself costs a page that has none nothing that can be measured. A page
 * with its pictures pays up to 40 CPU-ms for it, so there it is switched off as soon as the document was given.
 */
export class Interception {
  readonly #send: Send;
  readonly #frame: string;
  readonly #egress: EgressSession;
  readonly #pictures: boolean;
  readonly #chain: readonly FetchedResponse[];
  readonly #stop: (error: Error) => void;
  #given = 0;

  constructor(send: Send, frame: string, visit: Visit) {
    this.#send = send;
    this.#frame = frame;
    this.#egress = visit.egress;
    this.#pictures = visit.request.pictures === true;
    this.#chain = visit.fetched === undefined ? [] : [...visit.fetched.redirects, visit.fetched];
    this.#stop = (error) => visit.deadline.stop(error);
  }

  /** Begins to answer; awaited before the navigation. */
  async start(): Promise<void> {
    const patterns = [
      ...(this.#chain.length === 0 ? [] : [{ resourceType: "Document" }]),
      ...(this.#pictures ? [] : PICTURES.map((resourceType) => ({ resourceType }))),
    ];
    if (patterns.length > 0) await this.#send("Fetch.enable", { patterns });
  }

  onPaused(params: CdpFields): void {
    // The protocol gives a Request with this event.
    const url = String((params["request"] as CdpFields)["url"]);
    const isPicture = PICTURES.includes(String(params["resourceType"]));
    if (isPicture) this.#giveNothing(params);
    else if (!this.#giveFetched(url, params)) this.#ask("Fetch.continueRequest", params, {});
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
    if (this.#given === this.#chain.length && this.#pictures) this.#send("Fetch.disable", {}).catch(() => undefined);
    return true;
  }

  /** The document that was fetched already, where the tab shows it as its first one. */
  shown(url: string, documents: number): FetchedResponse | undefined {
    const last = this.#chain.at(-1);
    const given = this.#given > 0 && this.#given === this.#chain.length && documents === 1;
    return given && last !== undefined && isSame(url, last.url) ? last : undefined;
  }

  /** A request that is gone needs no response. */
  #ask(method: string, { requestId }: CdpFields, more: CdpFields): void {
    this.#send(method, { requestId, ...more }).catch(() => undefined);
  }
}

/** Says of UTF-8 that does not say so itself that it is, as the static engine takes it; browsers guess otherwise. */
function valueOf(name: string, value: string, { body }: FetchedResponse): string {
  if (name.toLowerCase() !== "content-type" || !isHtml(value) || /charset/i.test(value)) return value;
  return decode(body, value, "html").encoding === "utf-8" ? `${value}; charset=utf-8` : value;
}

/** Requests have no fragment. */
function isSame(url: string, fetched: string): boolean {
  return url.split("#", 1)[0] === fetched.split("#", 1)[0];
}
