import { PHONE_USER_AGENT, webUrl } from "../operations/page-parameters.ts";
import { ownRequest, userAgentOf } from "../operations/request-parameters.ts";
import { type PageAction } from "../page/action.ts";
import { type OwnRequest } from "../page/own-request.ts";
import { type PageRequest } from "../page/page.ts";
import { type PageOptions } from "./options.ts";

export type Options = Omit<PageOptions, "origin" | "integration">;

type Named<T> = Extract<Options["formats"][number], { readonly type: T }>;

/** The format with this name, if the options have one. */
export function formatOf<T extends "attributes" | "changeTracking" | "json" | "screenshot">(
  { formats }: Options,
  type: T,
): Named<T> | undefined {
  return formats.find((one): one is Named<T> => typeof one === "object" && one.type === type);
}

/** The request for a page. `userAgent` is for options that name none. */
export function requestOf(options: Options, url: string, { signal, userAgent }: Loading): PageRequest {
  const { timeout, waitFor, proxy, maxAge, storeInCache, mobile } = options;
  const isShared = maxAge !== undefined && maxAge > 0;
  const address = webUrl(url);
  const own = ownOf(options, address);
  const steps = stepsOf(options);
  return {
    url: address,
    engine: "auto",
    timeoutMs: timeout,
    waitMs: waitFor,
    waitUntil: "load",
    selector: undefined,
    userAgent: userAgentOf(options) ?? (mobile ? PHONE_USER_AGENT : userAgent),
    stealth: proxy === "stealth" || proxy === "enhanced",
    partial: false,
    ...(isShared ? { maxAgeMs: maxAge, isPrivate: !storeInCache } : {}),
    ...(own === undefined ? {} : { own }),
    ...(steps === undefined ? {} : { steps }),
    ...showsOf(options),
    signal,
  };
}

/** The window of a phone. */
const PHONE = { width: 390, height: 844, scale: 2, mobile: true };

/** The caller's own part of a request. A country is the name of a proxy of the operator. */
function ownOf({ headers, mobile, location }: Options, url: URL): OwnRequest | undefined {
  const language = location?.languages?.[0]?.replace("_", "-");
  const proxy = location?.country?.toLowerCase();
  return ownRequest({ headers, method: "GET", ...(mobile ? { viewport: PHONE } : {}), language, proxy }, url);
}

/** Milliseconds of a step, as for Firecrawl's own. */
const STEP_MS = 30_000;

function stepsOf({ actions }: Options): PageRequest["steps"] {
  if (actions.length === 0) return undefined;
  return { actions: actions.map(stepOf), pictureOfFailure: false };
}

function stepOf(action: Options["actions"][number]): PageAction {
  const timeoutMs = STEP_MS;
  switch (action.type) {
    case "wait": {
      const { selector, milliseconds: ms = 0 } = action;
      if (selector !== undefined) return { type: "wait", timeoutMs, selector, state: "visible" };
      return { type: "wait", timeoutMs: timeoutMs + ms, ms };
    }
    case "click":
      return { ...action, button: "left", clicks: 1, timeoutMs };
    case "scroll":
      return { type: "scroll", direction: action.direction, selector: action.selector, times: 1, timeoutMs };
    case "screenshot": {
      const { fullPage, quality } = action;
      const format = quality === undefined ? "png" : "jpeg";
      return { type: "screenshot", timeoutMs, picture: { format, quality: quality ?? 0, fullPage, ...WINDOW } };
    }
    case "executeJavascript":
      return { type: "evaluate", script: action.script, timeoutMs };
    case "press":
    case "scrape":
    case "write":
      return { ...action, timeoutMs };
    default:
      throw new Error(`Unknown step '${String(action satisfies never)}'`);
  }
}

const WINDOW = { width: 1280, height: 720 };

function showsOf(options: Options): Partial<PageRequest> {
  const wanted = formatOf(options, "screenshot");
  const brand = options.formats.includes("branding");
  if (wanted === undefined) return brand ? { pictures: true, shows: { brand } } : {};
  const { fullPage, quality, viewport } = wanted;
  const picture = {
    format: quality === undefined ? "png" : "jpeg",
    quality: quality ?? 0,
    fullPage,
    ...viewport,
  } as const;
  return { pictures: true, window: { ...viewport, fullPage }, shows: { picture, brand } };
}

/** A client that waits for a page. */
export interface Loading {
  readonly signal: AbortSignal;
  /** Default: that of the engine. */
  readonly userAgent?: string | undefined;
}
