import { type ChildNode, type Document, type Element, isTag } from "domhandler";
import { selectAll } from "css-select";
import { textContent } from "domutils";
import { holdsHeading } from "../../../tree/holds-heading.ts";
import { isWithin } from "../../../tree/walk.ts";
import { ROOTS } from "../../empty-signs.ts";
import { type Survey, type Surveyed } from "../../survey.ts";

/** Maximum number of different selectors that are searched in a page, and of elements that are kept of each. */
const MAX_SELECTORS = 300;
const MAX_SELECTED = 200;
const MAX_SELECTOR_LENGTH = 300;

/** Elements with labels of controls instead of content. */
const CONTROLS =
  /^(?:button|select|option|label|input|textarea|summary|legend|canvas|svg|script|style|iframe|head|title|link|meta|noscript|dialog|progress|meter)$/;

/** Names of parts that most readers never see, that only a user action fills, or that are beside the content. */
const ASIDE =
  /cookie|consent|gdpr|modal|pop-?up|newsletter|toast|dialog|overlay|tooltip|lightbox|(?:^|[-_\s])chat|backdrop|drawer|snackbar|alert|(?:^|[-_\s])(?:msg|err(?:or)?s?|status|spinner|nav|search|cart|basket|wish-?list|log-?in|dots|bullets|pagination|arrows|thumbs|scrollbar|progress|re?captcha|share|print|toggle|announcer|sr-only|live-?region|disqus_thread|template|tpl|maps?|(?:to|go|scroll)-?top)(?:$|[-_\s])/i;

/** Names of advertisements. A part with a heading is content, such as the years AD. */
const ADVERTISEMENT = /(?:^|[-_\s])(?:ads?|adslot|advert\w*)(?:$|[-_\s])/i;

const MAX_ABOVE = 6;

/** Share of a page's text. An element with more of the text is the root of an application. */
const ROOT_PART = 0.8;

/** The elements of a page, as its scripts find them. */
export class PageElements {
  readonly survey: Survey;
  readonly #tree: Document;
  readonly #found = new Map<string, readonly Element[]>();
  #surveyed: ReadonlyMap<Element, Surveyed> | undefined;
  #byId: ReadonlyMap<string, Element> | undefined;

  constructor(tree: Document, survey: Survey) {
    this.#tree = tree;
    this.survey = survey;
  }

  select(selector: string, within?: readonly Element[]): readonly Element[] {
    const all = this.#found.getOrInsertComputed(selector, () => this.#search(selector));
    return within === undefined
      ? all
      : all.filter((element) => within.some((root) => element !== root && isWithin(element, root)));
  }

  #search(selector: string): readonly Element[] {
    if (this.#found.size >= MAX_SELECTORS || selector.length > MAX_SELECTOR_LENGTH) return [];
    try {
      return selectAll<ChildNode, Element>(selector, this.#tree.children).slice(0, MAX_SELECTED);
    } catch {
      // jQuery has selectors of its own: `li:first`.
      const standard = selector.replaceAll(/:[\w-]+(?:\([^()]*\))?/g, "");
      return standard === selector ? [] : this.#search(standard);
    }
  }

  byId(id: string): readonly Element[] {
    // In reverse, since the first element of an identifier counts.
    this.#byId ??= new Map(
      this.survey
        .having("id")
        .map(({ attribs, element }) => [attribs["id"] ?? "", element] as const)
        .toReversed(),
    );
    const element = this.#byId.get(id);
    return element === undefined ? [] : [element];
  }

  /** The elements that a custom element's class upgrades, or that a controller with this name gets. All if it is not known. */
  named(name: string | undefined): readonly Element[] {
    if (name === undefined) return this.survey.elements.flatMap((one) => (one.name.includes("-") ? [one.element] : []));
    const having = (attribute: string) =>
      this.survey
        .having(attribute)
        .flatMap(({ attribs, element }) => (attribs[attribute]?.split(/\s+/).includes(name) === true ? [element] : []));
    return [...this.survey.named(name).map(({ element }) => element), ...having("is"), ...having("data-controller")];
  }

  /** Whether an element is part of the content, so that a change of its text matters. */
  isContent(element: Element): boolean {
    const surveyed = this.#of(element);
    if (surveyed === undefined || element.name === "html") return false;
    return !surveyed.hidden && !surveyed.chrome && isPart(element);
  }

  /** Whether an element is content that is hidden, and that a script may uncover. */
  isCovered(element: Element): boolean {
    const surveyed = this.#of(element);
    return (
      surveyed !== undefined &&
      surveyed.hidden &&
      !surveyed.chrome &&
      isPart(element) &&
      textContent(element).trim().length >= MIN_COVERED_TEXT
    );
  }

  /** Whether an element is the root of an application that the server has rendered. A framework then only takes it over. */
  isRendered(element: Element): boolean {
    const surveyed = this.#of(element);
    if (surveyed === undefined || surveyed.text === 0 || element.name !== "div") return false;
    return ROOTS.test(element.attribs["id"] ?? "") || surveyed.text >= this.survey.contentText * ROOT_PART;
  }

  hasText(element: Element): boolean {
    return (this.#of(element)?.text ?? 0) > 0;
  }

  /** Whether an element shows nothing yet. */
  isEmpty(element: Element): boolean {
    const surveyed = this.#of(element);
    return surveyed !== undefined && surveyed.text === 0 && surveyed.media === 0 && surveyed.elements <= 1;
  }

  #of(element: Element): Surveyed | undefined {
    this.#surveyed ??= new Map(this.survey.elements.map((one) => [one.element, one]));
    return this.#surveyed.get(element);
  }
}

/** Minimum number of characters of hidden content. Less text is a label or a notice. */
const MIN_COVERED_TEXT = 10;

function isPart(element: Element): boolean {
  let above: Element | undefined = element;
  for (let level = 0; level < MAX_ABOVE && above !== undefined; level += 1) {
    const { id = "", class: classes = "" } = above.attribs;
    if (above.name === "body" || above.name === "main" || above.name === "article") break;
    const names = `${id} ${classes}`.slice(0, 300);
    if (CONTROLS.test(above.name) || above.attribs["role"] === "button" || ASIDE.test(names)) return false;
    if (ADVERTISEMENT.test(names) && !holdsHeading(above)) return false;
    above = above.parent !== null && isTag(above.parent) ? above.parent : undefined;
  }
  return true;
}

/** Whether a name is of a part beside the content, such as a banner. */
export function isAside(names: string): boolean {
  return ASIDE.test(names) || ADVERTISEMENT.test(names);
}
