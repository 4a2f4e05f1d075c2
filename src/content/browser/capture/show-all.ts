import { type Deadline } from "../../page/deadline.ts";
import { type CdpFields } from "../cdp.ts";
import { EXTEND, REST, SETTLE, STEP_MS } from "./rest.ts";

/** Access to the tab of a page that is captured. */
export interface CaptureHost {
  /** Calls a method on the tab. Fails with the deadline if no response comes before it. */
  call(method: string, params: CdpFields): Promise<CdpFields>;
  /** Runs a script of the service in a world separate from the page's scripts. */
  run(expression: string): Promise<unknown>;
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

/** Pictures and frames that load when they are near the window. They can be loaded without scrolling. */
const LAZY = "img[loading=lazy i], iframe[loading=lazy i]";

/** Pictures that scripts load, and content that scripts uncover, when it is scrolled to. */
const LATE =
  "[data-src], [data-srcset], [data-lazy], [data-lazy-src], [data-original], " +
  "[data-bg], [data-background], .lazyload, .lazy, [data-aos], [data-sal], [data-scroll], .wow, [class*=reveal], " +
  "[class*=animate-on-scroll]";

/** Waits for the visible pictures and fonts, for a limited time, and ends animations. */
export async function waitForPaint(host: CaptureHost): Promise<void> {
  await host.run(`(async () => {
    ${REST}
    ${SETTLE}
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const late = (image) => {
      if (image.complete) return false;
      const { top, bottom } = image.getBoundingClientRect();
      return bottom >= 0 && top <= innerHeight;
    };
    const unfinished = () => document.fonts.status === "loading" || Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES}).some(late);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    await endScroll(end);
    await rest();
  })()`);
}

/**
 * True if a script may load or uncover a part of the page when it is scrolled to. If not, loads lazy pictures and
 * frames, waits for pictures and fonts, and ends animations.
 */
export async function hasLateParts(host: CaptureHost): Promise<boolean> {
  const late = await host.run(`(async () => {
    ${REST}
    ${EXTEND}
    unroll();
    if (document.querySelector("${LATE}") !== null) return true;
    let frames = 0;
    const loaded = () => { frames -= 1; };
    for (const element of Array.prototype.slice.call(document.querySelectorAll("${LAZY}"), 0, ${MAX_IMAGES})) {
      if (element.localName === "iframe" && element.contentDocument?.URL === "about:blank") {
        frames += 1;
        element.addEventListener("load", loaded, { once: true });
      }
      element.loading = "eager";
    }
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const images = Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES});
    const unfinished = () => document.fonts.status === "loading" || frames > 0 || images.some((image) => !image.complete);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    await rest(true);
    return false;
  })()`);
  return late !== false;
}

/**
 * Scrolls through the page down to `height`, so that it loads its lazy content, and back to its top. For a picture, it
 * also renders what is outside of the window, and moves fixed elements that would cover content.
 */
export async function showAll(host: CaptureHost, height: number, medium: "picture" | "paper"): Promise<void> {
  const onePicture = medium === "picture";
  await host.run(`(async () => {
    ${REST}
    ${EXTEND}
    const end = performance.now() + ${Math.min(MAX_SCROLL_MS, halfOf(host))};
    const root = document.scrollingElement ?? document.documentElement;
    if (root === null) return;
    const to = (top) => scrollTo({ left: 0, top, behavior: "instant" });
    const images = () => Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES});
    unroll();
    const step = Math.max(innerHeight, ${MIN_STEP_PIXELS});
    for (let top = 0; top < ${height} && performance.now() < end; top += step) {
      for (const image of images()) if (image.loading === "lazy") image.loading = "eager";
      to(top);
      await pause(${STEP_MS});
      const before = root.scrollHeight;
      if (top + step < before) continue;
      const until = Math.min(end, performance.now() + ${GROWTH_MS});
      while (root.scrollHeight <= before && performance.now() < until) await pause(${STEP_MS});
      if (root.scrollHeight <= before) break;
    }
    to(0);
    const { skipped, backgrounds, fixed } = examine();
    if (${onePicture}) render(skipped);
    const painted = Math.min(end, performance.now() + ${MAX_PAINT_MS});
    const unfinished = () => document.fonts.status === "loading" || images().some((image) => !image.complete) ||
      [...backgrounds].some((address) => performance.getEntriesByName(address).length === 0);
    do await pause(${STEP_MS}); while (unfinished() && performance.now() < painted);
    if (${onePicture}) lowerBars(fixed, root.scrollHeight);
    await rest(true);
  })()`);
}

function halfOf({ deadline }: CaptureHost): number {
  return Math.max(0, Math.floor(deadline.leftMs / 2));
}
