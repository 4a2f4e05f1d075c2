import { type OwnProxy } from "../egress/own-proxy.ts";

export const PAGE_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export type PageMethod = (typeof PAGE_METHODS)[number];

/** A cookie that a caller sends. It belongs to the host of the request, or to `domain` and the hosts below it. */
export interface OwnCookie {
  readonly name: string;
  readonly value: string;
  /** Undefined: only the host of the request. */
  readonly domain: string | undefined;
  readonly path: string;
  readonly secure: boolean;
}

/** The screen that a page sees. */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  /** Device pixels for each pixel of the page. */
  readonly scale: number;
  /** True: a screen that is touched, of a phone. */
  readonly mobile: boolean;
}

/**
 * The parts of a request for a page that only its caller may have. Nothing that is loaded with them is kept for others,
 * learned, or indexed. They are secret: no log, error or metric repeats them.
 */
export interface OwnRequest {
  /** Header fields for the origin of the request, such as Authorization. No other origin gets them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly OwnCookie[];
  readonly method: PageMethod;
  readonly body: string | undefined;
  /** A language tag, for Accept-Language and scripts. Undefined: American English. */
  readonly language: string | undefined;
  /** A time zone of the IANA database, for scripts. */
  readonly timeZone: string | undefined;
  /** The place that scripts get, in degrees and metres. */
  readonly position: { readonly latitude: number; readonly longitude: number; readonly accuracy: number } | undefined;
  readonly viewport: Viewport | undefined;
  /** A proxy of the caller, or the name of one of the operator's. */
  readonly proxy: OwnProxy | string | undefined;
}

/** The order of languages in a browser that is set to one: `de-AT` gives `de-AT,de`. */
export function languagesOf(language: string): string {
  const [main = language] = language.split("-", 1);
  return main === language ? language : `${language},${main}`;
}
