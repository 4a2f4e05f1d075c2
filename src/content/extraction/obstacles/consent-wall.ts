import { type AnyNode, type Document, type Element, isTag } from "domhandler";
import { countWords } from "../reader/words.ts";
import { type PageFacts, seenText, walk } from "./page-facts.ts";

/** Words outside of the consent dialog. A page with more words has content. */
const MAX_WORDS_BESIDE = 40;
/** Minimum number of words of a consent dialog. */
const MIN_WORDS_OF_DEMAND = 12;
/** Words of an element that is the page's main content by its markup. With more words, it is not a dialog. */
const MAX_WORDS_OF_MAIN = 150;
/** Words of a consent wall that has its own address. */
const MAX_WORDS_OF_PAGE = 1_500;

/** Hosts and paths of pages that only ask for consent. */
const WALL_HOST = /^(?:consent|guce|guccounter|cmp|privacy-gate|cookie-?wall)\.|^myprivacy(?:-static)?\.dpgmedia\./i;
const WALL_PATH = /^\/(?:privacy-gate|cookie-?wall|consent-wall|gdpr-?consent)(?:\/|$)/i;

/** Names that consent tools give to the boxes of their dialogs. */
const BOX =
  /(?:^|[\s_-])(?:onetrust|ot-sdk|didomi|usercentrics|uc-(?:banner|container)|sp_message_container|qc-cmp2?|cybotcookiebot\w*|truste|trustarc|cmpbox|cmp-?(?:container|root|banner|wrapper)|fc-consent-root|klaro|iubenda(?:-cs)?|cookie-?(?:consent|banner|notice|wall|law|bar|popup|modal|dialog|overlay|layer|policy-banner)\w*|consent-?(?:banner|wall|modal|dialog|overlay|layer|manager|popup|gate|page|form)\w*|gdpr\w*|cc-window|osano-cm\w*|termly\w*|borlabs\w*|complianz|cmplz|axeptio\w*|tarteaucitron\w*|moove_gdpr\w*|cky-consent\w*|privacy-(?:wall|gate|manager|prompt|mgmt))(?:$|[\s_-])/i;

const DEMAND =
  /\b(?:cookies?|consent|partners|personenbezogen\w*|einwillig\w*|datenschutz\w*|donn[ée]es|privacy|gdpr|tracking|datos|toestemming|zgod\w*)\b/i;
const CHOICE =
  /\b(?:accept|agree|allow|reject|decline|manage|consent|akzeptieren|zustimmen|ablehnen|einverstanden|accepter|refuser|aceptar|rechazar|accetta\w*|rifiuta\w*|akkoord|weigeren|zaakceptuj|souhlas\w*|aceitar)\b/i;

/** Elements for the choices of a dialog, and characters of their labels. */
const PRESSED = new Set(["button", "a", "input", "div", "span", "label"]);
const MAX_LABEL_LENGTH = 60;

/** Characters of an attribute that are read. */
const MAX_NAMES_LENGTH = 1_000;

/** Whether the page contains only a consent dialog. */
export function isConsentWall(tree: Document, facts: PageFacts): boolean {
  const asks = DEMAND.test(facts.text) && CHOICE.test(facts.text);
  if (!asks) return false;
  if (facts.url !== undefined && facts.words <= MAX_WORDS_OF_PAGE) {
    if (WALL_HOST.test(facts.url.hostname) || WALL_PATH.test(facts.url.pathname)) return true;
  }
  const boxes = new Set<AnyNode>();
  let inBoxes = 0;
  for (const box of boxesOf(tree)) {
    const text = seenText(box);
    const words = countWords(text);
    if (!DEMAND.test(text) || !hasChoice(box) || (words > MAX_WORDS_OF_MAIN && hasMain(box))) continue;
    boxes.add(box);
    inBoxes += words;
  }
  // The other words are counted, not computed as a difference, since only a part of a long text is read.
  return inBoxes >= MIN_WORDS_OF_DEMAND && countWords(seenText(tree, boxes)) <= MAX_WORDS_BESIDE;
}

/** Whether the box contains the page's main content. A guide to consent may have a name like a dialog. */
function hasMain(box: Element): boolean {
  let found = false;
  walk(box, (node) => {
    found = isTag(node) && (node.name === "main" || node.name === "article");
    return found ? "stop" : "go on";
  });
  return found;
}

/** Whether the box contains a button. A page about cookies with a similar name contains only text. */
function hasChoice(box: Element): boolean {
  let found = false;
  walk(box, (node) => {
    if (!isTag(node) || !PRESSED.has(node.name)) return "go on";
    if (node.name === "input") found = CHOICE.test(attribute(node.attribs, "value"));
    else if (node.name === "button" || !node.children.some(isTag)) {
      const text = seenText(node);
      found = text.length <= MAX_LABEL_LENGTH && CHOICE.test(text);
    }
    return found ? "stop" : "go on";
  });
  return found;
}

/** The outermost elements whose names are those of a consent tool's box. */
function boxesOf(tree: AnyNode): Element[] {
  const boxes: Element[] = [];
  const known = new Map<string, boolean>();
  walk(tree, (node) => {
    if (!isTag(node) || !isBox(node, known)) return "go on";
    boxes.push(node);
    return "skip";
  });
  return boxes;
}

/** `known` has the names that were tested before, since most elements of a page share their classes with others. */
function isBox({ name, attribs }: Element, known: Map<string, boolean>): boolean {
  if (name === "html" || name === "body" || name === "script") return false;
  for (const names of [attribs["id"], attribs["class"]]) {
    if (names === undefined) continue;
    const isOne = known.get(names) ?? BOX.test(names.slice(0, MAX_NAMES_LENGTH));
    known.set(names, isOne);
    if (isOne) return true;
  }
  return false;
}

/** The value of a name or class attribute. A longer value is ignored. */
function attribute(attributes: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? "").slice(0, MAX_NAMES_LENGTH) : "";
}
