import { loadsUnknown } from "./inline-signs.ts";
import { type Sign } from "./sign.ts";
import { type Survey, type Surveyed } from "./survey.ts";

/** Minimum number of characters of text in an application's root. Less text is a loading notice. */
const ROOT_TEXT = 120;
/** The same for the main element of a page. */
const MAIN_TEXT = 40;
/** Characters of text outside of navigation. A page with less text and unknown scripts may get its text from them. */
const LITTLE_TEXT = 300;
/** The same if the scripts are an application's bundle. */
const BUNDLE_TEXT = 500;
/** A page with more text than this is not a list of search results. */
const SEARCH_TEXT = 500;
/** The same as LITTLE_TEXT if a noscript element says that the page needs scripts. */
const NOTICE_TEXT = 600;
/** Ratio of embedded data to the page's text. At this ratio, scripts may make the page from the data. */
const DATA_RATIO = 25;
const MUCH_DATA = 2000;
/** A page with more text than this has its own content, even if it embeds data. */
const DATA_TEXT = 3000;

/** Identifiers of the root elements of applications. */
export const ROOTS =
  /^(?:root|app|application|__next|__nuxt|___gatsby|gatsby-focus-wrapper|svelte|sapper|q-app|app-root|app-mount|react-root|react-app|reactroot|vue-app|vueapp|ember-app|main-app|mount|mount-point|spa|app-container|appmountpoint|single-spa-application.{0,60}|storefront|shell|outlet|router-outlet|view-root|ng-app|elm|elm-app|content-root)$/i;

/** Names of containers that scripts fill with a page's content. */
const CONTAINERS =
  /(?:^|[-_\s])(?:list|listing|listings|results?|items?|products?|posts?|feed|stream|articles?|stories|entries|reviews?|table|grid|catalog(?:ue)?|gallery|timeline|content|contents|details?|view|dashboard|data|events?|jobs?|news|search-results|output|chart|board|tbody|rows?|cards?|recipes?|messages?|thread|topics?|related|recommendations?|prices?|stats?|profile|schedule|lineup|menu-items|answers?|quotes?|app|root|container|target|mount|widget|placeholder|infinite|sentinel|load-more|lazy|async|include|partial|fragment)(?:$|[-_\s])/i;

/** Containers that third parties fill, or that stay empty until a user acts. */
const OTHERS =
  /(?:^|[-_\s])(?:ads?|adslot|advert\w{0,20}|banner|sponsor\w{0,10}|gpt|dfp|taboola|outbrain|disqus\w{0,10}|fb-root|modal\w{0,10}|dialog|popup|overlay|toasts?|toaster|notifications?|snackbar|tooltips?|lightbox|consent|cookies?|gdpr|cmp|captcha|recaptcha|backdrop|portal|clearfix|clear|divider|separator|spacer|icon|logo|map|scroll|progress|back-to-top|totop|announcer|announcement|live-region|sr-only|player|video|share|sharing|social|carousel-indicators|pagination|dots|swiper-pagination|arrow|cart|mini-?cart|basket|wish-?list|compare|recently-?viewed)(?:$|[-_\s])/i;

/** Parts that a user opens. Empty elements in them are filled then. */
const OPENED =
  /(?:^|[-_\s])(?:modal|dialog|pop-?up|drawer|off-?canvas|fly-?out|lightbox|mini-?cart|cart|basket|wish-?list|chat)(?:$|[-_\s])/i;
/** Number of ancestors of an empty element that are checked for such parts. */
const MAX_ABOVE = 5;
/** Attributes with the selector, or the id, of the element that a user action fills. */
const ON_ACTION = ["hx-target", "data-hx-target", "up-target", "aria-controls"];

const CONTAINER_ELEMENTS = new Set(["div", "section", "ul", "ol", "tbody", "main", "article", "table", "dl"]);

function isEmpty({ text, media, elements }: Surveyed): boolean {
  return text === 0 && media === 0 && elements === 0;
}

function hasUnknown({ code }: Survey): boolean {
  return code.unknown.length > 0 || code.inline.some((script) => loadsUnknown(script));
}

function nothingToSee({ text }: Survey): boolean {
  return text === 0;
}

const ROOT_ELEMENTS = new Set(["app-root", "my-app", "ion-app", "flt-glass-pane"]);
const NO_ROOTS = new Set(["body", "html", "a", "script", "link"]);

function isEmptyRoot({ name, attribs, text, media }: Surveyed): boolean {
  if (text >= ROOT_TEXT || media > 2) return false;
  return ROOT_ELEMENTS.has(name) || (!NO_ROOTS.has(name) && ROOTS.test(attribs["id"] ?? ""));
}

function hasEmptyRoot(page: Survey): boolean {
  if (page.contentText > 0 && isLogIn(page)) return false;
  return (
    page.having("id").some((element) => isEmptyRoot(element)) ||
    page.having("data-reactroot").some(({ text }) => text < ROOT_TEXT) ||
    page.someCustom((element) => ROOT_ELEMENTS.has(element.name) && isEmptyRoot(element))
  );
}

/** Whether the page shows only a login form. */
function isLogIn(page: Survey): boolean {
  return page.having("type").some(({ attribs, hidden }) => attribs["type"]?.toLowerCase() === "password" && !hidden);
}

/** Maximum number of characters of text on a page that only asks the reader to log in. */
const WALL_TEXT = 40;

/** Whether the page has a text with a link to a login page. */
function isLogInWall(page: Survey): boolean {
  if (page.contentText < WALL_TEXT) return false;
  return page
    .named("a")
    .some(({ attribs, chrome, hidden }) => !chrome && !hidden && LOG_IN.test((attribs["href"] ?? "").slice(0, 300)));
}

const LOG_IN = /(?:^|[/_.-])(?:log-?in|sign-?in|anmelden|connexion|iniciar-sesion|accedi)(?:$|[/_.?#-])/i;

function isEmptyMain({ name, text, media, hidden }: Surveyed): boolean {
  return name !== "a" && !hidden && text < MAIN_TEXT && media === 0;
}

function hasEmptyMain(page: Survey): boolean {
  if (!hasUnknown(page)) return false;
  return (
    page.named("main").some((element) => isEmptyMain(element)) ||
    page.having("role").some((element) => element.attribs["role"] === "main" && isEmptyMain(element)) ||
    page.having("id").some((element) => MAINS.test(element.attribs["id"] ?? "") && isEmptyMain(element))
  );
}

const MAINS = /^(?:main|content|main-content)$/i;

/** Attributes of elements that the site's scripts fill with a widget. */
const WIDGET_ATTRIBUTES =
  /(?:^|\s)data-(?:widget|module|feed|source|endpoint|api|url|fetch|load|remote|list|items|component|fragment|partial|slot|reviews|comments|listing|table|chart|target)(?:-(?:id|name|type|url|src))?(?=\s|$)/;

function isEmptyContainer(element: Surveyed): boolean {
  const { name, attribs, chrome, hidden } = element;
  if (chrome || hidden || !CONTAINER_ELEMENTS.has(name) || !isEmpty(element)) return false;
  // A table body without rows is filled later.
  if (name === "tbody") return true;
  const names = `${attribs["id"] ?? ""} ${attribs["class"] ?? ""}`;
  if (WIDGET_ATTRIBUTES.test(Object.keys(attribs).join(" "))) return !OTHERS.test(names);
  return CONTAINERS.test(names) && !OTHERS.test(names);
}

function hasEmptyContainer(page: Survey): boolean {
  if (!hasUnknown(page)) return false;
  // Unless the page is a list of results, these elements are filled when a user searches.
  const isForSearch = ({ attribs }: Surveyed) =>
    page.contentText >= SEARCH_TEXT && /search/i.test(`${attribs["id"] ?? ""} ${attribs["class"] ?? ""}`);
  return page.elements.some(
    (element) => isEmptyContainer(element) && !isForSearch(element) && !waitsForAction(element, page),
  );
}

/** Whether an empty element is filled when a user acts. */
export function waitsForAction(element: Surveyed, page: Survey): boolean {
  return isInOpenedPart(element, page) || isTarget(element, page);
}

/** Share of a page's text. A form with more of the text is around the whole page. */
const FORM_PART = 0.5;

function isInOpenedPart(element: Surveyed, { elements, contentText }: Survey): boolean {
  let above: Surveyed | undefined = element;
  for (let level = 0; level <= MAX_ABOVE && above !== undefined; level += 1) {
    const { id = "", class: classes = "" } = above.attribs;
    if (above.name === "form" && above.text < contentText * FORM_PART) return true;
    if (above.name !== "body" && OPENED.test(`${id} ${classes}`.slice(0, MAX_NAMES_LENGTH))) return true;
    above = elements[above.parent];
  }
  return false;
}

/** Maximum number of characters of an element's id and classes. */
const MAX_NAMES_LENGTH = 300;

/** Whether an element with an id is filled when a user acts on another element. */
function isTarget({ attribs: { id = "" } }: Surveyed, page: Survey): boolean {
  if (id === "") return false;
  return ON_ACTION.some((attribute) => {
    const targets = page.valuesOf(attribute);
    return targets.has(id) || targets.has(`#${id}`);
  });
}

function hasLittleText(page: Survey): boolean {
  return page.contentText < LITTLE_TEXT && hasUnknown(page) && !isLogIn(page) && !isLogInWall(page);
}

/** File names from bundlers: main.3f2a9c1b.js, chunk-vendors.js, runtime.js, /_next/static/, /assets/index-Bx12.js. */
const BUNDLES =
  /\/(?:_next|_nuxt|_app\/immutable|__gatsby|build\/_shared|static\/js|_framework)\/|(?:^|\/)(?:(?:main|app|index|client)(?:[~.-][\w~-]{1,40}){1,3}|(?:bundle|entry|vendors?|runtime|chunk|polyfills|webpack)(?:[~.-][\w~-]{1,40}){0,3})\.(?:m?js|chunk\.js|bundle\.js)(?:$|[?#])/i;

function hasBundleAndLittleText(page: Survey): boolean {
  return (
    page.contentText < BUNDLE_TEXT &&
    page.code.unknown.some((src) => BUNDLES.test(src)) &&
    !isLogIn(page) &&
    !isLogInWall(page)
  );
}

/**
 * Maximum number of characters of a noscript element. A longer one usually contains pictures or comments for other
 * purposes.
 */
const NOSCRIPT_LENGTH = 3000;
const TAGS = /<[^<>]{0,999}>/g;

function hasNotice({ contentText, noscripts, phrases }: Survey): boolean {
  if (contentText >= NOTICE_TEXT) return false;
  const asks = noscripts.some((markup) => {
    const text = markup.slice(0, NOSCRIPT_LENGTH).replace(TAGS, " ");
    return /java\s?script|\bJS\b/i.test(text) && !/disqus/i.test(text);
  });
  return asks || phrases.some(({ text, code }) => !code && NOTICE.test(text));
}

const NOTICE =
  /(?:enable|activate|allow|turn on|requires?|without|needs?)\s{1,9}java\s?script|java\s?script\s{1,9}(?:is|must|has|to be|needs?|aktivieren|erforderlich|requis|activ\w{0,9}|habilit\w{0,9}|disabled|required)|включите\s{1,9}javascript|javascript\s?を有効|启用\s?javascript/i;

function hasDataForMore(page: Survey): boolean {
  const { contentText, code } = page;
  if (contentText >= DATA_TEXT || (contentText > 0 && isLogIn(page))) return false;
  let length = code.data;
  for (const { whole, bare } of code.inline) if (STATE.test(bare)) length += whole.length;
  return length > MUCH_DATA && length > contentText * DATA_RATIO;
}

/** Data that an inline script stores for other scripts. */
const STATE =
  /(?:window|self|globalThis)\s{0,9}(?:\.\s{0,9}|\[\s{0,99}["'])\s{0,99}\w{0,60}\s{0,9}\]?\s{0,9}=\s{0,9}(?:\{|\[|JSON\.parse|["'`(])|\b__next_f\.push|\b__(?:NUXT|INITIAL_STATE|PRELOADED_STATE|APOLLO_STATE|DATA|remixContext)__/;

/** Signs of pages with little of their content. Each sign counts only if the page has code that runs. */
export const EMPTY_SIGNS: readonly Sign[] = [
  { name: "no-text", shown: nothingToSee },
  { name: "empty-root", shown: hasEmptyRoot },
  { name: "empty-main", shown: hasEmptyMain },
  { name: "empty-container", shown: hasEmptyContainer },
  { name: "noscript-notice", shown: hasNotice },
  { name: "client-data", shown: hasDataForMore },
  { name: "bundle-with-little-text", shown: hasBundleAndLittleText },
  { name: "scripts-with-little-text", shown: hasLittleText },
];
