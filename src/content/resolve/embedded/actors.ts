import { type Predication } from "../reading/clauses.ts";
import { isFunctionWord, type Reader } from "../reading/grammar.ts";
import { type Token } from "../reading/spans.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { BY_CONTEXT, type Fit } from "./fit.ts";
import { type Argument } from "../reading/noun-phrases.ts";
import { type Asked } from "./question.ts";

/** "was elected mayor of X", for "won the mayoral election in X". Undefined if the office or the place is another. */
export function electedBy(
  { agent, patient, names }: Asked,
  predication: Predication,
  { reader, near }: { reader: Reader; near: ReadonlySet<string> },
): Fit | undefined {
  const { before, after, isPassive } = predication;
  if (agent === undefined || patient === undefined) return undefined;
  const office = [...patient.words].filter((word) => !names.has(word) && !ELECTION.test(word));
  const isOffice = office.every((word) =>
    [...before, ...after].some(({ stem }) => stem.slice(0, OFFICE_FAMILY) === word.slice(0, OFFICE_FAMILY)),
  );
  const others = [...names].filter((name) => !agent.words.has(name));
  if (office.length === 0 || !isOffice || !others.every((name) => near.has(name))) return undefined;
  const zone = isPassive ? before : after;
  if ([...agent.heads].every((head) => zone.some(({ stem }) => stem === head)))
    return { kind: "same", factor: BY_CONTEXT };
  const isKnown = zone.some(({ stem }) => agent.words.has(stem));
  return !isKnown &&
    zone.some(({ capital, stem }) => capital && !names.has(stem) && !reader.grammar.determiner.has(stem))
    ? { kind: "other-actor" }
    : undefined;
}

/** "mayoral" and "mayor" have the same beginning of this length. */
const OFFICE_FAMILY = 4;

const ELECTION = /^(?:election|elect|wahl|elecc|elezion|eleic|vote|race)/u;

/** "toppled by a lorry", if the question asks for protesters: an actor that the question does not name. */
export function namesActor(zone: readonly Token[], agent: Argument | undefined, { grammar }: Reader): boolean {
  const end = zone.findIndex((word, n) => grammar.preposition.has(word.text) || (n > 0 && /[,;:(]/u.test(word.gap)));
  const phrase = zone.slice(0, end < 0 ? 6 : end).filter((word) => !isFunctionWord(word.text, grammar));
  return (
    phrase.length > 0 &&
    !phrase.some(({ text, stem }) => /^\d/u.test(text) || WORDS.manner.has(text) || agent?.words.has(stem) === true)
  );
}
