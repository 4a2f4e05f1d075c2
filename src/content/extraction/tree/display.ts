import { type Element } from "domhandler";

/** Elements that begin on a line of their own (WHATWG HTML §15.3). */
const BLOCKS = new Set(
  (
    "address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset " +
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav " +
    "ol optgroup p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp"
  ).split(" "),
);

const HEADINGS = new Map([1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, level]));

/** Maximum number of characters of a style attribute. A longer one is ignored. */
const MAX_STYLE_LENGTH = 2048;
const DISPLAY = /(?:^|;)\s*display\s*:\s*([\w-]+)/i;
const BLOCK_DISPLAYS = new Set(["block", "flex", "grid", "table", "list-item", "flow-root"]);

/** Whether an element is displayed as a block, according to its name and its style attribute. */
export function isBlock({ name, attribs }: Element): boolean {
  const style = attribs["style"];
  const block = BLOCKS.has(name);
  if (style === undefined || style.length > MAX_STYLE_LENGTH) return block;
  const display = DISPLAY.exec(style)?.[1]?.toLowerCase();
  if (display === undefined) return block;
  if (block) return !display.startsWith("inline") || name !== "div";
  return BLOCK_DISPLAYS.has(display) && name !== "img";
}

/** The level of a heading. Undefined if the element is not a heading. */
export function headingLevel({ name, attribs }: Element): number | undefined {
  const own = HEADINGS.get(name);
  if (own !== undefined) return own;
  if (attribs["role"] !== "heading") return undefined;
  const level = Number(attribs["aria-level"] ?? 2);
  return Number.isInteger(level) && level >= 1 ? Math.min(level, 6) : 2;
}
