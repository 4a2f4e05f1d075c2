import { type Deadline } from "../../page/deadline.ts";
import { type CdpFields } from "../program/cdp.ts";
import { EXTEND } from "./extend.ts";
import { MOVEMENTS, REST, SETTLE, STEP_MS } from "./rest.ts";

export interface CaptureHost {
  /** Calls a method on the tab. Fails with the deadline if no response comes before it. */
  call(method: string, params: CdpFields): Promise<CdpFields>;
  /** Runs a script of the service in a world separate from the page's scripts. */
  run(expression: string): Promise<unknown>;
  /**
   * Waits until the page has received what it requests at this moment, for at most `ms` milliseconds. Returns false at
   * once if it requests nothing.
   */
  received(ms: number): Promise<boolean>;
  readonly deadline: Deadline;
}

/** Milliseconds of the longest wait for the visible pictures and fonts. */
const MAX_PAINT_MS = 2_000;

/** Milliseconds of the longest scrolling through a page, and at most half of the visit's remaining time. */
const MAX_SCROLL_MS = 10_000;

/** Milliseconds that a page has to load more after it was scrolled to its end. */
const GROWTH_MS = 250;

/** Pixels of one scroll step in a window that is lower than this. */
const MIN_STEP_PIXELS = 400;

/** Pictures that are examined. A page can have a million. */
const MAX_IMAGES = 2_000;

/** Frames that load when they are near the window. They can be loaded without scrolling. */
const LAZY_FRAMES = "iframe[loading=lazy i]";

/** Pixels from the window within which the browser loads lazy pictures. */
const LOADED_PIXELS = 1_250;

/** Pictures that scripts load, and content that scripts uncover, when it is scrolled to. */
const LATE =
  "[data-src], [data-srcset], [data-lazy], [data-lazy-src], [data-original], " +
  "[data-bg], [data-background], .lazyload, .lazy, [data-aos], [data-sal], [data-scroll], .wow, [class*=reveal], " +
  "[class*=animate-on-scroll]";

/** Waits for requests, visible pictures and fonts, for a limited time, and ends animations. */
export async function waitForPaint(host: CaptureHost): Promise<void> {
  await received(host);
  await host.run(`(async () => {
    ${REST}
    ${SETTLE}
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const isLate = (image) => {
      if (image.complete) return false;
      const { top, bottom } = image.getBoundingClientRect();
      return bottom >= 0 && top <= innerHeight;
    };
    const unfinished = () => late() || Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES}).some(isLate);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    await endScroll(end);
    await rest();
  })()`);
}

/** Waits for requests of the page, for a limited time. Returns false at once if none is in progress. */
export async function received(host: CaptureHost): Promise<boolean> {
  return await host.received(Math.min(MAX_PAINT_MS, halfOf(host)));
}

/** Waits for a limited time until scripts of the page stop moving elements. Returns false if they move nothing. */
export async function endMovements(host: CaptureHost): Promise<boolean> {
  const moved = await host.run(`(async () => {
    ${MOVEMENTS}
    return await endMovements(performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))});
  })()`);
  return moved === true;
}

/**
 * True if a script may load or uncover a part of the page when it is scrolled to. If not, loads lazy frames, waits for
 * pictures and fonts, and ends animations. Lazy pictures far from the window are left to the browser, which loads them
 * when it prints. If a script loads one of them before, the browser still waits for it, for 2 s.
 */
export async function hasLateParts(host: CaptureHost): Promise<boolean> {
  const late = await host.run(`(async () => {
    ${REST}
    ${EXTEND}
    await endMovements(performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))});
    unroll();
    if (document.querySelector("${LATE}") !== null) return true;
    let frames = 0;
    const loaded = () => { frames -= 1; };
    for (const element of Array.prototype.slice.call(document.querySelectorAll("${LAZY_FRAMES}"), 0, ${MAX_IMAGES})) {
      if (element.contentDocument?.URL === "about:blank") {
        frames += 1;
        element.addEventListener("load", loaded, { once: true });
      }
      element.loading = "eager";
    }
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const images = Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES});
    const isNear = (image) => {
      if (image.getClientRects().length === 0) return false;
      const { left, top, right, bottom } = image.getBoundingClientRect();
      return Math.max(top - innerHeight, left - innerWidth, -bottom, -right) < ${LOADED_PIXELS};
    };
    const isLate = (image) => !image.complete && (image.loading !== "lazy" || isNear(image));
    const unfinished = () => late() || frames > 0 || images.some(isLate);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    await rest(true);
    return false;
  })()`);
  return late !== false;
}

/**
 * Scrolls through the page down to `height`, so that it loads its lazy content, and back to its top. For a picture, it
 * also renders the content outside of the window, and moves fixed elements that would cover content. Returns true if
 * the page cannot be scrolled to content beside its window.
 */
export async function showAll(host: CaptureHost, height: number, medium: "picture" | "paper"): Promise<boolean> {
  const isCut = await scrollThrough(host, height);
  await received(host);
  const onePicture = medium === "picture";
  await host.run(`(async () => {
    ${REST}
    ${EXTEND}
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const root = document.scrollingElement ?? document.documentElement;
    if (root === null) return;
    const found = examine();
    if (${onePicture}) render(found.skipped);
    if (found.skipped.length + found.backgrounds.size > 0) await pause(${STEP_MS});
    const images = Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES});
    const unfinished = () => late() || images.some((image) => !image.complete) ||
      [...found.backgrounds].some((address) => performance.getEntriesByName(address).length === 0);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    if (${onePicture}) {
      spread(found, root.scrollHeight);
      lowerBars(found.fixed, root.scrollHeight);
    }
    await rest(true);
  })()`);
  return isCut;
}

/** Unrolls the page, and scrolls down to `height` and back. Returns true if its window cuts what is beside it. */
async function scrollThrough(host: CaptureHost, height: number): Promise<boolean> {
  const isCut = await host.run(`(async () => {
    ${REST}
    ${EXTEND}
    const end = performance.now() + ${Math.min(MAX_SCROLL_MS, halfOf(host))};
    const root = document.scrollingElement ?? document.documentElement;
    if (root === null) return false;
    const to = (top) => scrollTo({ left: 0, top, behavior: "instant" });
    const isCut = cutsWidth();
    const unrolled = unroll();
    const step = Math.max(innerHeight, ${MIN_STEP_PIXELS});
    for (let top = 0; top < ${height} && performance.now() < end; top += step) {
      for (const image of Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES})) {
        if (image.loading === "lazy") image.loading = "eager";
      }
      to(top);
      await pause(${STEP_MS});
      const before = root.scrollHeight;
      if (top + step < before) continue;
      const until = Math.min(end, performance.now() + ${GROWTH_MS});
      while (root.scrollHeight <= before && performance.now() < until) await pause(${STEP_MS});
      if (root.scrollHeight <= before) break;
    }
    to(0);
    if (!(await endMovements(performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))}))) await frame();
    return isCut && unrolled === 0;
  })()`);
  return isCut === true;
}

function halfOf({ deadline }: CaptureHost): number {
  return Math.max(0, Math.floor(deadline.leftMs / 2));
}
