/**
 * Maximum number of pixels of the content of a scrolling element. Longer content is often a list that makes only its
 * visible rows.
 */
const MAX_UNROLLED_PIXELS = 100_000;
/** Maximum number of elements that scroll inside each other and are unrolled. */
const MAX_NESTED_SCROLLERS = 3;

/** Pixels of the gap for letters below a frame that stands in a line. */
const FRAME_GAP_PIXELS = 20;

/** Background pictures that are waited for. */
const MAX_BACKGROUNDS = 100;

/**
 * Shows all of a page that scrolls inside an element: the body, or an element or a frame of the same origin that takes
 * most of the window while the document itself does not scroll.
 */
const UNROLL = `
  const rootOf = (element) => (element.localName === "iframe" ? (element.contentDocument?.scrollingElement ?? element) : element);
  const unrollElement = (element, isScroller) => {
    const { position, height } = getComputedStyle(element);
    const content = rootOf(element);
    const set = (name, value) => element.style.setProperty(name, value, "important");
    set("overflow", "visible");
    set("height", content === element ? "auto" : content.scrollHeight + "px");
    if (content !== element) set("display", "block");
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
    const { clientWidth, clientHeight } = element;
    const content = rootOf(element);
    const { scrollHeight } = content;
    if (scrollHeight <= clientHeight + 1 || scrollHeight > ${MAX_UNROLLED_PIXELS}) return false;
    if (clientWidth * 2 < innerWidth || clientHeight * 2 < innerHeight) return false;
    const { overflowY } = getComputedStyle(content);
    return /^(?:auto|scroll|overlay)$/.test(overflowY) || (content !== element && overflowY === "visible");
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
  // The number of elements that scrolled and are unrolled.
  const unroll = () => {
    const { body, documentElement } = document;
    // The window takes the overflow of the root element. If that is visible, it takes the body's.
    const ownOverflow = getComputedStyle(documentElement).overflowY !== "visible";
    if (body instanceof HTMLBodyElement && ownOverflow && body.scrollHeight > body.clientHeight) {
      body.style.setProperty("overflow", "visible", "important");
      body.style.setProperty("height", "auto", "important");
    }
    let unrolled = 0;
    while (unrolled < ${MAX_NESTED_SCROLLERS} && documentElement.scrollHeight <= innerHeight + ${FRAME_GAP_PIXELS}) {
      const scroller = scrollerAt(0.5) ?? scrollerAt(0.75) ?? scrollerAt(0.25);
      if (scroller === null) break;
      if (scroller.localName !== "iframe" && documentElement.scrollHeight > innerHeight + 1) break;
      for (let element = scroller; element !== null; element = above(element)) unrollElement(element, element === scroller);
      unrolled += 1;
    }
    return unrolled;
  };`;

/** True if the window cuts what is beside it, for example a menu that is moved out of it. The page cannot be scrolled to it. */
const CUTS_WIDTH = `
  const cutsWidth = () => {
    const { body, documentElement } = document;
    const own = getComputedStyle(documentElement).overflowX;
    const used = own === "visible" && body !== null ? getComputedStyle(body).overflowX : own;
    return used === "hidden" || used === "clip";
  };`;

/**
 * Examines the styles of the elements once: what the browser does not render outside of the window, addresses of
 * background pictures, fixed and sticky elements, and backgrounds that are fixed to the window.
 */
const EXAMINE = `
  const examine = () => {
    const found = { skipped: [], backgrounds: new Set(), fixed: [], sticky: [], attached: [] };
    for (const element of elements(document)) {
      const { contentVisibility, backgroundImage, backgroundAttachment, position, bottom } = getComputedStyle(element);
      if (contentVisibility === "auto") found.skipped.push(element);
      if (position === "fixed") found.fixed.push(element);
      if (position === "sticky" && bottom !== "auto") found.sticky.push(element);
      if (backgroundAttachment.includes("fixed") && backgroundImage !== "none") found.attached.push(element);
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
 * Shows as on a window of the page's height: backgrounds that cover the window cover the page, and elements that stick
 * to the window's lower edge have their own place.
 */
const SPREAD = `
  const isLayer = (element) => {
    const { position, zIndex } = getComputedStyle(element);
    // A layer above the content is a dialog's: it covers the first window.
    if (position !== "fixed" || element.offsetParent !== null || Number(zIndex) > 0) return false;
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const covers = left <= 0 && top <= 0 && right >= innerWidth && bottom >= innerHeight;
    return covers && element.textContent.trim() === "";
  };
  const layersOf = (owner) => ["::before", "::after"].filter((part) => {
    const { content, position, width, height } = getComputedStyle(owner, part);
    return content !== "none" && position === "fixed" && parseFloat(width) >= innerWidth && parseFloat(height) >= innerHeight;
  }).map((part) => owner.localName + part);
  const spread = ({ fixed, sticky, attached }, height) => {
    if (height <= innerHeight) return;
    const size = [["height", height + "px"], ["max-height", "none"], ["bottom", "auto"]];
    const layers = fixed.filter(isLayer);
    const parts = [document.documentElement, document.body].filter((owner) => owner !== null).flatMap(layersOf);
    for (const layer of layers) for (const [name, value] of size) layer.style.setProperty(name, value, "important");
    if (parts.length > 0) {
      const sheet = new CSSStyleSheet();
      const rules = size.map(([name, value]) => name + ": " + value + " !important").join("; ");
      sheet.replaceSync(parts.join(", ") + " { " + rules + " }");
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }
    for (const element of attached) element.style.setProperty("background-attachment", "scroll", "important");
    // The background of the root element and of the body repeats below the root element.
    if (attached.some((element) => element === document.body || element === document.documentElement)) {
      document.documentElement.style.setProperty("min-height", height + "px", "important");
    }
    for (const element of sticky) element.style.setProperty("bottom", "auto", "important");
  };`;

/** Further functions for a capture of all of the page. They use those of REST. */
export const EXTEND = `${UNROLL}${CUTS_WIDTH}${EXAMINE}${LOWER_BARS}${SPREAD}`;
