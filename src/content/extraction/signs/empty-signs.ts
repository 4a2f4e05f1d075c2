import { type Sign } from "./sign.ts";
import { type Survey, type Surveyed } from "./survey.ts";

/** Minimum number of characters of text in an application's root. Less text is a loading notice. */
const ROOT_TEXT = 120;
/** Characters of text outside of navigation. A page with less text and unknown scripts may get its text from them. */
const LITTLE_TEXT = 300;
/** Identifiers of the root elements of applications. */
export const ROOTS =
  /^(?:root|app|application|__next|__nuxt|___gatsby|gatsby-focus-wrapper|svelte|sapper|q-app|app-root|app-mount|react-root|react-app|reactroot|vue-app|vueapp|ember-app|main-app|mount|mount-point|spa|app-container|appmountpoint|single-spa-application.{0,60}|storefront|shell|outlet|router-outlet|view-root|ng-app|elm|elm-app|content-root)$/i;

/** Inline code that loads other scripts. */
const LOADS = /\bimport\b|\bcreateElement\s{0,9}\(\s{0,9}["'`]script/i;

function hasUnknown({ code }: Survey): boolean {
  return code.unknown.length > 0 || code.inline.some((script) => LOADS.test(script.code));
}

const ROOT_ELEMENTS = new Set(["app-root", "my-app", "ion-app", "flt-glass-pane"]);
const NO_ROOTS = new Set(["body", "html", "a", "script", "link"]);

function isEmptyRoot({ name, attribs, text, media }: Surveyed): boolean {
  if (text >= ROOT_TEXT || media > 2) return false;
  return ROOT_ELEMENTS.has(name) || (!NO_ROOTS.has(name) && ROOTS.test(attribs["id"] ?? ""));
}

function hasEmptyRoot(page: Survey): boolean {
  if (page.contentText > 0 && isLogIn(page)) return false;
  return page.elements.some(isEmptyRoot);
}

/** Whether the page shows only a login form. */
function isLogIn(page: Survey): boolean {
  return page.having("type").some(({ attribs, hidden }) => attribs["type"]?.toLowerCase() === "password" && !hidden);
}

/** Maximum number of characters of text on a page that only asks the reader to log in. */
const WALL_TEXT = 40;

function isLogInWall(page: Survey): boolean {
  if (page.contentText < WALL_TEXT) return false;
  return page
    .named("a")
    .some(({ attribs, chrome, hidden }) => !chrome && !hidden && LOG_IN.test((attribs["href"] ?? "").slice(0, 300)));
}

const LOG_IN = /(?:^|[/_.-])(?:log-?in|sign-?in|anmelden|connexion|iniciar-sesion|accedi)(?:$|[/_.?#-])/i;

function hasLittleText(page: Survey): boolean {
  return page.contentText < LITTLE_TEXT && hasUnknown(page) && !isLogIn(page) && !isLogInWall(page);
}

/** The sign of a page that shows nothing. It counts only if the page has code that runs. */
export const NO_TEXT_SIGN: Sign = { name: "no-text", shown: ({ text }) => text === 0 };

/** Signs of pages that show little. A short page may be all that there is, and a root may stay empty until a user acts. */
export const EMPTY_SIGNS: readonly Sign[] = [
  { name: "scripts-with-little-text", shown: hasLittleText },
  { name: "empty-root", shown: hasEmptyRoot },
];
