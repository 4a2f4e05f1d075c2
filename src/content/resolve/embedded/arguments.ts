import { type Predication } from "../reading/clauses.ts";
import { isFunctionWord, type Reader } from "../reading/grammar.ts";
import { ADVERB, type Token } from "../reading/spans.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { type Language } from "../reading/words.ts";
import { itemsBefore } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";
import { electedBy, hasOtherOffice, isOfElection, namesActor, otherHolder } from "./actors.ts";
import { BY_CONTEXT, type Fit } from "./fit.ts";
import { type Argument, isWhole, ownersIn } from "../reading/noun-phrases.ts";
import { type Asked } from "./question.ts";
import { covers, standsIn } from "./standing.ts";

/** The factor if an argument is in another language and has no name. */
const UNCOMPARED = 0.6;

/** The factor of an unnamed actor of which the context names a part. */
const BY_PART = 0.8;

const SAME: Fit = { kind: "same", factor: 1 };
const DIFFERENT: Fit = { kind: "different" };
const OTHER_ACTOR: Fit = { kind: "other-actor" };

interface Context {
  readonly reader: Reader;
  /** The question's words in the sentence and before it. */
  readonly near: ReadonlySet<string>;
  readonly outcome: string | undefined;
}

/** The sides of a comparison: the question's arguments in the language of the sentence, and the sentence's predicate. */
interface Sides extends Context {
  readonly asked: Asked;
  readonly agent: Argument | undefined;
  readonly patient: Argument | undefined;
  readonly predication: Predication;
  /** The factor of an argument in a part of the sentence. Undefined if it does not stand there. */
  readonly stands: (argument: Argument, zone: readonly Token[], isSubject: boolean) => number | undefined;
}

const PARTICLE = /^(?:off|out|down|up|away|through|aside)$/u;

/** Compares the arguments of a predicate with the question's. */
export function fitOf(asked: Asked, { after, ...rest }: Predication, context: Context): Fit {
  // "carried off the cup": the particle belongs to the verb.
  const isParticle = context.reader.language === "en" && PARTICLE.test(after[0]?.text ?? "");
  const predication = { ...rest, after: isParticle ? after.slice(1) : after };
  const { reader, near } = context;
  const { names, terms } = asked;
  const [agent, patient] = [asked.agent, asked.patient].map((one) => inLanguage(one, asked, reader.language));
  const fit = comparedFit({
    ...context,
    asked,
    agent,
    patient,
    predication,
    stands: (argument, zone, isSubject) =>
      standsIn(argument, zone, { reader, predication, near, names, terms, known: asked.plan.known, isSubject }),
  });
  // Many people have one order.
  if (fit.kind === "other-actor" && [...(patient?.heads ?? [])].some((head) => SHARED.test(head))) return DIFFERENT;
  const isOpen =
    (asked.agent !== undefined && agent === undefined) || (asked.patient !== undefined && patient === undefined);
  return fit.kind === "same" && isOpen ? { kind: "same", factor: fit.factor * UNCOMPARED } : fit;
}

function comparedFit(sides: Sides): Fit {
  const { asked, agent, patient, predication, reader, near, outcome, stands } = sides;
  const { names } = asked;
  const { before, after } = predication;
  const given = givenTo(sides);
  if (given !== undefined) return given;
  const { isPassive, by, doer } = doerOf(predication, reader);
  const turns = OUTCOMES.ergative.has(outcome);
  if (agent !== undefined && patient === undefined)
    return (
      splitFit(sides, doer, isPassive ? before : after) ??
      otherHolder(asked, predication, sides) ??
      subjectFit(sides, isPassive && !turns ? doer : before)
    );
  // "Was the rocket launched?": "the rocket lifted off".
  const isTurned =
    turns &&
    !isPassive &&
    !hasOwnObject(sides) &&
    !after.some((word) => patient?.heads.has(word.stem) === true) &&
    (agent === undefined ||
      (OUTCOMES.unaided.has(outcome) && stands(agent, before, true) === undefined) ||
      // "Orla Air's flights resumed"
      ownersIn(before).some((owner) => [...agent.words].every((word) => owner.includes(word))));
  const done = isPassive || isTurned ? before : after;
  const elected =
    outcome === "elect" && asked.outcomes.has("win") ? electedBy(asked, predication, { reader, near }) : undefined;
  if (elected !== undefined) return elected;
  if ((outcome === "elect" || outcome === "appoint") && hasOtherOffice(asked, predication, reader)) return DIFFERENT;
  // "Pruitt lost", for "Will Pruitt be elected?"
  if (outcome === "lose" && asked.outcomes.has("elect") && agent === undefined && patient !== undefined) {
    const loser = isPassive || !isOfElection(after, reader) ? undefined : stands(patient, before, true);
    return loser === undefined ? DIFFERENT : { kind: "same", factor: loser };
  }
  const subject = agent === undefined ? 1 : stands(agent, doer, !isPassive);
  const object = patient === undefined ? 1 : stands(patient, done, isPassive || isTurned);
  if (subject !== undefined && object !== undefined) return { kind: "same", factor: Math.min(subject, object) };
  if (
    agent !== undefined &&
    patient !== undefined &&
    OUTCOMES.directed.has(outcome) &&
    stands(agent, done, isPassive) !== undefined &&
    stands(patient, doer, !isPassive) !== undefined
  )
    return { kind: "swapped" };
  if (object === undefined) return otherHolder(asked, predication, sides) ?? DIFFERENT;
  if ((isPassive && by < 0) || isTurned) return unnamedFit(sides);
  if (asked.isByAgent && isPassive && namesActor(after.slice(by + 1), agent, reader)) return OTHER_ACTOR;
  if (patient === undefined || !OUTCOMES.exclusive.has(outcome) || !isNamedIn(patient, done, names)) return DIFFERENT;
  // "The club won" can be the agent, "they won against Ashcombe" is not Ashcombe.
  const isBehind = agent?.heads.isSubsetOf(new Set(after.map(({ stem }) => stem))) === true;
  // "the winner of the prize is X", "X has won the prize with The Long River"
  const first = after.findIndex(({ stem }) => agent?.words.has(stem));
  const isMeans = itemsBefore(after, first, 2).some(({ text }) => MEANS.test(text));
  if (isBehind && (predication.reality === "noun" || isMeans)) return DIFFERENT;
  const isOther =
    isBehind ||
    doer.some(
      ({ capital, text }, at) =>
        capital &&
        !/^\d/u.test(text) &&
        !ADVERB.test(text) &&
        !isFunctionWord(text, reader.grammar) &&
        // "the Lagos-born writer" can be anyone.
        !(doer[at + 1]?.gap === "-" && /^(?:born|based|trained|bred)$/u.test(doer[at + 1]?.text ?? "")),
    );
  // "The Liberal Party" for "the Green Party"
  const isOwn = ({ stem, text }: Token): boolean => agent?.words.has(stem) === true && !WORDS.generic.has(text);
  return isOther && !doer.some(isOwn) ? OTHER_ACTOR : DIFFERENT;
}

/** The words of a predication that can name who acts: those from "by" in a passive, which is at `by` in the words after it, or else -1. */
export function doerOf(
  { before, after, ...own }: Predication,
  { grammar }: Reader,
): { isPassive: boolean; by: number; doer: readonly Token[] } {
  const isPassive = own.isPassive && !own.isReceived;
  const by = after.findIndex((word) => grammar.by.has(word.text));
  return { isPassive, by, doer: isPassive ? (by < 0 ? [] : after.slice(by)) : before };
}

/** Whether a part of a sentence has all words of an argument, or its names: "the Vale League" for "the Vale League title". */
function isNamedIn(argument: Argument, zone: readonly Token[], names: ReadonlySet<string>): boolean {
  const own = new Set([...argument.words].filter((word) => names.has(word)));
  const isTitle = own.size > 1 && [...argument.heads].every((head) => TITLE.test(head));
  return isWhole(isTitle ? { ...argument, words: own } : argument, zone);
}

/** Stems of the nouns for what is won that its name does not need. */
const TITLE = /^(?:titl|trophy|crown|championship)$/u;

/** "The prize was awarded to X": who receives it has it. */
function givenTo({ agent, patient, predication, outcome, reader, stands }: Sides): Fit | undefined {
  const { before, after, isPassive, isReceived } = predication;
  const twofold = isPassive || !isReceived ? undefined : twoObjects({ agent, patient, predication, reader, stands });
  if (twofold !== undefined) return twofold;
  // "sold the mill to X": X has bought it.
  const isSold = outcome === "sold";
  const to = isReceived || isSold ? after.findIndex((word) => WORDS.to.has(word.text)) : -1;
  if (to < 0 || agent === undefined || patient === undefined) return isSold ? DIFFERENT : undefined;
  const receiver = stands(agent, after.slice(to + 1), true);
  const gift = stands(patient, isPassive ? before : after.slice(0, to), isPassive);
  if (gift === undefined) return DIFFERENT;
  if (receiver !== undefined) return { kind: "same", factor: Math.min(receiver, gift) };
  const isOther = after[to + 1]?.capital === true && !after.slice(to).some(({ stem }) => agent.words.has(stem));
  return isOther ? OTHER_ACTOR : DIFFERENT;
}

/** "The king awarded X the order": X, and not the king, has it. */
function twoObjects({
  agent,
  patient,
  predication: { after },
  reader: { grammar, language },
  stands,
}: Pick<Sides, "agent" | "patient" | "predication" | "reader" | "stands">): Fit | undefined {
  const gift = after.findIndex((word, at) => at > 0 && grammar.determiner.has(word.text));
  // "awarded Best Picture to the drama Saltbox": one object, and the receiver behind "to"
  const hasReceiver = after.slice(0, gift).some((word) => WORDS.to.has(word.text));
  const isTwofold = language === "en" && after[0]?.capital === true && gift > 0 && !hasReceiver;
  if (!isTwofold || agent === undefined || patient === undefined) return undefined;
  const [receiver, given] = [after.slice(0, gift), after.slice(gift)];
  if (stands(patient, given, false) === undefined) return DIFFERENT;
  const factor = stands(agent, receiver, true);
  if (factor !== undefined) return { kind: "same", factor };
  return receiver.some(({ stem }) => agent.words.has(stem)) ? DIFFERENT : OTHER_ACTOR;
}

/** "Hat Velmoor Ashcombe geschlagen?": two names side by side, of which the first acts. A sentence has its verb between them. */
function splitFit({ agent, outcome }: Sides, doer: readonly Token[], done: readonly Token[]): Fit | undefined {
  const words = [...(agent?.words ?? [])];
  const left = words.filter((word) => doer.some(({ stem }) => stem === word));
  const isSplit = words.some((word) => !left.includes(word) && done.some(({ stem }) => stem === word));
  if (!OUTCOMES.directed.has(outcome) || left.length === 0 || !isSplit) return undefined;
  if (left.every((word, at) => word === words[at])) return SAME;
  return left.every((word, at) => word === words[words.length - left.length + at]) ? { kind: "swapped" } : DIFFERENT;
}

/** "closed a deal", "opened one of its shafts": the subject did something else. A time is not an object: "closed the day higher". */
function hasOwnObject({ outcome, predication: { after }, reader: { grammar, language } }: Sides): boolean {
  const [article, ...words] = after;
  // "restarted its visitor centre"
  const isOwned = (outcome === undefined || outcome === "resume") && article?.text === "its";
  if (language !== "en" || outcome === "become" || !(isOwned || OUTCOMES.ergative.has(outcome))) return false;
  const isPhrase = grammar.determiner.has(article?.text) && !grammar.preposition.has(article?.text);
  const phrase = until(words, ({ text }) => grammar.preposition.has(text));
  // "ended its third week"
  const isOwnTime = article?.text === "its" && phrase.length > 1;
  return (
    isPhrase &&
    phrase.length > 0 &&
    !phrase.some(({ text }) => (!isOwnTime && WORDS.time.has(text)) || DOORS.test(text))
  );
}

const DOORS = /^(?:doors?|gates?|last|following|same)$/u;

/** The fit of a predicate without an object. */
function subjectFit(sides: Sides, zone: readonly Token[]): Fit {
  const { agent, predication, reader, outcome, stands } = sides;
  const { after } = predication;
  if (agent === undefined) return DIFFERENT;
  const isOther = !predication.isPassive && hasOwnObject(sides) && stands(agent, after, false) === undefined;
  // "accepted the resignation of Lind": the subject is not who resigns.
  const taker = zone.findIndex(({ text }) => TAKES.test(text));
  if (isOther || (taker >= 0 && stands(agent, zone.slice(0, taker), true) !== undefined)) return DIFFERENT;
  // "Marlow's resignation was accepted"
  const isOwned = zone.at(-1)?.text === "s" && reader.grammar.be.has(after[0]?.text);
  const owner = isOwned ? zone.slice(1 + zone.slice(0, -1).findLastIndex(({ capital }) => !capital), -1) : zone;
  const factor =
    stands(agent, owner, true) ??
    // "received the resignation of X"
    (OUTCOMES.ergative.has(outcome) || WORDS.of.has(after[0]?.text) ? stands(agent, after, false) : undefined);
  if (factor !== undefined) return { kind: "same", factor };
  return reader.language === "de" && stands(agent, after, false) !== undefined ? SAME : DIFFERENT;
}

const SHARED =
  /^(?:order|honou?r|knighthood|damehood|scholarship|grant|fellowship|citizenship|licenc|diploma|degree)$/u;
const MEANS = /^(?:with|for|of|to)$/u;
const TAKES = /^(?:accept|receiv)/u;
const FOR = /^(?:for|fur|pour|para|per)$/u;

/** "The act was signed": the actor is not named, and only the context can say who it was. */
function unnamedFit({ asked, agent, predication: { reality, after }, near, outcome }: Sides): Fit {
  if (agent === undefined) return DIFFERENT;
  // "was built for Karsten"
  const receiver = after.findIndex(({ text }) => FOR.test(text));
  if (receiver >= 0 && after.slice(receiver).some(({ stem }) => agent.heads.has(stem))) return DIFFERENT;
  // "The record was broken": it does not say by whom.
  if (outcome === "break") return DIFFERENT;
  // "The act was not signed": there is no signer.
  if (reality === "denied" || reality === "absent" || OUTCOMES.lasting.has(outcome))
    return { kind: "same", factor: BY_CONTEXT };
  if (asked.isByAgent) return DIFFERENT;
  if (covers(agent, near)) return { kind: "same", factor: BY_CONTEXT };
  const isNamed = [...agent.words].some((word) => near.has(word));
  return isNamed ? { kind: "same", factor: BY_PART } : DIFFERENT;
}

/** An argument as another language writes it: its names. Undefined if there is no name, so that nothing can be compared. */
function inLanguage(argument: Argument | undefined, { language, names }: Asked, other: Language): Argument | undefined {
  if (argument === undefined || language === other) return argument;
  const own = new Set([...argument.words].filter((word) => names.has(word)));
  return own.size === 0 ? undefined : { words: own, heads: own, kinds: new Set() };
}
