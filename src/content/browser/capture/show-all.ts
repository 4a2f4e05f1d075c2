/** What a page is captured through. */
import { type Deadline } from "../../page/deadline.ts";
import { type CdpFields } from "../cdp.ts";

export interface CaptureHost {
  /** Calls a method on the tab; fails with the deadline where no response comes before it. */
  call(method: string, params: CdpFields): Promise<CdpFields>;
  /** Runs a script of ours beside the page's own. */
  run(expression: string): Promise<unknown>;
  readonly deadline: Deadline;
}

/** Longest wait for the pictures and fonts of what is in view; in milliseconds. */
const MAX_PAINT_MS = 2_000;

/** Longest time that a page is scrolled through, at most half of what its time-out leaves; in milliseconds. */
const MAX_SCROLL_MS = 10_000;

/** A frame or two, in which a page notices that it was scrolled; in milliseconds. */
const STEP_MS = 30;

/** A page that is at its end has this long to bring more; in milliseconds. */
const GROWTH_MS = 250;

/** A window that is less high is scrolled by this much; in pixels. */
const MIN_STEP_PIXELS = 400;

/** Pictures that are looked at: a page may have a million. */
const MAX_IMAGES = 2_000;

/** Animations that are ended, and how often: the end of one may begin another. */
const MAX_ANIMATIONS = 5_000;
const MAX_ENDINGS = 3;

/** Pictures and frames that come late, and what scripts uncover when it is scrolled to. */
const LATE =
  "img[loading=lazy], iframe[loading=lazy], [data-src], [data-srcset], [data-lazy], [data-lazy-src], [data-original], " +
  "[data-bg], [data-background], .lazyload, .lazy, [data-aos], [data-sal], [data-scroll], .wow, [class*=reveal], " +
  "[class*=animate-on-scroll]";

/**
 * Brings what moves to its end, as it looks when it has come to rest; what never rests is shown as it is without moving.
 * What moves with the scrolling stays as it is.
 */
const END_ANIMATIONS = `const endAnimations = () => {
    let ended = 0;
    for (const animation of document.getAnimations().slice(0, ${MAX_ANIMATIONS})) {
      if (animation.timeline !== document.timeline || animation.playState === "finished") continue;
      try {
        if (animation.effect?.getComputedTiming().endTime === Infinity) animation.cancel();
        else animation.finish();
        ended += 1;
      } catch {
        // One that is played backwards or has no length has no end to go to.
        animation.cancel();
      }
    }
    return ended;
  };
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(${STEP_MS})]);
  const rest = async () => { for (let n = 0; n < ${MAX_ENDINGS} && endAnimations() > 0; n += 1) await frame(); };`;

const PAUSE = "const pause = (ms) => new Promise((done) => setTimeout(done, ms));";

/** Waits until the pictures and fonts of what is in view are there, for a bounded time, and ends what moves. */
export async function waitForPaint(host: CaptureHost): Promise<void> {
  await host.run(`(async () => {
    ${PAUSE}
    ${END_ANIMATIONS}
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const late = (image) => {
      if (image.complete) return false;
      const { top, bottom } = image.getBoundingClientRect();
      return bottom >= 0 && top <= innerHeight;
    };
    const unfinished = () => document.fonts.status === "loading" || Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES}).some(late);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    await rest();
  })()`);
}

/** Whether a part of the page may come only when it is scrolled to. If not, waits for its pictures and fonts, and ends what moves. */
export async function hasLateParts(host: CaptureHost): Promise<boolean> {
  const late = await host.run(`(async () => {
    ${PAUSE}
    ${END_ANIMATIONS}
    if (document.querySelector("${LATE}") !== null) return true;
    const end = performance.now() + ${Math.min(MAX_PAINT_MS, halfOf(host))};
    const images = Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES});
    const unfinished = () => document.fonts.status === "loading" || images.some((image) => !image.complete);
    while (unfinished() && performance.now() < end) await pause(${STEP_MS});
    await rest();
    return false;
  })()`);
  return late !== false;
}

/** Scrolls through the page down to `height`, so that it loads what it loads in view alone, and back to its top. */
export async function showAll(host: CaptureHost, height: number): Promise<void> {
  await host.run(`(async () => {
    ${PAUSE}
    ${END_ANIMATIONS}
    const end = performance.now() + ${Math.min(MAX_SCROLL_MS, halfOf(host))};
    const root = document.scrollingElement ?? document.documentElement;
    if (root === null) return;
    const to = (top) => scrollTo({ left: 0, top, behavior: "instant" });
    const images = () => Array.prototype.slice.call(document.images, 0, ${MAX_IMAGES});
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
    const painted = Math.min(end, performance.now() + ${MAX_PAINT_MS});
    const unfinished = () => document.fonts.status === "loading" || images().some((image) => !image.complete);
    do await pause(${STEP_MS}); while (unfinished() && performance.now() < painted);
    await rest();
  })()`);
}

function halfOf({ deadline }: CaptureHost): number {
  return Math.max(0, Math.floor(deadline.leftMs / 2));
}
