/** Which number of "03/04/2026" comes first. */
export type FirstNumber = "day" | "month";

const NUMERIC = /(?<![\d./])(\d{1,2})\/(\d{1,2})\/(?:19|20)\d{2}(?!\d)/g;
/** Languages that are written with the day first wherever they are spoken. */
const DAY_FIRST = /^(?:de|fr|es|it|pt|nl|pl|ru|sv|da|nb|no|fi|cs|tr|uk|ro|el)(?:-(?!US\b)|$)/i;
/** In English, and in Spanish of the United States, the country decides. */
const REGION = /^(?:en|es)(?:-[a-z]{4})?-([a-z]{2})\b/i;
const MONTH_FIRST_REGIONS = new Set(["US", "PH"]);
/** Both are in use. */
const MIXED_REGIONS = new Set(["CA"]);

/**
 * How a text writes numeric dates: by those of its dates that leave no choice ("25/04/2026"), else by its language tag ("en-GB", "de").
 * Undefined if neither says so, or if the text writes both.
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
