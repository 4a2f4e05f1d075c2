import { STOP_WORDS, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";

/** Outcomes of which only one candidate can have each, so that another's excludes it. */
const EXCLUSIVE = new Set(["win", "elect", "acquire", "host", "nominate", "appoint"]);
const PASSIVE =
  /\b(?:was|were|is|been|being|are|got|wurde[n]?|worden|est|été|a\sété|fue|fueron|sido)\b.{0,40}\b(?:by|von|durch|par|por)\b/iu;

interface OutcomePosition {
  readonly position: number;
  readonly outcome: string;
}

/** The names before and after a position in a sentence. */
function namesAround(asked: Asked, sentence: string, position: number): { before: Set<string>; after: Set<string> } {
  const before = new Set<string>();
  const after = new Set<string>();
  for (const word of wordsOf(sentence)) {
    if (asked.names.has(word.stem)) (word.start < position ? before : after).add(word.stem);
  }
  return { before, after };
}

/** Whether a sentence reverses the question's subject and object: "B beat A" for "Will A beat B?". */
export function rolesAreSwapped(asked: Asked, sentence: string, { position, outcome }: OutcomePosition): boolean {
  if (outcome !== "win" && outcome !== "acquire" && outcome !== "invade" && outcome !== "lose") return false;
  const objects = [...asked.names].filter((name) => !asked.subjects.has(name));
  if (asked.subjects.size === 0 || objects.length === 0) return false;
  const { before, after } = namesAround(asked, sentence, position);
  const subjectAfter =
    [...asked.subjects].some((name) => after.has(name)) && ![...asked.subjects].some((name) => before.has(name));
  const objectBefore = objects.some((name) => before.has(name)) && !objects.some((name) => after.has(name));
  return subjectAfter && objectBefore !== PASSIVE.test(sentence) && objectBefore;
}

/** Whether another actor did what only one can do: "Chelsea won the cup" for "Will Arsenal win the cup?". */
export function hasOtherActor(asked: Asked, sentence: string, { position, outcome }: OutcomePosition): boolean {
  if (!EXCLUSIVE.has(outcome) || asked.subjects.size === 0) return false;
  const words = wordsOf(sentence);
  if (words.some((word) => asked.subjects.has(word.stem))) return false;
  const actor = words.filter(
    (word) => word.start < position && word.capital && !/^\d/.test(word.text) && !STOP_WORDS.has(word.text),
  );
  return actor.length > 0 && !actor.some((word) => asked.names.has(word.stem));
}

/** Whether a sentence names another thing of the same kind: "the Road Act" if the question names "the Water Act". */
export function hasRival(asked: Asked, sentence: string): boolean {
  const words = wordsOf(sentence);
  const stems = new Set(words.map((word) => word.stem));
  return asked.pairs.some(([first, second]) => {
    if (stems.has(first)) return false;
    return words.some((word, at) => {
      const before = words[at - 1];
      return (
        word.stem === second &&
        before?.capital === true &&
        !asked.names.has(before.stem) &&
        !STOP_WORDS.has(before.text)
      );
    });
  });
}
