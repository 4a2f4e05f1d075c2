/** Boxes that may cover text; further ones are not compared. @bound */
const MAX_COVERS = 2_000;
/** The part of its colour that a box has at least to hide what is behind it, and the part of a text that it covers. */
const OPAQUE = 0.95;
const WHOLE = 0.9;

/** Pixels of a blur behind which letters cannot be read. */
const BLURRED = 4;

/** Elements with which a reader closes a layer over the page. */
const CONTROLS = "a, button, input, select, textarea, summary, [role=button], [onclick]";

/**
 * Boxes that cover text, by the painting order of CSS 2.1, Appendix E. It uses the states and functions of `MEASURE`.
 *
 * A box counts if it is opaque and above the text: by its z-index, or behind it in the document. Backgrounds of blocks in
 * the flow are always below text. A layer that stays in the window counts only if the page does not scroll, and if it
 * has nothing that closes it.
 */
export const COVERS = `
  const isOpaque = (style) => {
    if (colorOf(style.backgroundColor)[3] >= ${OPAQUE} || parseFloat(/blur\\(([^)]*)/.exec(style.backdropFilter)?.[1] ?? 0) >= ${BLURRED}) return true;
    if (style.backgroundImage === "none") return false;
    const colors = style.backgroundImage.match(/rgba?\\([^)]*\\)|transparent/g) ?? [];
    return colors.every((color) => colorOf(color)[3] >= ${OPAQUE});
  };
  // Whether a box is painted as a whole, at the place of its z-index.
  const isLayer = (style, around) => (style.zIndex !== "auto" && (style.position !== "static" || /flex|grid/.test(around.display))) || style.opacity < 1 || style.transform !== "none" || style.filter !== "none" || style.mixBlendMode !== "normal" || /fixed|sticky/.test(style.position) || style.isolation === "isolate";
  // The place of a box in the painting order of one that is around both: its z-index, or a place in the flow.
  const heightOf = (chain, flow) => {
    let isPlaced = false;
    let isFloat = false;
    for (const { style, layer } of chain) {
      if (layer) return Number(style.zIndex === "auto" ? 0 : style.zIndex);
      isPlaced ||= style.position !== "static";
      isFloat ||= style.float !== "none";
    }
    return isPlaced ? 0 : isFloat ? -0.3 : flow;
  };
  const chainTo = (state, end) => {
    const chain = [];
    for (let at = state; at !== end; at = at.above) chain.unshift(at);
    return chain;
  };
  const IN_LINE = -0.2;
  const isAbove = (cover, state) => {
    let common = state;
    while (common.element !== undefined && !(common.order <= cover.state.order && cover.state.order <= common.last)) common = common.above;
    if (common === cover.state && cover.inner === undefined) {
      // An inner element with a negative z-index is behind the backgrounds around it, up to the next layer.
      return !common.layer && chainTo(state, common).find(({ layer }) => layer)?.style.zIndex < 0;
    }
    const chain = chainTo(cover.state, common);
    const own = heightOf(cover.inner === undefined ? chain : [...chain, cover.inner], cover.flow);
    const other = heightOf(chainTo(state, common), IN_LINE);
    return own > other || (own === other && cover.order > state.order);
  };
  const add = (state, box, more) => {
    const inside = both(box, state.outer);
    if (covers.length < ${MAX_COVERS} && areaOf(inside) >= 16) covers.push({ state, box: inside, order: state.order, flow: -0.5, inner: undefined, ...more });
  };
  const isVisible = (state) => state.style.visibility === "visible" && state.opacity >= ${OPAQUE} && !state.isFolded;
  const addCovers = (state) => {
    const { element, style } = state;
    if (!isVisible(state) || element === root || element === document.body || style.display === "contents") return;
    if (isOpaque(style)) add(state, element.getBoundingClientRect(), {});
    for (const name of ["::before", "::after"]) {
      const pseudo = getComputedStyle(element, name);
      if (pseudo.content === "none" || pseudo.content === "normal" || pseudo.position !== "absolute") continue;
      if (pseudo.visibility !== "visible" || pseudo.opacity < ${OPAQUE} || pseudo.display === "none") continue;
      if (pseudo.transform !== "none" || !isOpaque(pseudo)) continue;
      const block = state.block.getBoundingClientRect();
      const left = block.left + state.block.clientLeft + parseFloat(pseudo.left);
      const top = block.top + state.block.clientTop + parseFloat(pseudo.top);
      const box = { left, top, right: left + parseFloat(pseudo.width), bottom: top + parseFloat(pseudo.height) };
      add(state, box, { inner: { style: pseudo, layer: isLayer(pseudo, style) }, fill: colorOf(pseudo.backgroundColor), order: name === "::before" ? state.order : Infinity });
    }
  };
  const addPicture = (element, around) => {
    if (!element.matches("img, video, canvas, iframe, object, embed") || around.element === undefined) return;
    const style = getComputedStyle(element);
    if (style.visibility !== "visible" || style.display === "none" || style.opacity * around.opacity < ${OPAQUE}) return;
    if (element.localName === "img" && !(element.complete && element.naturalWidth > 0)) return;
    if (around.element === element) return add(around, element.getBoundingClientRect(), { flow: IN_LINE, isPicture: true });
    const inner = { style, layer: isLayer(style, around.style) };
    add(around, element.getBoundingClientRect(), { inner, flow: IN_LINE, order: states.length, isPicture: true });
  };
  const scrolls = document.documentElement.scrollHeight > innerHeight + 1 || document.documentElement.scrollWidth > innerWidth + 1;
  const stays = (cover, state) => {
    if (!cover.state.isFixed || state.isFixed) return true;
    let top = cover.state;
    while (top.above.isFixed) top = top.above;
    return !scrolls && top.element.querySelector("${CONTROLS}") === null;
  };
  // The middle is compared first, which rules out nearly all boxes.
  const isAt = (box, x, y) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
  const holds = ({ box }, inner) => isAt(box, (inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2) && areaOf(both(box, inner)) >= ${WHOLE} * areaOf(inner);
  const isCovered = (inner, state) => covers.some((cover) => holds(cover, inner) && isAbove(cover, state) && stays(cover, state));
  // Whether something else than a background of the elements around is behind the text, such as a picture.
  const isOverOther = (inner, state, color) => covers.some((cover) => {
    const isPlain = cover.isPicture !== true && cover.state.style.backgroundImage === "none";
    if (isPlain && isSame(cover.fill ?? cover.state.fill, color)) return false;
    const isAround = cover.inner === undefined && cover.isPicture !== true && cover.state.order <= state.order && state.order <= cover.state.last;
    return !isAround && holds(cover, inner) && !isAbove(cover, state);
  });
`;
