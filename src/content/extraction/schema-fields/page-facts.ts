import { type Document, type Element, isText } from "domhandler";
import { elementsOf } from "../selectors/select-all.ts";
import { jsonLdThings } from "./json-ld.ts";
import { Labels } from "./labels.ts";
import { markedThings } from "./microdata.ts";
import { isPerUnit, type Money, moneyIn, numbersIn } from "./numbers.ts";
import { type PageAbout, ShownPage } from "./shown-page.ts";
import { type Thing } from "./things.ts";

/** Characters of a line that is a price and nothing else, and such lines of a page. */
const MAX_PRICE_LENGTH = 40;
const MAX_PRICES = 2_000;

/** A line that shows an amount of money. */
export interface Price {
  readonly element: Element;
  readonly money: Money;
}

/** Elements whose parts are values of their own. */
const ROWS: ReadonlySet<string> = new Set(["tr", "tbody", "table", "dl", "ul", "ol"]);

/** The text of an element without that of the elements in it. */
function ownText({ children }: Element): string {
  return children.map((child) => (isText(child) ? child.data : " ")).join("");
}

/** The visible page, its structured data, and its `meta` elements. */
export class PageFacts {
  readonly page: ShownPage;
  readonly labels: Labels;
  readonly things: readonly Thing[];
  /** `meta` elements by their names in lower case. */
  readonly meta: ReadonlyMap<string, readonly Element[]>;
  readonly canonical: Element | undefined;
  readonly root: Element | undefined;
  #prices: readonly Price[] | undefined;
  #numbers: ReadonlySet<number | undefined> | undefined;
  #amounts: ReadonlySet<number | undefined> | undefined;

  constructor(
    tree: Document,
    { url, locale, sight }: Pick<PageAbout, "url" | "sight"> & { readonly locale: string | undefined },
  ) {
    const meta = new Map<string, Element[]>();
    let [canonical, root]: (Element | undefined)[] = [];
    for (const element of elementsOf(tree)) {
      const { name, attribs } = element;
      if (name === "html") root ??= element;
      if (name === "link" && /(?:^|\s)canonical(?:\s|$)/i.test(attribs["rel"] ?? "")) canonical ??= element;
      if (name !== "meta" || attribs["content"] === undefined) continue;
      const key = (attribs["property"] ?? attribs["name"] ?? attribs["http-equiv"] ?? "").toLowerCase();
      meta.getOrInsert(key, []).push(element);
    }
    const language = locale ?? root?.attribs["lang"] ?? meta.get("og:locale")?.[0]?.attribs["content"] ?? "";
    this.page = new ShownPage(tree, { url, locale: language.trim().replaceAll("_", "-").slice(0, 35), sight });
    this.labels = new Labels(this.page);
    this.things = [...jsonLdThings(tree), ...markedThings(this.page)];
    this.meta = meta;
    this.canonical = canonical;
    this.root = root;
  }

  /** The content of the first of these `meta` elements. */
  content(...names: readonly string[]): { readonly element: Element; readonly text: string } | undefined {
    for (const name of names) {
      const [element] = this.meta.get(name) ?? [];
      const text = element?.attribs["content"]?.trim() ?? "";
      if (element !== undefined && text !== "") return { element, text };
    }
    return undefined;
  }

  /** The innermost elements that show an amount of money and little else, without old prices. */
  get prices(): readonly Price[] {
    this.#prices ??= this.#findPrices();
    return this.#prices;
  }

  /** Whether a reader sees a number: as an amount of money, or without currency if the page shows no amounts. */
  showsNumber(value: number, isMoney: boolean): boolean {
    if (isMoney && this.prices.length > 0) {
      this.#amounts ??= this.#allIn((...text) => moneyIn(...text).map(({ amount }) => amount));
      return this.#amounts.has(value);
    }
    this.#numbers ??= this.#allIn(numbersIn);
    return this.#numbers.has(value);
  }

  /** The numbers of short texts, also old prices. */
  #allIn(read: (text: string, locale: string) => readonly (number | undefined)[]): ReadonlySet<number | undefined> {
    const { page } = this;
    const short = page.elements.filter((one) => page.lengthOf(one) > 0 && page.lengthOf(one) <= MAX_PRICE_LENGTH * 4);
    return new Set(short.flatMap((one) => read(page.text(one), page.locale)));
  }

  #findPrices(): readonly Price[] {
    const { page } = this;
    const found: Price[] = [];
    for (const element of page.elements) {
      const length = page.lengthOf(element);
      if (length === 0 || length > MAX_PRICE_LENGTH || page.isStruck(element) || ROWS.has(element.name)) continue;
      const text = page.text(element);
      if (isPerUnit(text)) continue;
      const amounts = moneyIn(text, page.locale);
      const own = amounts.length > 1 ? moneyIn(ownText(element), page.locale) : amounts;
      const [money] = own;
      if (money?.amount === undefined || own.length > 1) continue;
      const last = found.at(-1);
      const isInside = last !== undefined && page.contains(last.element, element);
      // The inner element says it with fewer words, if it still has the whole amount. It may have another amount.
      if (isInside && last.money.amount === money.amount) found.pop();
      found.push({ element, money });
      if (found.length >= MAX_PRICES) break;
    }
    return found;
  }
}
