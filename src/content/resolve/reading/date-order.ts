/** Whether day or month comes first in "03/04/2026". */
export type FirstNumber = "day" | "month";

const NUMERIC = /(?<![\d./])(\d{1,2})\/(\d{1,2})\/(?:19|20)\d{2}(?!\d)/g;
/** Languages that write the day first in every country. */
const DAY_FIRST = /^(?:de|fr|es|it|pt|nl|pl|ru|sv|da|nb|no|fi|cs|tr|uk|ro|el)(?:-(?!US\b)|$)/i;
/** In English and Spanish, the country decides. */
const REGION = /^(?:en|es)(?:-[a-z]{4})?-([a-z]{2})\b/i;
const MONTH_FIRST_REGIONS = new Set(["US", "PH"]);
/** Countries that use both orders. */
const MIXED_REGIONS = new Set(["CA"]);

/**
 * The order of numeric dates in a text. An unambiguous date in it ("25/04/2026") decides, or else its language tag
 * ("en-GB", "de"). Undefined if neither decides, or if the text uses both orders.
 */
export function firstNumberOf(text: string, language = ""): FirstNumber | undefined {
  const found = new Set<FirstNumber>();
  for (const [, first, second] of text.matchAll(NUMERIC)) {
    if (Number(first) > 12) found.add("day");
    else if (Number(second) > 12) found.add("month");
  }
  if (found.size > 0) return found.size === 1 ? [...found][0] : undefined;
  if (DAY_FIRST.test(language)) return "day";
  const region = REGION.exec(language)?.[1]?.toUpperCase();
  if (region === undefined || MIXED_REGIONS.has(region)) return undefined;
  return MONTH_FIRST_REGIONS.has(region) ? "month" : "day";
}
