import { type AnyNode, type Document, type Element, isTag, isText } from "domhandler";
import { existsOne } from "domutils";
import { countWords } from "../reader/words.ts";
import { walkNodes } from "../tree/walk.ts";
import { isUnseen, type PageFacts, seenText } from "./page-facts.ts";

/** Maximum number of words outside of the consent dialog. A page with more words has content. */
const MAX_WORDS_BESIDE = 40;
/** Minimum number of words of a consent dialog. */
const MIN_WORDS_OF_DEMAND = 12;
/**
 * Maximum number of words of an element that is the page's main content by its markup. An element with more words is
 * not a dialog.
 */
const MAX_WORDS_OF_MAIN = 150;

/** Maximum number of words of a consent wall that has its own address. */
const MAX_WORDS_OF_PAGE = 1_500;

/** Hosts and paths of pages that only ask for consent. */
const WALL_HOST = /^(?:consent|guce|guccounter|cmp|privacy-gate|cookie-?wall)\.|^myprivacy(?:-static)?\.dpgmedia\./i;
const WALL_PATH = /^\/(?:privacy-gate|cookie-?wall|consent-wall|gdpr-?consent)(?:\/|$)/i;

/** Ids and classes that consent tools give to the elements of their dialogs. */
export const BOX =
  /(?:^|[\s_-])(?:onetrust|ot-sdk|didomi|usercentrics|uc-(?:banner|container)|sp_message_container|qc-cmp2?|cybotcookiebot\w*|truste|trustarc|cmpbox|cmp-?(?:container|root|banner|wrapper)|fc-consent-root|klaro|iubenda(?:-cs)?|cookie-?(?:consent|banner|notice|wall|law|bar|popup|modal|dialog|overlay|layer|policy-banner)\w*|consent-?(?:banner|wall|modal|dialog|overlay|layer|manager|popup|gate|page|form)\w*|gdpr\w*|cc-window|osano-cm\w*|termly\w*|borlabs\w*|complianz|cmplz|axeptio\w*|tarteaucitron\w*|moove_gdpr\w*|cky-consent\w*|privacy-(?:wall|gate|manager|prompt|mgmt))(?:$|[\s_-])/i;

const DEMAND =
  /\b(?:cookies?|consent|partners|personenbezogen\w*|einwillig\w*|datenschutz\w*|donn[ée]es|privacy|gdpr|tracking|datos|toestemming|zgod\w*)\b/i;
const CHOICE =
  /\b(?:accept|agree|allow|reject|decline|manage|consent|akzeptieren|zustimmen|ablehnen|einverstanden|accepter|refuser|aceptar|rechazar|accetta\w*|rifiuta\w*|akkoord|weigeren|zaakceptuj|souhlas\w*|aceitar)\b/i;

/** Elements for the choices of a dialog, and the maximum number of characters of their labels. */
const PRESSED = new Set(["button", "a", "input", "div", "span", "label"]);
const MAX_LABEL_LENGTH = 60;

/** Maximum number of characters of an attribute that are read. */
const MAX_NAMES_LENGTH = 1_000;

/** Whether the page contains only a consent dialog. */
export function isConsentWall(tree: Document, facts: PageFacts): boolean {
  // The text is searched last: on most pages, it is long and has no effect.
  return (isWallAddress(facts) || isOnlyBoxes(tree)) && DEMAND.test(facts.text) && CHOICE.test(facts.text);
}

/** Whether a page that may be a consent wall has the address of one. */
function isWallAddress(facts: PageFacts): boolean {
  return hasWallAddress(facts.source.finalUrl) && facts.words <= MAX_WORDS_OF_PAGE;
}

/** Whether an address is one of pages that only ask for consent. */
export function hasWallAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && (WALL_HOST.test(url.hostname) || WALL_PATH.test(url.pathname));
}

/**
 * Whether the page has consent dialogs and almost no other words. The walk stops when there are too many other words:
 * to test the names of all elements takes 1 ms on long pages (`npm run bench -- reader --data DIR --cost`).
 */
function isOnlyBoxes(tree: AnyNode): boolean {
  let inBoxes = 0;
  let beside = 0;
  walkNodes(tree, {
    enter(node) {
      if (isTag(node) && isUnseen(node)) {
        for (const box of boxesOf(node)) inBoxes += dialogOf(box).inside;
        return false;
      }
      const isDialog = isTag(node) && isBox(node);
      const words = isDialog ? dialogOf(node) : { inside: 0, beside: isText(node) ? countWords(node.data) : 0 };
      inBoxes += words.inside;
      beside += words.beside;
      return beside > MAX_WORDS_BESIDE ? "stop" : !isDialog;
    },
  });
  return beside <= MAX_WORDS_BESIDE && inBoxes >= MIN_WORDS_OF_DEMAND;
}

/** The words of an element: `inside` counts them if it is a consent dialog, `beside` if it is not. */
function dialogOf(box: Element): { readonly inside: number; readonly beside: number } {
  const text = seenText(box);
  const words = countWords(text);
  const isDialog = DEMAND.test(text) && hasChoice(box) && (words <= MAX_WORDS_OF_MAIN || !hasMain(box));
  return isDialog ? { inside: words, beside: 0 } : { inside: 0, beside: words };
}

/** Whether the element contains the page's main content. A guide to consent may have a name like a dialog. */
function hasMain(box: Element): boolean {
  return existsOne(({ name }) => name === "main" || name === "article", [box]);
}

/** Whether the element contains a button. A page about cookies may have a similar name, but contains only text. */
function hasChoice(box: Element): boolean {
  return existsOne(
    (element) => {
      if (!PRESSED.has(element.name)) return false;
      if (element.name === "input") return CHOICE.test((element.attribs["value"] ?? "").slice(0, MAX_NAMES_LENGTH));
      if (element.name !== "button" && element.children.some(isTag)) return false;
      const text = seenText(element);
      return text.length <= MAX_LABEL_LENGTH && CHOICE.test(text);
    },
    [box],
  );
}

/** The outermost elements with the id or class of a consent dialog. */
function boxesOf(root: AnyNode): Element[] {
  const boxes: Element[] = [];
  walkNodes(root, {
    enter(node) {
      if (!isTag(node) || !isBox(node)) return true;
      boxes.push(node);
      return false;
    },
  });
  return boxes;
}

function isBox({ name, attribs }: Element): boolean {
  if (name === "html" || name === "body" || name === "script") return false;
  return [attribs["id"], attribs["class"]].some((names = "") => BOX.test(names.slice(0, MAX_NAMES_LENGTH)));
}
