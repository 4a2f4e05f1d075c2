import { type Element } from "domhandler";
import { type FieldSuggestion } from "../tree/page-fields.ts";
import { type LeafPlan } from "./field-plan.ts";
import { type Found, isSame } from "./found.ts";
import { moneyIn, numbersIn } from "./numbers.ts";
import { type ShownPage, wordsOf } from "./shown-page.ts";
import { type Scalar, typedValue } from "./values.ts";

/** Characters of an element with a quote. */
const MAX_LENGTH = 4_000;

/** A value that a model states with a quote. Undefined if the page does not show the quote, or the quote lacks the value. */
export function suggestedValue(
  leaf: LeafPlan,
  { value: given, quote }: FieldSuggestion,
  page: ShownPage,
): Found | undefined {
  const element = elementWith(quote, page);
  if (element === undefined) return undefined;
  const value = typedValue(leaf, given, page) ?? typedValue(leaf, given, page, true);
  if (value === undefined || !states(quote, value, leaf, page)) return undefined;
  return { value, quote, isShown: true, place: { from: "model", element } };
}

/** The innermost element that shows all words of a quote. */
function elementWith(quote: string, page: ShownPage): Element | undefined {
  const wanted = wordsOf(quote);
  if (wanted === "" || !page.shows(quote)) return undefined;
  return page.elements.findLast((one) => {
    const length = page.lengthOf(one);
    return (
      length * 2 >= wanted.length && length <= MAX_LENGTH && ` ${wordsOf(page.text(one))} `.includes(` ${wanted} `)
    );
  });
}

/** Whether the quote has the value: its words, its number, or a text that has this value by itself. */
function states(quote: string, value: Scalar, leaf: LeafPlan, page: ShownPage): boolean {
  const whole = typedValue(leaf, quote, page);
  if (whole !== undefined && isSame(whole, value)) return true;
  if (typeof value === "boolean") return false;
  if (typeof value === "string") return ` ${wordsOf(quote)} `.includes(` ${wordsOf(value)} `);
  const amounts = moneyIn(quote, page.locale).map(({ amount }) => amount);
  return [...numbersIn(quote, page.locale), ...amounts].includes(value);
}
