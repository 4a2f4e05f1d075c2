import { type Element, isTag, isText } from "domhandler";

/** Classes of text for screen readers only. The visible page contains or shows the same information. */
const SCREEN_READER_ONLY = oneOf(
  "sr-only visually-hidden visuallyhidden screen-reader-text screen-reader-only screenreader " +
    "element-invisible a-offscreen show-for-sr u-visually-hidden mjx_assistive_mathml",
);

/** The root elements of consent managers' banners, by id and by class. */
const CONSENT_IDS = new Set(
  (
    "onetrust-consent-sdk onetrust-banner-sdk cybotcookiebotdialog cookiebanner cookie-banner cookie-bar " +
    "cookie-consent cookie-law-info-bar cookie-notice cookiescript_injected cookieconsent usercentrics-root " +
    "usercentrics-cmp-ui didomi-host qc-cmp2-container iubenda-cs-banner klaro borlabscookiebox cmpbox " +
    "cmpwrapper gdpr-cookie-message hs-eu-cookie-confirmation truste-consent-track " +
    "termly-code-snippet-support"
  ).split(" "),
);
/** Links beside a heading, to the heading itself and for editors, and consent banners. */
const HIDDEN_CLASSES = oneOf(
  "headerlink header-anchor heading-anchor anchorjs-link anchor-link hash-link mw-editsection " +
    "mw-fallback-image mwe-math-fallback-image-inline mwe-math-fallback-image-display mathjax_preview " +
    "mathjax_display mathjax_svg mathjax_svg_display " +
    "cc-window cky-consent-container cmplz-cookiebanner cookie-banner cookie-bar cookie-consent cookie-notice " +
    "cookieconsent fc-consent-root moove_gdpr_cookie_info_bar osano-cm-window qc-cmp2-container " +
    "truste_box_overlay",
);

/** A pattern of class attributes that have one of the names, in any case. */
function oneOf(names: string): RegExp {
  return new RegExp(`(?:^|\\s)(?:${names.replaceAll(" ", "|")})(?!\\S)`, "i");
}

const CLOSED_CLASSES = /(?:^|\s)(?:modal|offcanvas|off-canvas|drawer|popup|overlay|dropdown-menu)(?:\s|$)/i;

const PANEL_CLASSES = /(?:^|[\s_-])(?:accordion|faq|tab-?pane|tab-?panel|disclosure|collapsible)(?:$|[\s_-])/i;

/** Buttons beside code that copy it. */
const COPIES = /(?:^|[\s_-])(?:copy|copybtn|clipboard)(?:$|[\s_-])/i;

/** Maximum number of characters of an attribute. A longer one is ignored. */
const MAX_ATTRIBUTE_LENGTH = 2048;

/** Whether an element's text is for screen readers only. */
export function isScreenReaderOnly({ attribs }: Element): boolean {
  const names = attribs["class"];
  return names !== undefined && SCREEN_READER_ONLY.test(names.slice(0, MAX_ATTRIBUTE_LENGTH));
}

/** Whether an element is invisible or shows no content, such as consent banners and permalink marks. */
export function isHidden(element: Element): boolean {
  return isFolded(element) || isMachinery(element) || isUnreadable(element.attribs["style"]);
}

/** Whether an element is invisible until a script or a reader opens it, such as the panel of a tab. */
export function isFolded(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "body" || name === "html") return false;
  const hidden = attribs["hidden"];
  // `until-found` means folded content that a search in the page opens, like details.
  if (hidden !== undefined && hidden.toLowerCase() !== "until-found") return !isPanel(element);
  // Alpine shows or hides such a part. The page's style sheet hides it until then.
  if (attribs["x-cloak"] !== undefined && attribs["x-show"] !== undefined) return !isPanel(element);
  if (name === "dialog" && attribs["open"] === undefined) return true;
  const style = attribs["style"];
  if (style !== undefined && hides(style, element) && !keepsMath(element)) return !isPanel(element);
  return attribs["aria-hidden"] === "true" && isDecoration(element);
}

/** Whether a reader opens the element in its place: a panel of tabs or of an accordion. */
function isPanel(element: Element): boolean {
  const { attribs } = element;
  const role = attribs["role"];
  if (role === "tabpanel" || role === "region" || isUnderButton(element)) return true;
  return PANEL_CLASSES.test((attribs["class"] ?? "").slice(0, MAX_ATTRIBUTE_LENGTH));
}

/** Maximum number of elements before a panel that are searched for its button. */
const MAX_BEFORE = 3;
const HEADINGS = new Set(["h2", "h3", "h4", "h5", "h6", "dt", "summary"]);

/** Whether the heading before an element is the button that opens it. */
function isUnderButton({ prev }: Element): boolean {
  let before = prev;
  for (let at = 0; at < MAX_BEFORE && before !== null && !isTag(before); at += 1) before = before.prev;
  if (before === null || !isTag(before) || !HEADINGS.has(before.name)) return false;
  return opens(before) || before.children.some((child) => isTag(child) && opens(child));
}

function opens({ attribs }: Element): boolean {
  return attribs["aria-expanded"] !== undefined || attribs["aria-controls"] !== undefined;
}

/** Elements beside a link in a heading that are searched for words. */
const MAX_BESIDE = 20;

/** Whether a link has the class of a mark beside a heading, but is the heading's whole text. */
export function isWholeHeading(link: Element): boolean {
  const { parent, name } = link;
  if (name !== "a" || parent === null || !isTag(parent) || !/^h[1-6]$/.test(parent.name)) return false;
  if (parent.children.length > MAX_BESIDE || !isMachinery(link)) return false;
  const beside = parent.children.filter((child) => child !== link);
  return hasWord(link) && !beside.some((child) => (isText(child) ? WORD.test(child.data) : isTag(child)));
}

const WORD = /[\p{L}\p{N}]/u;

function hasWord({ children }: Element): boolean {
  const texts = children
    .slice(0, MAX_BESIDE)
    .flatMap((child) => (isTag(child) ? child.children.slice(0, MAX_BESIDE) : child));
  return texts.some((text) => isText(text) && WORD.test(text.data));
}

/** Whether the visible text of an element is not content: consent banners, permalink marks and the like. */
export function isMachinery(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "body" || name === "html") return false;
  if (name === "button" && COPIES.test(attribs["class"] ?? "")) return true;
  const id = attribs["id"];
  if (id !== undefined && CONSENT_IDS.has(id.toLowerCase())) return true;
  const names = attribs["class"];
  if (names === undefined) return false;
  if (names === "katex-html") return hasMathBefore(element);
  // MathJax 2 keeps the formula's source beside its output. MathJax 3 has MathML inside.
  if (name !== "mjx-container" && names === "MathJax") return true;
  return HIDDEN_CLASSES.test(names.slice(0, MAX_ATTRIBUTE_LENGTH));
}

/** KaTeX draws the formula beside its MathML, unless it is configured to omit the MathML. */
function hasMathBefore({ prev }: Element): boolean {
  return prev !== null && isTag(prev) && prev.attribs["class"] === "katex-mathml";
}

function hides(style: string, { children }: Element): boolean {
  if (style.length > MAX_ATTRIBUTE_LENGTH) return false;
  // Lists of blocks have no size of letters themselves, so that there are no spaces between the blocks.
  return HIDES.test(style) || (/(?:^|;)\s*font-size\s*:\s*0\D{0,3}(?:;|$)/i.test(style) && !children.some(isTag));
}

/** Whether a style makes text unreadable, and no script undoes it, as scripts undo `opacity: 0` when readers scroll. */
function isUnreadable(style: string | undefined): boolean {
  if (style === undefined || style.length > MAX_ATTRIBUTE_LENGTH) return false;
  if (UNREADABLE.test(style)) return true;
  const [, color] = COLOR.exec(style) ?? [];
  const [, background] = color === undefined ? [] : (BACKGROUND.exec(style) ?? []);
  if (color === undefined || background === undefined) return false;
  const shown = Bun.color(color, "css");
  return shown !== null && shown === Bun.color(background, "css");
}

const UNREADABLE =
  /(?:^|;)\s*(?:font-size\s*:\s*(?:1(?:\.\d+)?px|0?\.0\d*r?em)|clip\s*:\s*rect\((?:\s*,?\s*[01](?:px)?\b){4}\s*\)|clip-path\s*:\s*inset\(50%\))/i;
const COLOR = /(?:^|;)\s*color\s*:\s*([^;!]+)/i;
const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/i;

/** Styles that hide an element, or move it off the page: over 999 pixels to the left, or up. */
const HIDES =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:left|top)\s*:\s*-(?:\d{4,7}px|\d{3,6}r?em))\b/i;

/** Wikis hide the MathML and show a picture of it. The MathML has the formula's source. */
function keepsMath({ attribs }: Element): boolean {
  return /(?:^|\s)mwe-math-mathml/.test(attribs["class"] ?? "");
}

/** Elements that screen readers skip are mostly visible. They are left out only if they are icons or closed dialogs. */
function isDecoration(element: Element): boolean {
  const { name, attribs } = element;
  if (name === "i" || name === "a" || attribs["role"] === "dialog") return true;
  if (CLOSED_CLASSES.test((attribs["class"] ?? "").slice(0, MAX_ATTRIBUTE_LENGTH))) return true;
  const [only] = element.children;
  if (element.children.length !== 1 || only === undefined) return false;
  return isText(only) ? only.data.trim().length <= 1 : isTag(only) && only.name === "svg";
}
