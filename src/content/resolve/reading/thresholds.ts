import { type Comparison, type Threshold } from "./analysis.ts";
import { FELL_BELOW, ROSE_ABOVE } from "./comparisons.ts";
import { type Quantity } from "./quantities.ts";
import { textBefore } from "./ranges.ts";

/** Thresholds of one question that are read. */
const MAX_THRESHOLDS = 4;

const RANGE = /\bbetween\s(?:\S+\s){0,2}?$/iu;
/** Verbs that mean "at least" without a comparison before the number. */
const REACH = /\b(?:reach|hit|touch|get to|climb to|rise to|win|score|cross|surpass)\s(?:the\s|a\s)?(?:[$€£¥₹])?$/iu;
const FALL = /\b(?:fall|drop|decline|sink|dip|down)\s(?:to|below)?\s?(?:the\s|a\s)?$/iu;

/** "¿Bajó la tasa del 8 %?": the verb of a question compares the number after its subject. */
function verbComparison(before: string): Comparison | undefined {
  if (!/(?:del?|d['’]|des|l[aeo]s?|el|i|gli|dei|a|os?|die)\s$/iu.test(before)) return undefined;
  return new RegExp(FELL_BELOW, "iu").test(before)
    ? "below"
    : new RegExp(ROSE_ABOVE, "iu").test(before)
      ? "above"
      : undefined;
}

/** "3 Prozent übersteigen": the German verb that compares stands behind the number. */
const VERB_BEHIND = /^\s(?:\p{L}+\s)?(unterschreiten|überschreiten|übersteigen|übertreffen|überspringen)(?!\p{L})/iu;

/** Words before a number that counts or measures. */
const COUNTS =
  /(?:\b(?:by|to|of|at|than|for|is|was|are|were|score[ds]?|exactly|only|just|about|reach|hit|total|number|auf|um|genau|bei|bis)\s|\d\s)$/iu;

/** A name after the auxiliary of an English question, before a number and a verb. */
const SUBJECT = /^(?:Did|Does|Do|Will|Has|Have|Is|Are|Was|Were|Can)\s(?:.*\s)?\p{Lu}[\p{L}-]+\s$/u;

/** Whether a number is a name: "Line 9", "Bill 44", "Did Heron 2 reach orbit". */
export function isName(text: string, { comparison, unit, start, end }: Quantity): boolean {
  const before = textBefore(text, start, 30);
  if (comparison === undefined && SUBJECT.test(text.slice(0, start)) && /[^\ds]\s*$/u.test(text.slice(start, end)))
    return true;
  return (
    comparison === undefined && unit === "" && /\p{L}{3}\s$/u.test(before) && !COUNTS.test(before) && text[end] !== ":"
  );
}

/** "win the 400 m": a contest, and not a length to reach. */
function isContest(text: string, { comparison, unit, start }: Quantity): boolean {
  return (
    comparison === undefined &&
    unit === "m" &&
    /(?<!\p{L})(?:the|dei|des|der|die|los|las|dos|os)\s$/iu.test(text.slice(0, start))
  );
}

/** Whether a contest is what is won, so that its length belongs to the words of the question. */
export function isContestWon(text: string, quantity: Quantity): boolean {
  return isContest(text, quantity) && /\bw[io]n\sthe\s$/iu.test(text.slice(0, quantity.start));
}

/** "between 3% and 4%", "4.3%-4.5%" */
function isRange(text: string, last: Quantity, { unit, value, start }: Quantity): boolean {
  const between = text.slice(last.end, start);
  if (/^\s?[-–]\s?$/u.test(between) && unit !== "" && unit === last.unit && value > last.value) return true;
  return /^\s?(?:and|to|-|–|und|et|y)\s?$/iu.test(between) && RANGE.test(text.slice(0, last.start));
}

/** The numbers in a question that decide it, with their comparisons. `quantities` are all its numbers. */
export function thresholdsOf(text: string, quantities: readonly Quantity[]): Threshold[] {
  const found: Threshold[] = [];
  for (const [index, quantity] of quantities.entries()) {
    if (found.length >= MAX_THRESHOLDS) break;
    const { value, unit, start, end } = quantity;
    const before = textBefore(text, start, 30);
    const last = quantities[index - 1];
    const words = text.slice(start, end).trim();
    // A time of day is not a threshold.
    if (/^[ap]\.?m?$/.test(unit) || /^:\d\d/.test(text.slice(end)) || /\d:$/.test(before)) continue;
    if (last !== undefined && isRange(text, last, quantity)) {
      found.pop();
      found.push({
        comparison: "at least",
        value: last.value,
        unit,
        text: text.slice(last.start, last.end).trim(),
      });
      found.push({ comparison: "at most", value, unit, text: words });
      continue;
    }
    if (isName(text, quantity)) continue;
    const verb = VERB_BEHIND.exec(text.slice(end))?.[1] ?? "";
    const comparison =
      quantity.comparison ??
      verbComparison(text.slice(0, start)) ??
      (verb === "" ? undefined : verb.startsWith("unter") ? "below" : "above") ??
      (isContest(text, quantity) ? "equal" : REACH.test(before) ? "at least" : FALL.test(before) ? "at most" : "equal");
    found.push({ comparison, value, unit, text: words });
  }
  return found;
}
