import { type Passage } from "../evidence/passages.ts";
import { conceptsIn } from "../reading/concepts.ts";
import { type NamedDate } from "../reading/dates.ts";
import { GRAMMARS } from "../reading/grammar.ts";
import { type Language } from "../reading/words.ts";
import { boundStrengthOf, type Reading, sharesOf } from "./outcome-reading.ts";
import { type Asked } from "./question.ts";

/** The end of a text before the date to which an event is put off. */
const DELAYED = new RegExp(
  [
    String.raw`(?<!\p{L})(?:postponed|delayed|deferred|rescheduled|(?:pushed|put|moved)\s(?:[^.;,]{0,40}\s)?(?:back|off)(?:\sby\s[^.;,]{2,20},)?|moved|slipped|(?:report|repouss)ée?s?|(?:aplaz|retras|adi)ad[oa]s?|pospuest[oa]s?|(?:rinvi|rimand|posticip)at[oaie])\s(?:[^.;,]{0,60}\s)?(?:to|until|till|à|au|en|al?|hasta|para|fino\sal?|até)\s(?:(?:the|el|o|le)\s)?(?:\p{L}+\s(?:of|de|del)\s)?`,
    String.raw`(?<!\p{L})(?:not|no|non|não|nicht|(?:ne\s|n['’])\S+\spas)\s(?:[^.;,]{0,40}\s)?(?:until|till|before|hasta|antes\sde|avant|prima\s(?:di|del)|fino\sal?|até|vor)\s(?:(?:the|dem|le|el)\s)?(?:\p{L}+\s(?:of|de)\s)?`,
    String.raw`(?<!\p{L})erst\s(?:im\s(?:jahr\s)?|am\s|ab\s)?`,
  ]
    .map((pattern) => `(?:${pattern})$`)
    .join("|"),
  "iu",
);

const PLAIN_FUTURE = /^(?:will|won't|wird|werden)$/u;

/** The reading of a sentence that puts the event off to a date behind the deadline. Undefined for another sentence. */
export function delayOf(
  asked: Asked,
  passage: Passage,
  { language, dates }: { readonly language: Language; readonly dates: readonly NamedDate[] },
): Reading | undefined {
  const { deadline, negated } = asked.plan;
  if (deadline === undefined || negated || asked.thresholds.length > 0) return undefined;
  const late = dates.find(
    ({ from, start, end }) =>
      from > deadline &&
      (DELAYED.test(passage.text.slice(0, start)) || /^\s?verschoben/iu.test(passage.text.slice(end))),
  );
  const { doubts, hedge, modal } = GRAMMARS[language];
  if (late === undefined) return undefined;
  const words = passage.words.filter(({ start }) => start < late.end);
  const isOpen = words.some(
    ({ text }) =>
      hedge.has(text) || (doubts.has(text) && text !== "pushed") || (modal.has(text) && !PLAIN_FUTURE.test(text)),
  );
  const said = conceptsIn(words);
  const isOfEvent =
    [...asked.outcomes].some((one) => said.has(one)) ||
    passage.words.some(({ stem }) => stem === asked.predicate?.stem);
  const all = [...(asked.agent?.words ?? []), ...(asked.patient?.words ?? [])];
  // "the video game Petrel": the name is enough.
  const named = all.filter((word) => asked.names.has(word));
  const core = named.length > 0 ? named : all;
  if (isOpen || !isOfEvent || !core.every((word) => words.some(({ stem }) => stem === word))) return undefined;
  const { coverage, context } = sharesOf(asked, passage);
  return { sign: -1, strength: boundStrengthOf(coverage, context), isAbsence: false, isFinal: true, isLoose: true };
}
