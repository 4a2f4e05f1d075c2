import { stemOf } from "./words.ts";

/** "a turnout of at least 50 percent" */
const MEASURE =
  /(\p{L}{3,})\s(?:of|von|de|di)\s(?:at\s(?:least|most)|(?:more|less|fewer)\sthan|over|under|above|below|mindestens|höchstens|mehr\sals|weniger\sals|(?:au|de)\s(?:moins|plus)|al\smenos|(?:más|menos)\sde|almeno|(?:più|meno)\sdi|pelo\smenos|mais\sde)\s(?=[$€£¥]?\d)/iu;

/** A text before the figure of a change: "rose by 5.3 percent", "fell 5.3 percent", "um 5,3 Prozent". */
const CHANGE =
  /(?:\b(?:rose|ris(?:e[ns]?|ing)|f[ae]ll(?:s|en|ing)?|gr[eo]w(?:s|n|ing)?|increas(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|declin(?:e[sd]?|ing)|dropp?(?:s|ed|ing)?|jump(?:s|ed)?|climb(?:s|ed)?|slip(?:s|ped)?|shr[aiu]nk|gain(?:s|ed)?|los(?:t|es?)|up|down)\s(?:by\s)?|\bum\s|(?:augmenté|progressé|reculé|baissé|diminué|crû|grimpé|chuté)\sde\s|(?:subi|baj|crec|cay|aument)\p{L}*\s(?:un|en)\s|(?:cresc|aument|diminu|cal|salit|sces)\p{L}*\sd(?:el(?:\s|l['’])|i\s)|(?:subi|ca[ií]|cresc|aument|baix)\p{L}*\s(?:em\s)?)(?:(?:about|around|nearly|almost|just|only|at\sleast|more\sthan|less\sthan|mindestens|mehr\sals|plus|au\smoins|moins|rund|etwa)\s(?:de\s)?)?$/iu;
const BY = /\bby\s(?:about\s|around\s|only\s|at\s(?:least|most)\s|(?:more|less)\sthan\s|another\s|a\s)?$/iu;

/** Whether the number behind a text is that of a change, and not of a level. `outcomes` are those of the question. */
export function isChange(before: string, outcomes: ReadonlySet<string>): boolean {
  return CHANGE.test(before) || (BY.test(before) && (outcomes.has("rise") || outcomes.has("fall")));
}

/** The stem of the noun that a statement measures, if its threshold follows "of". */
export function measureOf(statement: string): string | undefined {
  const noun = MEASURE.exec(statement)?.[1]?.toLowerCase();
  return noun === undefined ? undefined : stemOf(noun);
}
