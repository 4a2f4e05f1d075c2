import { type PageAction } from "./action.ts";
import { type AiTerms } from "./ai-terms.ts";
import { type Brand } from "./brand.ts";
import { type BrowsingState } from "./browsing-state.ts";
import { type Picture, type PictureRequest, type PrintRequest } from "./capture.ts";
import { type OwnRequest } from "./own-request.ts";

/** The engine that loads a page: one HTTP fetch without a browser, or a tab of a browser. */
export type EngineName = "static" | "browser";

/** The engine that a caller requests. `auto` uses `static` if the page and the request need no browser. */
export type EngineChoice = "auto" | EngineName;

/** The page event that a visit waits for. */
export type WaitUntil = "load" | "domcontentloaded" | "networkidle0";

/** A caller's request for a page, with all defaults filled in. */
export interface PageRequest {
  readonly url: URL;
  readonly engine: EngineChoice;
  readonly timeoutMs: number;
  /** Milliseconds to wait after the page event, in addition to the timeout. */
  readonly waitMs: number;
  readonly waitUntil: WaitUntil;
  readonly selector: string | undefined;
  readonly userAgent: string | undefined;
  readonly stealth: boolean;
  /** True: at the timeout, the caller gets the content that has loaded instead of an error. */
  readonly partial: boolean;
  /**
   * True: images, media and fonts are loaded, for operations that show the page and not only its text. Default: false.
   */
  readonly pictures?: boolean;
  /** Further forms of the page that a browser makes when it was read. A picture needs a window of its size. */
  readonly shows?: PageShows;
  /** The window's size in pixels, and whether the whole page is captured. Default: the browser's own size. */
  readonly window?: { readonly width: number; readonly height: number; readonly fullPage: boolean };
  /** True if a page with this status is content. By default, only statuses below 400 are. */
  readonly accepts?: (status: number) => boolean;
  /** Bytes of a document that is fetched without a browser. Default: the engine's limit. */
  readonly maxBytes?: number;
  /** Milliseconds for which a page that was loaded for any caller is served to this one. Undefined: it is loaded. */
  readonly maxAgeMs?: number | undefined;
  /** True if the page is not kept for other callers. */
  readonly isPrivate?: boolean;
  /** True if the site's files with its terms for use by AI are read. */
  readonly asksTerms?: boolean;
  /** The session that the page belongs to. Nothing of its page is shown to others, and nothing is learned from it. */
  readonly session?: BrowsingState;
  /** Steps in the page before it is read. They need a browser. */
  readonly steps?: { readonly actions: readonly PageAction[]; readonly pictureOfFailure: boolean } | undefined;
  /** The parts that only this caller may have. Undefined: the page is requested as any caller would. */
  readonly own?: OwnRequest | undefined;
  /** Milliseconds that the page may wait for its turn. Default: MAX_TURN_MS of deadline.ts. */
  readonly turnMs?: number;
  /** Aborted if the client goes away. */
  readonly signal: AbortSignal | undefined;
}

/** Forms of a page that only a browser makes. */
export interface PageShows {
  readonly picture?: PictureRequest | undefined;
  readonly print?: PrintRequest | undefined;
  readonly brand?: boolean;
}

/** The forms that a request has asked for. */
export interface Shown {
  readonly picture?: Picture;
  readonly pdf?: Uint8Array<ArrayBuffer>;
  readonly brand?: Brand;
}

/** One response as its server sent it, after its content coding was undone. */
export interface FetchedResponse {
  readonly url: string;
  readonly statusCode: number;
  /** In the received order and spelling, without Content-Encoding and Content-Length. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A document and the redirects that led to it. */
export interface FetchedDocument extends FetchedResponse {
  /** The redirects before the document, in order. */
  readonly redirects: readonly FetchedResponse[];
  /** False if the timeout came before the end of the body, and the caller accepts a partial page. */
  readonly complete: boolean;
}

export interface StyleSheet {
  /** The address that the page has for it, and the one after redirects. */
  readonly url: string;
  readonly base: string;
  readonly css: string;
}

/** The facts by which the visible text of a page is known: measures of a browser, or the style sheets that were loaded. */
export interface Sight {
  /**
   * The attribute that a snapshot has put on elements. It is empty on those that a reader does not see; otherwise it has
   * declarations that may hide them.
   */
  readonly mark?: string;
  readonly sheets?: readonly StyleSheet[];
}

/** The HTML without the attribute that a snapshot has put on elements. */
export function withoutMark(html: string, { mark }: Sight = {}): string {
  return mark === undefined ? html : html.replaceAll(new RegExp(` ${mark}="[^"]*"`, "g"), "");
}

/** The document for others, which read no fields. */
export function withoutSight({ sight, ...source }: PageSource): PageSource {
  const { body } = source;
  return typeof body === "string" ? { ...source, body: withoutMark(body, sight) } : source;
}

/** A document from either engine, before extraction. */
export interface PageSource {
  readonly engine: EngineName;
  /** The document as it stands in the browser after its scripts ran, or the received bytes. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The Content-Type field; empty if the response had none. */
  readonly contentType: string;
  readonly finalUrl: string;
  /** The status of the document's response; undefined if the browser does not report it. */
  readonly statusCode: number | undefined;
  /** The header fields of the document's response; empty if the browser does not report them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** False if the timeout came first, and the caller accepts a partial page. */
  readonly complete: boolean;
  /** For fields of a schema. */
  readonly sight?: Sight;
  /** Present if its text was recognised in pictures: their number, and the mean confidence of the words. */
  readonly scan?: { readonly pages: number; readonly confidence: number };
  /** The terms for its use by AI. Absent if none are known. */
  readonly terms?: AiTerms;
  /** Milliseconds since its server sent or confirmed it, if it was loaded for an earlier request. */
  readonly ageMs?: number;
}

/** The page after a step, and what the step has made. */
export interface ActionResult {
  readonly type: PageAction["type"];
  readonly url: string;
  readonly title: string;
  /** The result of a script, as text or JSON. */
  readonly value?: string;
  /** Pixels of the page after a scroll. */
  readonly height?: number;
  readonly picture?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly contentType: string };
  readonly source?: PageSource;
  /** The page's dialogs, which were dismissed, and the addresses of windows that were not opened. */
  readonly dialogs?: readonly { readonly type: string; readonly message: string }[];
  readonly windows?: readonly string[];
}

/**
 * The attribute that a snapshot puts on elements that match the selectors of its `mark`. Its value lists the positions
 * of these selectors among `Object.keys(mark)`, from 0 on, with spaces between. No other element of the document has
 * it.
 */
export const MARK = "data-turnpike-match";

/** The parts of a snapshot that not every caller needs. */
export interface SnapshotOptions {
  /** Selectors by name. Elements that match one have its position in the attribute MARK. */
  readonly mark?: Readonly<Record<string, string>> | undefined;
  /** True: the content of the frames of its own site is part of it. */
  readonly withFrames?: boolean;
  /** True: it has a `sight`. Frames are not seen in it. */
  readonly measures?: boolean;
}

/** A page that has loaded in a browser, usable as long as its visit lasts. */
export interface OpenPage {
  readonly acted: readonly ActionResult[];
  /** The page as it stands, with closed shadow trees. */
  snapshot(options?: SnapshotOptions): Promise<PageSource>;
  /**
   * The page without its body, if it is an HTML document for which a script expression of the service is true. Otherwise
   * undefined.
   */
  glimpse(condition: string): Promise<PageSource | undefined>;
  /** Evaluates a script expression in the page. The result is the text itself, or JSON for any other value. */
  evaluate(expression: string): Promise<string>;
  /** Takes a picture of the page. The window has the picture's size. */
  picture(request: PictureRequest): Promise<Picture>;
  print(request: PrintRequest): Promise<Uint8Array<ArrayBuffer>>;
  /** The colours, fonts and logo that the page shows. */
  brand(): Promise<Brand>;
}
