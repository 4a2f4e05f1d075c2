import { COVERS } from "./sight-covers.ts";

/**
 * Limits of the measured elements and of boxes that may cover text. A page with more elements is not measured. @bound
 */
const MAX_ELEMENTS = 60_000;
/** Pixels of a line of text below which a reader cannot read it. */
const MIN_HEIGHT = 3;
const MIN_WIDTH = 1;
const MIN_FONT = 2;
/** Pixels to the right of the page's beginning, and below it for what was moved, to which readers do not scroll. */
const FAR_RIGHT = 2_400;
const FAR_BELOW = 50_000;
/** The part of a text that is seen if its reader knows its value, and characters of a text that counts if it begins visibly. */
const MOST = 0.4;
const LONG_TEXT = 120;
/** The part of its colour that a text has at least, and the sum of differences of three channels below which colours look equal. */
const CLEAR = 0.05;
const SAME_COLOR = 24;

/** Milliseconds before their end within which animations count as ended. */
const SOON_MS = 60_000;

/** Elements whose content is not read. */
const SKIPPED =
  "head, script, style, template, noscript, svg, iframe, frame, object, embed, canvas, video, audio, textarea";

/** Colours as three channels and their opacity, and how they look over each other. */
const COLORS = `
  const paint = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colorOf = (text) => {
    let color = known.get(text);
    if (color !== undefined) return color;
    const plain = /^rgba?\\((\\d+), (\\d+), (\\d+)(?:, ([\\d.]+))?\\)$/.exec(text);
    if (plain !== null) color = [+plain[1], +plain[2], +plain[3], +(plain[4] ?? 1)];
    else {
      paint.clearRect(0, 0, 1, 1);
      paint.fillStyle = text;
      paint.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
      color = [r, g, b, a / 255];
    }
    known.set(text, color);
    return color;
  };
  const over = (top, below) => top[3] >= 0.99 ? top : [0, 1, 2].map((at) => top[at] * top[3] + below[at] * (1 - top[3])).concat(1);
  const isSame = (a, b) => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]) <= ${SAME_COLOR};
`;

/** Declarations of the computed style that can hide text without a change of its place: they are judged with the page. */
const FACTS = `
  const factsOf = (style) => {
    const facts = [];
    const add = (name, value) => facts.push(name + ":" + value);
    if (style.filter !== "none") add("filter", style.filter);
    if (style.maskImage !== "none") add("mask", style.maskImage.replaceAll(/rgba\\([^()]*, 0\\)/g, "transparent"));
    if (style.letterSpacing.startsWith("-")) add("letter-spacing", style.letterSpacing);
    if (style.unicodeBidi.includes("override") && style.direction === "rtl") add("unicode-bidi", style.unicodeBidi);
    if (style.webkitTextSecurity !== "none") add("text-security", style.webkitTextSecurity);
    if (style.clipPath !== "none") add("clip-path", style.clipPath);
    if (style.clip !== "auto" && /absolute|fixed/.test(style.position)) add("clip", style.clip);
    if (style.mixBlendMode !== "normal") add("mix-blend-mode", style.mixBlendMode);
    if (parseFloat(style.webkitTextStrokeWidth) > 0) add("-webkit-text-stroke", style.webkitTextStrokeWidth);
    if (style.textDecorationLine.includes("line-through")) add("text-decoration", "line-through " + style.textDecorationThickness);
    // The z axis of the element points away from its reader.
    const back = style.backfaceVisibility === "hidden" && /^matrix3d\\(([^)]*)/.exec(style.transform);
    if (back && Number(back[1].split(",")[10]) < 0) add("visibility", "hidden");
    return facts;
  };
`;

/** Puts animations at their end, if it is near, and returns a function that puts them back. */
const ANIMATIONS = `
  const endAnimations = () => {
    const moved = [];
    for (const animation of document.getAnimations()) {
      const { currentTime, effect, playState } = animation;
      const end = effect?.getComputedTiming().endTime;
      const isNear = playState === "running" && typeof currentTime === "number" && typeof end === "number" && end - currentTime <= ${SOON_MS};
      if (!isNear) continue;
      moved.push([animation, currentTime]);
      animation.currentTime = end;
    }
    return () => {
      for (const [animation, time] of moved) animation.currentTime = time;
    };
  };
`;

/** The part of a box that is inside of another one. */
const BOXES = `
  const ALL = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
  const both = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top), right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
  });
  const areaOf = ({ left, top, right, bottom }) => Math.max(0, right - left) * Math.max(0, bottom - top);
`;

/**
 * Measures which texts of the document a reader sees, with the closed shadow trees \`roots\`, and returns the marks of
 * elements: pairs of an element and the value of its mark. The value is empty if the reader sees no text of the
 * element; \`own-text:hidden\` if only texts of inner elements are seen. Undefined if the page is too large.
 */
export const MEASURE = `((roots) => {
  const { scrollX, scrollY, innerWidth, innerHeight } = window;
  const root = document.documentElement;
  ${COLORS}
  ${FACTS}
  ${BOXES}
  ${ANIMATIONS}
  ${COVERS}
  const window_ = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const right = Math.min(Math.max(root.scrollWidth, innerWidth), ${FAR_RIGHT}) - scrollX;
  const left = getComputedStyle(root).direction === "rtl" ? innerWidth - root.scrollWidth - scrollX : -scrollX;
  const page = { left, top: -scrollY, right, bottom: Math.max(root.scrollHeight, innerHeight) - scrollY };
  const near = { ...page, bottom: Math.min(page.bottom, ${FAR_BELOW} - scrollY) };
  const closed = new Map([...roots].map((tree) => [tree.host, tree]));
  const treeOf = (element) => element.shadowRoot ?? closed.get(element) ?? null;
  const childrenOf = (element) => {
    const tree = treeOf(element);
    if (tree !== null) return tree.childNodes;
    const slotted = element.localName === "slot" && element.getRootNode() !== document ? element.assignedNodes() : [];
    return slotted.length > 0 ? slotted : element.childNodes;
  };
  const states = [];
  const covers = [];
  const texts = [];
  const marks = new Map();
  const hosts = [];
  const byElement = new Map();
  const enter = (element, above) => {
    const style = getComputedStyle(element);
    const state = { element, above, order: states.length, last: states.length, style, layer: isLayer(style, above.style), facts: factsOf(style), seen: 0, unseen: 0, own: 0 };
    states.push(state);
    byElement.set(element, state);
    if (treeOf(element) !== null) hosts.push(element);
    const isGone = style.display === "none" || style.contentVisibility === "hidden";
    state.opacity = above.opacity * style.opacity;
    state.isFolded = above.isFolded || (above.isClosed && element.localName !== "summary");
    state.isClosed = element.localName === "details" && !element.open;
    if (isGone || state.opacity < ${CLEAR}) {
      marks.set(element, "");
      return undefined;
    }
    place(state, above);
    colour(state, above);
    return state;
  };
  // The boxes that clip the element, by its containing block.
  const place = (state, above) => {
    const { element, style } = state;
    const isFixed = style.position === "fixed";
    const clip = isFixed ? above.fixedClip : style.position === "absolute" ? above.placedClip : above.clip;
    state.limit = isFixed && above.fixedLimit ? window_ : isFixed ? above.limit : /absolute|relative/.test(style.position) || style.transform !== "none" ? near : above.limit;
    state.isFixed = isFixed || style.position === "sticky" || above.isFixed;
    state.outer = clip;
    state.clip = clip;
    const isRoot = element === root || element === document.body;
    if (!isRoot && style.display !== "contents" && (style.overflowX !== "visible" || style.overflowY !== "visible" || /paint|strict|content/.test(style.contain))) {
      const box = element.getBoundingClientRect();
      const scrolls = /auto|scroll/.test(style.overflowX + style.overflowY);
      const inside = both(clip, box);
      // A reader scrolls in a box of some size.
      if (!(scrolls && inside.right - inside.left >= 20 && inside.bottom - inside.top >= 10) && !/^(?:inline|table-row)$/.test(style.display)) {
        if (style.overflowX !== "visible") state.clip = { ...state.clip, left: inside.left, right: inside.right };
        if (style.overflowY !== "visible") state.clip = { ...state.clip, top: inside.top, bottom: inside.bottom };
      }
    }
    const isPlaced = style.position !== "static";
    const isBlock = style.transform !== "none" || style.filter !== "none" || style.perspective !== "none";
    state.placedClip = isPlaced || isBlock ? state.clip : above.placedClip;
    state.fixedClip = isBlock ? state.clip : above.fixedClip;
    state.fixedLimit = above.fixedLimit && !isBlock;
    state.block = isPlaced || isBlock ? element : above.block;
  };
  // The colour behind the element; undefined behind pictures.
  const colour = (state, above) => {
    const { style } = state;
    const fill = colorOf(style.backgroundColor);
    const isTextClip = style.backgroundClip.includes("text") || style.webkitBackgroundClip.includes("text");
    // The background shows in the shape of all letters inside.
    state.isClipped = above.isClipped || (isTextClip && (fill[3] > ${CLEAR} || style.backgroundImage !== "none"));
    const isUnknown = style.backgroundImage !== "none" || (above.backdrop === undefined && fill[3] < 0.95);
    state.backdrop = isUnknown ? undefined : over(fill, above.backdrop ?? fill);
    state.fill = fill;
    addCovers(state);
  };
  const isReadable = (state) => {
    const { element, style, backdrop } = state;
    if (style.display !== "inline") {
      const line = getComputedStyle(element, "::first-line");
      if (colorOf(line.webkitTextFillColor)[3] < ${CLEAR} && !state.isClipped) return false;
      if (backdrop !== undefined && isSame(over(colorOf(line.webkitTextFillColor), backdrop), backdrop)) return "same";
    }
    if (style.visibility !== "visible" || parseFloat(style.fontSize) < ${MIN_FONT}) return false;
    if (state.isClipped) return true;
    const color = colorOf(style.webkitTextFillColor);
    if (color[3] * state.opacity < ${CLEAR}) return style.textShadow !== "none";
    return backdrop === undefined || style.textShadow !== "none" || !isSame(over(color, backdrop), backdrop) ? true : "same";
  };
  const isIn = (boxes, state, length) => {
    let all = 0;
    let seen = 0;
    let first;
    for (const box of boxes) {
      const area = areaOf(box);
      if (area === 0) continue;
      const inside = both(both(box, state.clip), state.limit);
      const isLine = inside.bottom - inside.top >= ${MIN_HEIGHT} && inside.right - inside.left >= ${MIN_WIDTH};
      const part = isLine && !isCovered(inside, state) ? areaOf(inside) : 0;
      all += area;
      seen += part;
      first ??= part / area;
    }
    return all > 0 && (seen / all >= ${MOST} || (length > ${LONG_TEXT} && first >= ${MOST}));
  };
  const range = document.createRange();
  const isSeen = (node, state) => {
    const readable = isReadable(state);
    if (readable === false) return false;
    if (state.isFolded) return true;
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()];
    if (!isIn(boxes, state, node.data.trim().length)) return false;
    return readable === true || boxes.some((box) => isOverOther(box, state, colorOf(state.style.webkitTextFillColor)));
  };
  const choose = (list, state) => {
    const isShown = isReadable(state) !== false && (state.isFolded || isIn([list.getBoundingClientRect()], state, 0));
    for (const option of list.options) if (!option.selected || option.value.trim() === "") marks.set(option, "");
    if (isShown) state.seen += 1;
    else marks.set(list, "");
  };
  const resume = endAnimations();
  const start = {
    opacity: 1, clip: ALL, placedClip: ALL, fixedClip: ALL, limit: page, fixedLimit: true, block: root, backdrop: [255, 255, 255, 1],
    isClipped: false, isFolded: false, isClosed: false, isFixed: false, above: undefined, order: -1, style: { display: "block" },
  };
  const open = [[root, start]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [node, above] = next;
    if (above === undefined) {
      node.last = states.length - 1;
      continue;
    }
    if (node.nodeType === Node.TEXT_NODE) {
      if (above.element !== undefined && node.data.trim() !== "") texts.push([node, above]);
      continue;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("${SKIPPED}")) {
      if (node.nodeType === Node.ELEMENT_NODE) addPicture(node, above);
      continue;
    }
    if (states.length >= ${MAX_ELEMENTS}) {
      resume();
      return undefined;
    }
    const state = enter(node, above);
    if (state === undefined) continue;
    if (node.localName === "img") addPicture(node, state);
    if (node.localName === "select") {
      texts.push([node, state]);
      continue;
    }
    open.push([state, undefined]);
    const children = childrenOf(node);
    for (let at = children.length - 1; at >= 0; at -= 1) open.push([children[at], state]);
  }
  const visited = new Set(texts.map(([node]) => node));
  const hide = (state) => {
    state.own += 1;
    state.unseen += 1;
  };
  for (const [node, state] of texts) {
    const owner = byElement.get(node.parentNode) ?? state;
    if (node.nodeType !== Node.TEXT_NODE) choose(node, state);
    else if (isSeen(node, state)) owner.seen += 1;
    else hide(owner);
  }
  resume();
  // Children of a shadow tree's host that no slot shows.
  for (const host of hosts) {
    for (const child of host.childNodes) {
      if (child.nodeType === Node.ELEMENT_NODE && !byElement.has(child)) marks.set(child, "");
      if (child.nodeType === Node.TEXT_NODE && child.data.trim() !== "" && !visited.has(child)) hide(byElement.get(host));
    }
  }
  for (const state of states.toReversed()) {
    const { above } = state;
    if (above.element === undefined) continue;
    above.seen += state.seen;
    above.unseen += state.unseen;
  }
  for (const { element, seen, unseen, own, facts } of states) {
    if (marks.has(element)) continue;
    if (unseen > 0 && seen === 0 && element !== root && element !== document.body) marks.set(element, "");
    else if (own > 0) marks.set(element, [...facts, "own-text:hidden"].join(";"));
    else if (facts.length > 0) marks.set(element, facts.join(";"));
  }
  return marks;
})`;
