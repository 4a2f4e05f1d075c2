import { type Comparison } from "./analysis.ts";
import { numberWordPattern } from "./number-words.ts";

/**
 * Words before a number that set a bound, and that "not" reverses. `LESS` is tried first, since "shorter than" fits
 * both.
 */
const LESS =
  "(?:short|small|cheap|slow|light|young|weak|narrow|cool|cold|mild|thin)er than|less than|south of|miss(?:es|ed)?|fewer than|lower than|under|below|short of|" +
  "(?:kürz|klein|niedrig|gering|billig|langsam|leicht|jüng|schwäch|schmal)er als|weniger als|unter|" +
  "inférieure?s? (?:à|aux?)|inferior(?:es)? al?|inferior[ei] al?(?:l\\p{L}*)?|(?:en |au-)dessous d(?:e|['’])|al di sotto d\\p{L}+|men(?:or(?:es)? (?:que|del?|al?|do que)|o alt\\p{L} d\\p{L}+)|minor[ei] d\\p{L}+|plus bass?e?s? qu(?:e|['’])|más baj[oa]s? (?:que|del?)|più bass[oaie] d\\p{L}+|" +
  "moins d(?:e|['’])|sous|menos de|por debajo del?|meno di|sotto|abaixo d(?:e|os?|as?)";
const MORE =
  "\\p{L}{2,12}er than|more than|in excess of|north of|upwards of|over|above|beyond|exceeding|\\p{L}{2,12}er als|mehr als|über|" +
  "supérieure?s? (?:à|aux?)|superior(?:es)? al?|superior[ei] al?(?:l\\p{L}*)?|au-dessus d(?:e|['’])|por encima del?|al di sopra d\\p{L}+|may?or(?:es)? (?:que|del?|al?|do que)|maior(?:es)? (?:do )?que|maggior[ei] d\\p{L}+|plus (?:élevé|haut)e?s? qu(?:e|['’])|m[áa]i?s alt[oa]s? (?:que|del?|do que)|più alt[oaie] d\\p{L}+|" +
  "plus d(?:e|['’])|más de|più di|oltre|mais de|acima de";
const NOT = "(?:\\b(?:no|not|never|nicht|pas|nunca)|n['’]t)(?:\\sany)?\\s";

/** Words that compare a number. They belong to thresholds. */
export const COMPARING =
  /^(?:above|below|least|less|fewer|more|than|exceed\p{L}*|reach\p{L}*|higher|lower|greater|longer|shorter|larger|smaller|between|under|over|percent|million|billion|plus|moins|mas|menos|piu|meno|mais|mehr|weniger|mindestens|hochstens|wenigstens|superi(?:eur|or)\p{L}*|inferi(?:eur|or)\p{L}*|maggior[ei]|minor[ei]|menor(?:es)?|maior(?:es)?)$/u;

const END = "\\s*['’]?(?:(?:the|l[aeo]s?|il|el|i|gli|os?|as?|die|den|der)\\s)?$";
const IS_LESS = new RegExp(`(${NOT})?(?:${LESS})${END}`, "iu");
const IS_MORE = new RegExp(`(${NOT})?(?:${MORE})${END}`, "iu");
/** Verbs of a measure that falls below the number after them. */
export const FELL_BELOW =
  "(?<![\\p{L}])(?:baj(?:[óa]|ará)|bajado|cay[óo]|caerá|baix(?:ou|ado|ará)|caiu|cairá|sces[oa]|scenderà|calat[oa]|calerà|descendu|descendra|tombée?|tombera|bajar|caer|baixar|cair|scendere|descendre|tomber)(?![\\p{L}])";
/** Verbs of a measure that rises over the number after them. */
export const ROSE_ABOVE =
  "(?<![\\p{L}])(?:super(?:[óoa]|ar[áe]?|are|erà)|superad[oa]|superat[oaei]|ultrapass(?:ou|ado|ada|ará?)|exced(?:i[óo]|erá?)|excéd(?:é|er|era|ait|e)|dépassée?|dépasse(?:ra?)?|franchi(?:ra)?|übertr(?:af|ifft|offen|effen)|überschr(?:itt|itten|eitet|eiten)|übersteig(?:t|en))(?![\\p{L}])";
const ARTICLE = "(?:-(?:t-)?(?:ils?|elles?|on))?\\s(?:l[aeo]s?|l['’]|[ei]l?|gli|o|os|as?|die|del?|d[iu]|des)?\\s?$";
const FALLS = new RegExp(FELL_BELOW + ARTICLE, "iu");
const RISES = new RegExp(ROSE_ABOVE + ARTICLE, "iu");
/** "exceeded its record of 39.6 degrees" */
const EXCEEDS =
  /(?:exceed(?:s|ed)?|surpass(?:es|ed)?|topp?(?:s|ed)|cross(?:es|ed)?|pass(?:es|ed)?|top|past|超过|突破|高于)\s*(?:(?:the|its|his|her|their|a|an)\s(?:[\p{L}-]+\s){0,3}(?:record|mark|high|peak|best|level|limit|threshold|maximum)\sof\s|the\s)?$/iu;
const FALLS_SHORT = /(?:低于|不足)\s*$/u;
const AT_LEAST =
  /(?:at least|a minimum of|minimum of|reach(?:es|ed)?|hits?|mindestens|erreicht(?:e)?|au moins|atteint|al menos|alcanzó|almeno|pelo menos|至少|达到|不低于|不少于|不小于)\s*(?:(?:the|el|il|l[aeo]s?|os?|as?)\s)?$/iu;
const AT_MOST =
  /(?:at most|up to|a maximum of|höchstens|bis zu|au plus|como máximo|al massimo|no máximo|至多|不超过|不高于|不多于|不大于)\s*(?:(?:the|el|il|l[aeo]s?|os?|as?)\s)?$/iu;
const OR_MORE =
  /^\s?(?:(?:or|and|oder|ou|o)\s(?:more|above|higher|greater|longer|larger|over|mehr|plus|más)\b|(?:\p{L}+\s)?at\sleast\b(?!\s[$€£¥₹]?\d))/iu;
const OR_LESS =
  /^\s?(?:(?:or|and|oder|ou|o)\s(?:less|below|lower|fewer|shorter|smaller|under|weniger|moins|menos)\b|(?:\p{L}+\s)?at\smost\b(?!\s[$€£¥₹]?\d))/iu;

/** "or more" between a number and what it counts: "60 or more seats". */
export const OR_BOUND =
  /^\s?(?:or|and|oder|ou|o)\s(?:more|above|higher|greater|over|mehr|plus|más|mais|più|less|below|lower|fewer|under|weniger|moins|menos|meno)\s(?=\p{L})/iu;

/** "No longer than 50", "not over $5": a bound with its number. The "no" or "not" negates nothing else. */
export const TURNED_BOUND = `(?:\\bne\\s\\S+\\s|\\bn['’]\\S+\\s)?${NOT}(?:${LESS}|${MORE})\\s(?:the\\s)?(?=(?:US)?[$€£¥₹]?\\s?(?:\\d|${numberWordPattern()}))`;

/** "at or above", "greater than or equal to", "igual o superior al": the bound itself counts, too. */
const OR_EQUAL = new RegExp(
  `(?:(?:at|equal to|gleich|égale?s?|igual(?:es)?|pari|uguale) (?:or|oder|ou|o) (?:(?<more>${MORE})|(?<less>${LESS}))|(?:(?<above>greater|more|higher|larger|größer|superiore?s?|mayor|maior|maggiore)|(?<under>less|lower|smaller|kleiner|inferiore?s?|menor|minore)) (?:than |als |a |que )?(?:or|oder|o|ou) (?:equal to|gleich|igual a|uguale a))${END}`,
  "iu",
);
const SIGNS: readonly (readonly [RegExp, Comparison])[] = [
  [/(?:≥|>=|⩾)\s?[$€£¥]?$/u, "at least"],
  [/(?:≤|<=|⩽)\s?[$€£¥]?$/u, "at most"],
  [/>\s?[$€£¥]?$/u, "above"],
  [/<\s?[$€£¥]?$/u, "below"],
];

/** The comparison that the words around a number express. */
export function comparisonOf(before: string, after: string): Comparison | undefined {
  if (/^\+(?!\d)/u.test(after)) return "at least";
  const sign = SIGNS.find(([pattern]) => pattern.test(before));
  if (sign !== undefined) return sign[1];
  const { more: orMore, above, less: orLess, under } = OR_EQUAL.exec(before)?.groups ?? {};
  if ((orMore ?? above) !== undefined) return "at least";
  if ((orLess ?? under) !== undefined) return "at most";
  if (OR_MORE.test(after)) return "at least";
  if (OR_LESS.test(after)) return "at most";
  if (AT_MOST.test(before)) return "at most";
  if (AT_LEAST.test(before)) return "at least";
  const less = IS_LESS.exec(before);
  if (less !== null) return less[1] === undefined ? "below" : "at least";
  const more = IS_MORE.exec(before);
  if (more !== null) return more[1] === undefined ? "above" : "at most";
  if (FALLS_SHORT.test(before) || FALLS.test(before)) return "below";
  return EXCEEDS.test(before) || RISES.test(before) ? "above" : undefined;
}
