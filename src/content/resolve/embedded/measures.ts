import { type Threshold } from "../reading/analysis.ts";
import { type Passage } from "../evidence/passages.ts";
import { type NamedDate } from "../reading/dates.ts";
import { isNegated } from "../reading/negation.ts";
import { meets, quantitiesOf, type Quantity } from "../reading/quantities.ts";
import { type Language, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";

/** Words before a number that no longer holds or is only expected. */
const FORMER =
  /\b(?:from|compared\s(?:with|to)|previous(?:ly)?|earlier|last\s(?:year|month|week)|against|versus|vs\.?|target\sof|forecast\sof|expected|of\sthe|von|gegenüber|contre|desde|frente\sa)\s?(?:the\s|an?\s)?(?:[$€£¥₹])?$/iu;

/**
 * Compares the figures of a sentence with the question's thresholds: 1 if they are met, -1 if they are not, 0 if the
 * sentence gives no such figures.
 */
export function measured(
  asked: Asked,
  passage: Passage,
  { dates, language }: { dates: readonly NamedDate[]; language: Language },
): -1 | 0 | 1 {
  if (passage.context < 0.4 || passage.near.size === 0) return 0;
  const quantities = quantitiesOf(passage.text, language, dates).filter((one) => !isFormer(passage.text, one));
  let met: boolean | undefined;
  for (const threshold of asked.thresholds) {
    const fitting = quantities.filter((one) => isSameMeasure(asked, one, threshold));
    if (fitting.length === 0) return 0;
    const results = fitting.map((one) =>
      isTurned(passage.text, one) ? turned(meets(one, threshold)) : meets(one, threshold),
    );
    if (threshold.comparison === "equal") {
      if (results.includes("yes")) met ??= true;
      else if (passage.coverage >= 0.7) met = false;
      else return 0;
      continue;
    }
    if (results.includes("yes") && results.includes("no")) return 0;
    if (results.every((one) => one === "open")) return 0;
    met = (met ?? true) && results.includes("yes");
  }
  if (met === undefined) return 0;
  return met ? 1 : -1;
}

function turned(result: "yes" | "no" | "open"): "yes" | "no" | "open" {
  // "Did not exceed 100" means at most 100. It is certainly not met only if the figure itself would meet the threshold.
  return result === "yes" ? "no" : "open";
}

/** "Did not exceed 5 percent": the number is a bound that was not reached. */
function isTurned(text: string, quantity: Quantity): boolean {
  const clause = text.slice(Math.max(0, quantity.start - 40), quantity.end);
  return isNegated(clause.replace(/\bshort\sof\b/giu, ""));
}

function isFormer(text: string, quantity: Quantity): boolean {
  return FORMER.test(text.slice(Math.max(0, quantity.start - 24), quantity.start));
}

/** Whether a quantity and a threshold measure the same: by their unit, or by the noun that is counted. */
function isSameMeasure(asked: Asked, quantity: Quantity, threshold: Threshold): boolean {
  if (quantity.unit === threshold.unit) return true;
  const known = KNOWN.has(threshold.unit) || KNOWN.has(quantity.unit);
  if (known) return false;
  if (quantity.unit === "" || threshold.unit === "") return true;
  return asked.terms.has(quantity.unit) || wordsOf(threshold.unit).some((word) => word.stem === quantity.unit);
}

const KNOWN = new Set([
  "percent",
  "usd",
  "eur",
  "gbp",
  "jpy",
  "cny",
  "inr",
  "m",
  "kg",
  "celsius",
  "fahrenheit",
  "s",
  "m/s",
]);
