import { type AnyNode, type Document, type Element, isTag } from "domhandler";
import { countWords } from "../reader/words.ts";
import { type PageFacts, seenText, walk } from "./page-facts.ts";

/** A page with more words than this outside of its demand for consent has something to read. */
const MAX_WORDS_BESIDE = 40;
/** A demand for consent says at least this much. */
const MIN_WORDS_OF_DEMAND = 12;
/** What is the page's content by its markup, and longer than this, is no demand. */
const MAX_WORDS_OF_MAIN = 150;
/** A wall of its own address is this short. */
const MAX_WORDS_OF_PAGE = 1_500;

/** Hosts and paths of pages that do nothing but ask. */
const WALL_HOST = /^(?:consent|guce|guccounter|cmp|privacy-gate|cookie-?wall)\.|^myprivacy(?:-static)?\.dpgmedia\./i;
const WALL_PATH = /^\/(?:privacy-gate|cookie-?wall|consent-wall|gdpr-?consent)(?:\/|$)/i;

/** What holds a demand for consent: names that consent tools give their boxes. */
const BOX =
  /(?:^|[\s_-])(?:onetrust|ot-sdk|didomi|usercentrics|uc-(?:banner|container)|sp_message_container|qc-cmp2?|cybotcookiebot\w*|truste|trustarc|cmpbox|cmp-?(?:container|root|banner|wrapper)|fc-consent-root|klaro|iubenda(?:-cs)?|cookie-?(?:consent|banner|notice|wall|law|bar|popup|modal|dialog|overlay|layer|policy-banner)\w*|consent-?(?:banner|wall|modal|dialog|overlay|layer|manager|popup|gate|page|form)\w*|gdpr\w*|cc-window|osano-cm\w*|termly\w*|borlabs\w*|complianz|cmplz|axeptio\w*|tarteaucitron\w*|moove_gdpr\w*|cky-consent\w*|privacy-(?:wall|gate|manager|prompt|mgmt))(?:$|[\s_-])/i;

const DEMAND =
  /\b(?:cookies?|consent|partners|personenbezogen\w*|einwillig\w*|datenschutz\w*|donn[ée]es|privacy|gdpr|tracking|datos|toestemming|zgod\w*)\b/i;
const CHOICE =
  /\b(?:accept|agree|allow|reject|decline|manage|consent|akzeptieren|zustimmen|ablehnen|einverstanden|accepter|refuser|aceptar|rechazar|accetta\w*|rifiuta\w*|akkoord|weigeren|zaakceptuj|souhlas\w*|aceitar)\b/i;

/** What choices are made of, in characters of their labels too. */
const PRESSED = new Set(["button", "a", "input", "div", "span", "label"]);
const MAX_LABEL_LENGTH = 60;

/** Whether the page is a demand for consent and nothing else to speak of. */
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
  // Counted and not reckoned: a long text is looked at in part.
  return inBoxes >= MIN_WORDS_OF_DEMAND && countWords(seenText(tree, boxes)) <= MAX_WORDS_BESIDE;
}

/** Whether the page's own content, as it says itself, is in there: a guide to consent may be named like a box. */
function hasMain(box: Element): boolean {
  let found = false;
  walk(box, (node) => {
    found = isTag(node) && (node.name === "main" || node.name === "article");
    return found ? "stop" : "go on";
  });
  return found;
}

/** Whether there is something to press; a page about cookies that is named like a box only has text. */
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

/** The outermost elements that are named as a box of a consent tool. */
function boxesOf(tree: AnyNode): Element[] {
  const boxes: Element[] = [];
  walk(tree, (node) => {
    if (!isTag(node) || !isBox(node)) return "go on";
    boxes.push(node);
    return "skip";
  });
  return boxes;
}

function isBox({ name, attribs }: Element): boolean {
  if (name === "html" || name === "body" || name === "script") return false;
  return BOX.test(attribute(attribs, "id")) || BOX.test(attribute(attribs, "class"));
}

/** A name or a list of classes; what is longer is no name that anybody gave. */
function attribute(attributes: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(attributes, name) ? (attributes[name] ?? "").slice(0, 1_000) : "";
}
