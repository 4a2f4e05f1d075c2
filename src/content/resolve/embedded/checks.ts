import { type Passage } from "../evidence/passages.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { isNegated } from "../reading/negation.ts";
import { UNTRUE_THAT, VERDICT } from "../reading/phrases.ts";
import { wordsOf } from "../reading/words.ts";
import { NOTHING, type Reading, shareOf, STATED, strengthOf } from "./outcome-reading.ts";
import { type Asked } from "./question.ts";

/** The minimum share of the question's terms in a related question, so that its answer also answers the question. */
const ANSWERED = 0.65;

/** A question with its answer: "Did the senate pass the bill? No." */
export function answerOf(asked: Asked, passage: Passage): Reading {
  const match = /^\W*(yes|no|true|false|correct|incorrect|ja|nein|oui|non|sí|sì|sim|não)(?![\p{L}])/iu.exec(
    passage.text,
  );
  const question = passage.before;
  if (match === null || !/[?？]\s*$/u.test(question)) return NOTHING;
  const words = wordsOf(question);
  const found = conceptsIn(words);
  const terms = shareOf(asked, new Set(words.map(({ stem }) => stem)), found);
  if (terms < ANSWERED || (asked.outcomes.size > 0 && ![...asked.outcomes].some((one) => found.has(one))))
    return NOTHING;
  const positive = /^(?:yes|true|correct|ja|oui|sí|sì|sim)$/iu.test(match[1] ?? "");
  const sign = positive !== isNegated(question) ? 1 : -1;
  return { sign, strength: strengthOf(terms, terms), isAbsence: !positive };
}

/** "The claim that X is false", or "This is false" after a sentence that states X. */
export function factCheckOf(passage: Passage): Reading {
  if (!VERDICT.test(passage.text) || passage.context < STATED) return NOTHING;
  if (/\bnot\s(?:false|fake|a\shoax|misleading|untrue)\b/iu.test(passage.text)) return NOTHING;
  // "It is not true that the bill did not pass" means that it passed.
  const said = UNTRUE_THAT.exec(passage.text)?.[1] ?? "";
  const sign = isNegated(said) ? 1 : -1;
  return {
    sign,
    strength: strengthOf(Math.max(passage.coverage, 0.5), passage.context),
    isAbsence: false,
    kind: "fact-check",
  };
}
