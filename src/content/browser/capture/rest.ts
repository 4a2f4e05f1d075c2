/** Milliseconds: one or two frames, in which a page notices that it was scrolled. */
export const STEP_MS = 30;

/** Limits of the animations that are ended, and of the rounds: the end of one animation can start another. */
const MAX_ANIMATIONS = 5_000;
const MAX_ENDINGS = 3;
/** Maximum number of endless animations whose elements are examined. The elements of later ones may stay transparent. */
const MAX_HELD = 500;

/** Maximum number of elements that are examined for shadow trees, frames and styles. Later ones stay as they are. */
const MAX_EXAMINED_ELEMENTS = 20_000;

/** Maximum number of documents and shadow trees whose animations are ended. Later ones stay as they are. */
const MAX_ANIMATED_TREES = 200;

/** Seconds of an SVG's own time to which it is set. Its animations that last longer are shown at this time. */
const SVG_SECONDS = 120;

/** Frames in which a script that moves the page changes the document. */
const LOOKED_AT_FRAMES = 2;
/** Milliseconds and frames without a change after which a movement has ended, and the longest wait for its end. */
const QUIET_MS = 150;
const QUIET_FRAMES = 2;
const MAX_MOVING_MS = 2_000;
/** Milliseconds of the longest wait for a frame. A busy machine draws some pages this slowly. */
const MAX_FRAME_MS = 500;

/** Maximum number of scripts of a page whose types are examined. Code after them is not noticed. */
const MAX_SCRIPTS = 1_000;
/** The types of scripts that are code and not data. */
const CODE_TYPE = "/^$|^module$|(?:java|ecma)script/i";

/** Frames without a movement after which a scroll has ended. */
const STILL_FRAMES = 3;

/** Links to style sheets that are examined. */
const MAX_SHEETS = 200;

/**
 * The functions `pause`, `frame`, `late` (a font or a style sheet is loading) and `elements` of the scripts that
 * prepare a page for its capture.
 */
const BASICS = `
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(${STEP_MS})]);
  const late = () => document.fonts.status === "loading" ||
    Array.prototype.slice.call(document.querySelectorAll("link[rel~=stylesheet i]"), 0, ${MAX_SHEETS}).some(
      // A style sheet that loaded or failed has a timing entry.
      ({ href, sheet, disabled }) => href !== "" && sheet === null && !disabled && performance.getEntriesByName(href).length === 0,
    );
  const elements = (root) => Array.prototype.slice.call(root.querySelectorAll("*"), 0, ${MAX_EXAMINED_ELEMENTS});`;

/** The document with its open shadow trees and its frames of the same origin. */
const TREES = `
  const trees = () => {
    const found = [document];
    let left = ${MAX_EXAMINED_ELEMENTS};
    for (let at = 0; at < found.length; at += 1) {
      for (const element of elements(found[at])) {
        if ((left -= 1) < 0 || found.length >= ${MAX_ANIMATED_TREES}) return found;
        const inner = element.shadowRoot ?? (element.localName === "iframe" ? element.contentDocument : null);
        if (inner !== null) found.push(inner);
      }
    }
    return found;
  };`;

/**
 * Moves finite animations of CSS and scripts to their end, and cancels endless ones. An endless animation without which
 * its element is transparent is held where it shows most of it. Animations that follow scrolling stay.
 */
const END_ANIMATIONS = `
  const held = new WeakSet();
  const opacityOf = ({ target, pseudoElement }) => target === null ? 1 : Number(getComputedStyle(target, pseudoElement).opacity);
  const hold = (animation) => {
    const { effect } = animation;
    const { delay, duration } = effect.getTiming();
    held.add(animation);
    animation.pause();
    let most = 0;
    let best;
    for (const part of ${JSON.stringify([0, 0.5, 0.999])}) {
      animation.currentTime = delay + part * duration;
      const opacity = opacityOf(effect);
      if (opacity <= most) continue;
      most = opacity;
      best = animation.currentTime;
    }
    if (best === undefined) animation.cancel();
    else animation.currentTime = best;
  };
  const endAnimations = (tree) => {
    let ended = 0;
    const cancelled = [];
    const clock = (tree.ownerDocument ?? tree).timeline;
    for (const animation of tree.getAnimations().slice(0, ${MAX_ANIMATIONS})) {
      if (animation.timeline !== clock || animation.playState === "finished" || held.has(animation)) continue;
      try {
        if (animation.effect?.getComputedTiming().endTime === Infinity) {
          animation.cancel();
          cancelled.push(animation);
        } else animation.finish();
        ended += 1;
      } catch {
        // One that is played backwards or has no length has no end to go to.
        animation.cancel();
      }
    }
    const transparent = cancelled.slice(0, ${MAX_HELD}).filter(({ effect }) => opacityOf(effect) === 0);
    for (const animation of transparent) hold(animation);
    return ended;
  };`;

/** The same for the animation elements of SVG. */
const END_SVG_ANIMATIONS = `
  const pictures = new Set();
  const endless = "[repeatCount=indefinite], [repeatDur=indefinite]";
  const endSvgAnimations = (tree) => {
    let ended = 0;
    const moving = tree.querySelectorAll("animate, animateTransform, animateMotion, set");
    for (const element of Array.prototype.slice.call(moving, 0, ${MAX_ANIMATIONS})) {
      let picture = element.ownerSVGElement;
      while (picture?.ownerSVGElement) picture = picture.ownerSVGElement;
      if (element.matches(endless)) element.remove();
      if (!picture || pictures.has(picture)) continue;
      pictures.add(picture);
      picture.pauseAnimations();
      picture.setCurrentTime(${SVG_SECONDS});
      ended += 1;
    }
    return ended;
  };`;

/**
 * Animations that follow the place of their element in the window are shown as in the middle of the window, unless
 * the element is already above it. So content that appears when it is scrolled to appears in the picture.
 */
const SHOW_REVEALED = `
  const showRevealed = () => {
    if (typeof ViewTimeline !== "function") return;
    for (const animation of document.getAnimations().slice(0, ${MAX_ANIMATIONS})) {
      const { timeline, startTime } = animation;
      if (!(timeline instanceof ViewTimeline) || timeline.source !== document.scrollingElement) continue;
      if (timeline.axis !== "block" && timeline.axis !== "y") continue;
      if (!(timeline.currentTime?.value < 50) || !(startTime instanceof CSSUnitValue)) continue;
      animation.pause();
      animation.currentTime = CSS.percent(50 - startTime.value);
    }
  };`;

/** Waits for the end of a scroll that the page began. */
const END_SCROLL = `
  const endScroll = async (end) => {
    if (scrollY === 0 && getComputedStyle(document.documentElement).scrollBehavior !== "smooth") return;
    for (let still = 0, at = scrollY; still < ${STILL_FRAMES} && performance.now() < end; at = scrollY) {
      await frame();
      still = scrollY === at ? still + 1 : 0;
    }
  };`;

/**
 * Looks if a script moves the page: it changes the document in frame after frame, for example to fade in a heading or to
 * count up a number. The browser does not list such movements as animations. If so, waits for their end.
 */
const END_MOVEMENTS = `
  const hasCode = () => Array.prototype.slice.call(document.scripts, 0, ${MAX_SCRIPTS}).some(({ type }) => ${CODE_TYPE}.test(type));
  const endMovements = async (end) => {
    if (!hasCode()) return false;
    const drawn = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(${MAX_FRAME_MS})]);
    let changed = 0;
    let still = 0;
    const observer = new MutationObserver(() => {
      changed = performance.now();
      still = 0;
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    for (let n = 0; n < ${LOOKED_AT_FRAMES}; n += 1) await drawn();
    const moved = changed > 0;
    const most = Math.min(end, performance.now() + ${MAX_MOVING_MS});
    const isMoving = () => still < ${QUIET_FRAMES} || performance.now() < changed + ${QUIET_MS};
    for (still = 0; moved && isMoving() && performance.now() < most; still += 1) await drawn();
    observer.disconnect();
    return moved;
  };`;

/**
 * The start of a script in the page: functions that bring it to rest. `rest(true)` also shows content that appears when
 * the page is scrolled to it.
 */
export const REST = `${BASICS}${TREES}${END_ANIMATIONS}${END_SVG_ANIMATIONS}${SHOW_REVEALED}${END_MOVEMENTS}
  const rest = async (revealed = false) => {
    for (let n = 0; n < ${MAX_ENDINGS}; n += 1) {
      let ended = 0;
      for (const tree of trees()) ended += endAnimations(tree) + endSvgAnimations(tree);
      if (ended === 0) break;
      await frame();
    }
    if (revealed) showRevealed();
  };
`;

/** The start of a script that waits for the end of movements and changes nothing. */
export const MOVEMENTS = `${BASICS}${END_MOVEMENTS}`;

/** Further functions for a capture of the window. */
export const SETTLE = END_SCROLL;
