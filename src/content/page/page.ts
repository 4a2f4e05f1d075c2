import { type Picture, type PictureRequest, type PrintRequest } from "./capture.ts";

/** What loads a page: one HTTP fetch and no browser, or a tab of a browser. */
export type EngineName = "static" | "browser";

/** What a caller asks for; `auto` takes `static` where the page and the request need no browser. */
export type EngineChoice = "auto" | EngineName;

/** The page event that a visit waits for. */
export type WaitUntil = "load" | "domcontentloaded" | "networkidle0";

/** What a caller wants of a page, with every default filled in. */
export interface PageRequest {
  readonly url: URL;
  readonly engine: EngineChoice;
  readonly timeoutMs: number;
  /** Waited after the page event, beyond the time-out. */
  readonly waitMs: number;
  readonly waitUntil: WaitUntil;
  readonly selector: string | undefined;
  readonly userAgent: string | undefined;
  readonly stealth: boolean;
  /** Whether what is there at the time-out is wanted in place of an error. */
  readonly partial: boolean;
  /** Whether images, media and fonts are loaded: for what shows the page and not only its text. Not,by default. */
  readonly pictures?: boolean;
  /** The window's size in pixels; the browser's own by default. */
  readonly window?: { readonly width: number; readonly height: number };
  /** Whether a page with this status is content;by default, only statuses below 400 are. */
  readonly accepts?: (status: number) => boolean;
  /** Bytes of a document that is fetched without a browser; as many as the engine takes by default. */
  readonly maxBytes?: number;
  /** Milliseconds that the page may wait for its turn; MAX_TURN_MS of deadline.ts by default. */
  readonly turnMs?: number;
  /** Aborted when the client has gone away. */
  readonly signal: AbortSignal | undefined;
}

/** One response as its server sent it, but for its content coding, which is undone. */
export interface FetchedResponse {
  /** The address that was asked for. */
  readonly url: string;
  readonly statusCode: number;
  /** In the order and spelling they came in; without Content-Encoding and Content-Length. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A document and the redirects that led to it. */
export interface FetchedDocument extends FetchedResponse {
  /** The redirects in front of it, in order. */
  readonly redirects: readonly FetchedResponse[];
  /** False where the time-out came before the end of the body, and the caller takes a part of it. */
  readonly complete: boolean;
}

/** A document of either engine, before anything is made of it. */
export interface PageSource {
  readonly engine: EngineName;
  /** The document as the browser has it after its scripts ran, or the bytes as they came. */
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The Content-Type field; empty where there was none. */
  readonly contentType: string;
  readonly finalUrl: string;
  /** The status of the document's response; undefined where the browser does not tell. */
  readonly statusCode: number | undefined;
  /** Of the document's response; empty where the browser does not tell. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** False where the time-out came first, and the caller takes what was there. */
  readonly complete: boolean;
}

/**
 * The attribute that a snapshot puts on the elements which the selectors of its `mark` match: the places, from 0 on, of
 * those selectors among `Object.keys(mark)`, with spaces between. No other element of the document has it.
 */
export const MARK = "data-turnpike-match";

/** A page that has loaded in a browser and may be asked, for as long as its visit lasts. */
export interface OpenPage {
  /**
   * The page as it stands, closed shadow trees included, and with `withFrames` what the frames of its own site show. In its HTML,
   * what matches a selector of `mark` has the selector's place in the attribute MARK.
   */
  snapshot(mark?: Readonly<Record<string, string>>, withFrames?: boolean): Promise<PageSource>;
  /** Evaluates a script expression in the page; text as it is, everything else as JSON. */
  evaluate(expression: string): Promise<string>;
  /** Takes a picture of the page; its size is the window's. */
  picture(request: PictureRequest): Promise<Picture>;
  /** Prints the page as a PDF document. */
  print(request: PrintRequest): Promise<Uint8Array<ArrayBuffer>>;
}
