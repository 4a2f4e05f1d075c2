/** Milliseconds: one or two frames, in which a page notices that it was scrolled. */
export const STEP_MS = 30;

/** Limits of the animations that are ended, and of the rounds: the end of one animation can start another. */
const MAX_ANIMATIONS = 5_000;
const MAX_ENDINGS = 3;

/** Maximum number of elements that are examined for shadow trees, frames and styles. Later ones stay as they are. */
const MAX_EXAMINED_ELEMENTS = 20_000;

/** Maximum number of documents and shadow trees whose animations are ended. Later ones stay as they are. */
const MAX_ANIMATED_TREES = 200;

/**
 * Maximum number of pixels of the content of a scrolling element. Longer content is often a list that makes only its
 * visible rows.
 */
const MAX_UNROLLED_PIXELS = 100_000;
/** Maximum number of elements that scroll inside each other and are unrolled. */
const MAX_NESTED_SCROLLERS = 3;

/** Background pictures that are waited for. */
const MAX_BACKGROUNDS = 100;

/** Seconds of an SVG's own time to which it is set. Its animations that last longer are shown at this time. */
const SVG_SECONDS = 120;

/** Frames without a movement after which a scroll has ended. */
const STILL_FRAMES = 3;

/** The functions `pause`, `frame` and `elements` of the scripts that prepare a page for its capture. */
const BASICS = `
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), pause(${STEP_MS})]);
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

/** Moves finite animations of CSS and scripts to their end, and cancels endless ones. Those that follow scrolling stay. */
const END_ANIMATIONS = `
  const endAnimations = (tree) => {
    let ended = 0;
    const clock = (tree.ownerDocument ?? tree).timeline;
    for (const animation of tree.getAnimations().slice(0, ${MAX_ANIMATIONS})) {
      if (animation.timeline !== clock || animation.playState === "finished") continue;
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
 * Shows all of a page that scrolls inside an element: the body, or an element that takes most of the window while the
 * document itself does not scroll.
 */
const UNROLL = `
  const unrollElement = (element, isScroller) => {
    const { position, height } = getComputedStyle(element);
    const set = (name, value) => element.style.setProperty(name, value, "important");
    set("overflow", "visible");
    set("height", "auto");
    set("max-height", "none");
    set("contain", "none");
    if (isScroller) set("flex", "1 0 auto");
    else if (height !== "auto") set("min-height", height);
    if (position === "fixed" || position === "absolute") {
      set("position", "relative");
      set("inset", "auto");
    }
  };
  const scrolls = (element) => {
    const { clientWidth, clientHeight, scrollHeight } = element;
    if (scrollHeight <= clientHeight + 1 || scrollHeight > ${MAX_UNROLLED_PIXELS}) return false;
    if (clientWidth * 2 < innerWidth || clientHeight * 2 < innerHeight) return false;
    return /^(?:auto|scroll|overlay)$/.test(getComputedStyle(element).overflowY);
  };
  const above = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const scrollerAt = (part) => {
    let found = document.elementFromPoint(innerWidth * part, innerHeight / 2);
    while (found?.shadowRoot?.elementFromPoint) {
      const inner = found.shadowRoot.elementFromPoint(innerWidth * part, innerHeight / 2);
      if (inner === null || inner === found) break;
      found = inner;
    }
    while (found !== null && (found === document.body || found === document.documentElement || !scrolls(found))) found = above(found);
    return found;
  };
  const unroll = () => {
    const { body, documentElement } = document;
    // The window takes the overflow of the root element. If that is visible, it takes the body's.
    const ownOverflow = getComputedStyle(documentElement).overflowY !== "visible";
    if (body instanceof HTMLBodyElement && ownOverflow && body.scrollHeight > body.clientHeight) {
      body.style.setProperty("overflow", "visible", "important");
      body.style.setProperty("height", "auto", "important");
    }
    for (let n = 0; n < ${MAX_NESTED_SCROLLERS} && documentElement.scrollHeight <= innerHeight + 1; n += 1) {
      const scroller = scrollerAt(0.5) ?? scrollerAt(0.75) ?? scrollerAt(0.25);
      if (scroller === null) return;
      for (let element = scroller; element !== null; element = above(element)) unrollElement(element, element === scroller);
    }
  };`;

/**
 * Examines the styles of the elements once: what the browser does not render outside of the window, addresses of
 * background pictures, and fixed elements.
 */
const EXAMINE = `
  const examine = () => {
    const found = { skipped: [], backgrounds: new Set(), fixed: [] };
    for (const element of elements(document)) {
      const { contentVisibility, backgroundImage, position } = getComputedStyle(element);
      if (contentVisibility === "auto") found.skipped.push(element);
      if (position === "fixed") found.fixed.push(element);
      if (backgroundImage === "none" || found.backgrounds.size >= ${MAX_BACKGROUNDS}) continue;
      for (const [, address] of backgroundImage.matchAll(/url\\("(https?:[^"]*)"\\)/g)) {
        // A picture that loaded or failed has a timing entry.
        if (performance.getEntriesByName(address).length === 0) found.backgrounds.add(address);
      }
    }
    return found;
  };
  const render = (skipped) => {
    for (const element of skipped) element.style.setProperty("content-visibility", "visible", "important");
  };`;

/** Moves fixed elements of the window's lower half to the end of the page, where they cover no content in its middle. */
const LOWER_BARS = `
  const lowerBars = (fixed, height) => {
    const down = height - innerHeight;
    if (down <= 0) return;
    const bars = [];
    for (const element of fixed) {
      const { position, top, bottom } = getComputedStyle(element);
      // In a transformed element, a fixed one has another place than the window.
      if (position !== "fixed" || element.offsetParent !== null) continue;
      if (element.getBoundingClientRect().top < innerHeight / 2) continue;
      bars.push([element, parseFloat(top), parseFloat(bottom)]);
    }
    for (const [element, top, bottom] of bars) {
      element.style.setProperty("top", top + down + "px", "important");
      element.style.setProperty("bottom", bottom - down + "px", "important");
    }
  };`;

/**
 * The start of a script in the page: functions that bring it to rest. `rest(true)` also shows what appears when it is
 * scrolled to.
 */
export const REST = `${BASICS}${TREES}${END_ANIMATIONS}${END_SVG_ANIMATIONS}${SHOW_REVEALED}
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

/** Further functions for a capture of the window. */
export const SETTLE = END_SCROLL;

/** Further functions for a capture of all of the page. */
export const EXTEND = `${UNROLL}${EXAMINE}${LOWER_BARS}`;
