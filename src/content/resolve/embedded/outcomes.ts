import { type StatementKind } from "../reading/analysis.ts";
import { type Passage } from "../evidence/passages.ts";
import { type Predication, predicationOf } from "../reading/clauses.ts";
import { areContrary, conceptsAt, conceptsIn } from "../reading/concepts.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { ANONYMOUS, POLLS, TAKEN_BACK } from "../reading/phrases.ts";
import { PARTISAN, type Reality } from "../reading/reality.ts";
import { HARD, type ReadSentence, type Token } from "../reading/spans.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { isForm, isPast, isRomance, type Language, type Word, wordsOf } from "../reading/words.ts";
import { fitOf } from "./arguments.ts";
import { boundStrengthOf, NOTHING, OTHER_ACTOR, type Reading, sharesOf } from "./outcome-reading.ts";
import { type Asked, GOVERNED } from "./question.ts";
import { isOfPart } from "./siblings.ts";
import { itemsBefore } from "../reading/ranges.ts";
import { until } from "../reading/until.ts";

/** The minimum share for a sentence whose predicate and arguments are those of the question. */
const NEAR = 0.4;

/** The factor for a sentence that only quotes or names the outcome. It never decides. */
const INDIRECT = 0.35;

/** Reads the outcome from the predicates that name it or a contrary outcome. */
export function outcomeOf(asked: Asked, passage: Passage, { tokens, language }: ReadSentence): Reading {
  const { coverage, context } = sharesOf(asked, passage);
  // The question does not name another holder of the office.
  if (context < (asked.role === undefined ? NEAR : NEAR / 2)) return NOTHING;
  const isPoll = ["elect", "approve", "reject"].some((one) => asked.outcomes.has(one)) && POLLS.test(passage.text);
  if (isPoll || ANONYMOUS.test(passage.text) || TAKEN_BACK.test(passage.text)) return { ...NOTHING, kind: "hedged" };
  if (asked.predicate === undefined) return NOTHING;
  const readings = tokens.flatMap((_, at) => {
    const outcome = outcomeAt(asked, tokens, at, language);
    return outcome === undefined
      ? []
      : [readingAt(asked, passage, { tokens, at, outcome, language, strength: boundStrengthOf(coverage, context) })];
  });
  return settledOf(readings);
}

interface Outcome {
  readonly name: string | undefined;
  readonly isSame: boolean;
}

/** The outcome that a word of a sentence names: the question's, or a contrary one. */
function outcomeAt(asked: Asked, tokens: readonly Token[], at: number, language: Language): Outcome | undefined {
  const token = tokens[at];
  const { predicate } = asked;
  if (
    token === undefined ||
    isFunctionWord(token.text, GRAMMARS[language]) ||
    (token.capital && at > 0 && asked.names.has(token.stem))
  )
    return undefined;
  // "the prosecutor said that X was guilty", "pleaded guilty"
  if (token.text === "guilty" && verbOfResult(tokens, at) === undefined) return undefined;
  const found = conceptsAt(tokens, at);
  // "was nominated governor"
  if (language === "en" && found.has("nominate") && !asked.outcomes.has("nominate")) return undefined;
  if (asked.outcomes.has("acquire") && found.has("sell") && asked.patient !== undefined)
    return { name: "sold", isSame: true };
  const same = [...asked.outcomes].find((one) => found.has(one));
  if (
    same !== undefined ||
    (predicate !== undefined &&
      // "released" for "released from prison"
      (asked.phrase.size === 0 || (asked.phrase.has("from") && token.text === predicate.text)) &&
      language === asked.language &&
      isForm(token, predicate, language))
  )
    // "found X not guilty"
    return { name: same, isSame: !WORDS.result.has(token.text) || !GRAMMARS[language].not.has(tokens[at - 1]?.text) };
  const contrary = [...found].find((one) => [...asked.outcomes].some((other) => areContrary(one, other)));
  // "found X not guilty" for "acquitted"
  if (contrary !== undefined && WORDS.result.has(token.text) && GRAMMARS[language].not.has(tokens[at - 1]?.text))
    return { name: contrary, isSame: true };
  // "sacked its coach" for "appoint a new coach"
  const isNamed = asked.patient?.words.isDisjointFrom(asked.names) === false;
  if (contrary === "dismiss" && asked.outcomes.has("appoint") && !isNamed) return undefined;
  // "reopen", "resume": what reopens has closed before.
  if (AGAIN.test(predicate?.text ?? "") && (contrary === "close" || contrary === "end")) return undefined;
  // "joined the firm" for "leave office"
  if (contrary === "join" && asked.outcomes.has("resign")) return undefined;
  // "closed to traffic" for "open to traffic": it may have opened before.
  if (
    contrary === "close" &&
    asked.outcomes.has("open") &&
    !STAYS.test(tokens[at - 1]?.text ?? "") &&
    language === "en"
  )
    return undefined;
  return contrary === undefined ? undefined : { name: contrary, isSame: false };
}

const STAYS = /^(?:remains?|remained|stays?|stayed|still|kept|keeps)$/u;

const AGAIN = /^(?:reop|resum|restart|wiederer|wiederau|rouv|repr[ei]|reab|reanud|riap|riprend|reinici)/u;

/** One reading of a sentence: the firmest one. None if two firm ones contradict each other. */
function settledOf(readings: readonly Reading[]): Reading {
  const [first, ...others] = readings.toSorted((a, b) => Math.abs(b.sign) * b.strength - Math.abs(a.sign) * a.strength);
  if (first === undefined) return NOTHING;
  if (first.sign === 0) return readings.find((one) => one.kind !== undefined) ?? first;
  return others.some((one) => one.sign === -first.sign && one.strength > first.strength * 0.8) ? NOTHING : first;
}

const KINDS: Readonly<Partial<Record<Reality, StatementKind>>> = {
  future: "announcement",
  open: "hedged",
  view: "hedged",
  quoted: "quotation",
};

/** The outcomes that the verb before an article and a noun names. */
function conceptsBefore(tokens: readonly Token[], at: number): ReadonlySet<string> {
  return conceptsIn(itemsBefore(tokens, at, 2).filter(({ capital }) => !capital));
}

/** Whether a predicate such as "remain" names the state or the thing that the question's outcome would have changed. */
function persists({ outcomes, patient }: Asked, { after }: Predication): boolean {
  const near = after.slice(0, 6);
  // "the strike continued until 19 May"
  if (outcomes.has("end")) return near[0] === undefined || GRAMMARS.en.preposition.has(near[0].text);
  // "remains in office" says nothing about prison.
  if (outcomes.has("free")) return near.some(({ text }) => WORDS.prison.has(text));
  return near.some(({ text, stem }) => WORDS.state.has(text) || patient?.heads.has(stem) === true);
}

/** "decided to close the mine": a decision is not the deed, unless it brings it about. */
function isOnlyDecided(tokens: readonly Token[], at: number, outcome: string | undefined): boolean {
  if (!/^(?:to|zu|de|di)$/u.test(tokens[at - 1]?.text ?? "") || OUTCOMES.decided.has(outcome)) return false;
  return itemsBefore(tokens, at - 1, 11).some(({ text }) => DECIDES.test(text));
}

const DECIDES = /^(?:vot(?:e|ed|es|o)|decid\p{L}*|decis\p{L}*|opted|chose|resolved|beschloss\p{L}*)$/u;

/** "postponed its stock market debut" */
function isPostponed(tokens: readonly Token[], at: number, language: Language): boolean {
  const grammar = GRAMMARS[language];
  const before = itemsBefore(tokens, at, 4);
  const verb = before.findIndex((_, n) => conceptsAt(before, n).has("postpone"));
  const [article, ...rest] = before.slice(verb + 1);
  return (
    verb >= 0 &&
    grammar.determiner.has(article?.text) &&
    rest.every(({ text, gap }) => !isFunctionWord(text, grammar) && gap === " ")
  );
}

function readingAt(
  asked: Asked,
  { near, text }: Passage,
  {
    tokens,
    at,
    outcome,
    language,
    strength,
  }: { tokens: readonly Token[]; at: number; outcome: Outcome; language: Language; strength: number },
): Reading {
  const reader = { grammar: GRAMMARS[language], language };
  // "remains closed" for "open": nothing has changed.
  const isUnchanged = outcome.name === "close" && !outcome.isSame && STAYS.test(tokens[at - 1]?.text ?? "");
  const predication = predicationOf(tokens, isUnchanged ? at - 1 : (verbOfResult(tokens, at) ?? at), reader);
  const { reality } = predication;
  const token = tokens[at];
  // "the opposition declared the vote invalid", "declared the result annulled"
  const isResult = WORDS.result.has(token?.text) || (isPast(token) && declaresAt(tokens, at) >= 0);
  if (isResult && tokens.some(({ text: word }) => PARTISAN.test(word))) return { ...NOTHING, kind: "quotation" };
  if (isOtherSense(asked, tokens, at, predication)) return NOTHING;
  const kind = KINDS[reality];
  if (kind !== undefined) {
    const isPending =
      reality === "future" &&
      outcome.isSame &&
      fitOf(asked, predication, { reader, near, outcome: outcome.name }).kind === "same";
    return { ...NOTHING, kind, isPending };
  }
  // "postponed its stock market debut"
  if (reality === "fact" && outcome.isSame && isOnlyDecided(tokens, at, outcome.name))
    return { ...NOTHING, kind: "announcement" };
  if (outcome.isSame && isPostponed(tokens, at, language)) return NOTHING;
  // "lost the most seats"
  if (outcome.name === "lose" && [asked.plan.statement, text].every((one) => MOST.test(one))) return NOTHING;
  const isUndone =
    reality === "noun" && outcome.isSame && [...conceptsBefore(tokens, at)].some((one) => OUTCOMES.undoing.has(one));
  // "suspended the conviction of Dunmore": the court had convicted Dunmore.
  if (isUndone && ["convict", "acquit"].includes(outcome.name ?? "")) return NOTHING;
  const isState = outcome.name === "persist";
  if (isState && !persists(asked, predication)) return NOTHING;
  const fit = fitOf(asked, predication, { reader, near, outcome: outcome.name });
  if (fit.kind === "different") return NOTHING;
  const isOffice = [...(asked.role?.heads ?? [])].every((head) => predication.after.some(({ stem }) => stem === head));
  if (!isOffice && asked.outcomes.has("appoint")) return NOTHING;
  const isDenied = reality === "denied" || reality === "absent";
  if (isDenied && (!outcome.isSame || fit.kind !== "same")) return NOTHING;
  // "has not signed the law" for "Did the king refuse to sign the law?"
  const asksRefusal = isDenied && isRefusal(wordsOf(asked.plan.statement));
  if (asksRefusal && !isRefusal(itemsBefore(tokens, at, 3))) return NOTHING;
  // "Novak lost to Sandoval": Sandoval won.
  const isSame =
    outcome.name === "lose" && !outcome.isSame ? fit.kind === "swapped" : outcome.isSame && fit.kind === "same";
  const affirms = isSame && !isDenied && !isUndone;
  if (affirms && isOfPart(asked, tokens, { said: text.slice(predication.start, predication.end), ...predication }))
    return NOTHING;
  return {
    sign: affirms ? 1 : -1,
    strength:
      (fit.kind === "other-actor" ? OTHER_ACTOR : strength * (fit.kind === "same" ? fit.factor : 0.8)) *
      (reality === "noun" && !isUndone ? INDIRECT : 1),
    isAbsence: (isDenied && !asksRefusal) || isState || isUnchanged,
    isLoose: fit.kind === "other-actor" && fit.isLoose === true,
    kind: "report",
    isPast: isPast(token),
    // A refusal in time is an event of its own.
    isFinal:
      asksRefusal ||
      fit.kind !== "same" ||
      (!outcome.isSame && outcome.name !== undefined && OUTCOMES.final.has(outcome.name)),
    part: predication,
  };
}

/** "refused to ratify the treaty": the refusal is an event of its own. */
function isRefusal(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => /^(?:refus|declin)/u.test(text) && words[at + 1]?.text === "to");
}

/** "declared the election void", "found the rider guilty": the verb whose result an adjective names. */
function verbOfResult(tokens: readonly Token[], at: number): number | undefined {
  if (!WORDS.result.has(tokens[at]?.text)) return undefined;
  const verb = declaresAt(tokens, at);
  return verb < 0 ? undefined : verb;
}

function declaresAt(tokens: readonly Token[], at: number): number {
  const verb = tokens.findLastIndex(
    ({ text, gap }, n) => n < at && n > at - 10 && (DECLARES.test(text) || HARD.test(gap)),
  );
  return DECLARES.test(tokens[verb]?.text ?? "") ? verb : -1;
}

const DECLARES =
  /^(?:declared|declares|ruled|found|left|leaves|kept|keeps|held|holds|liess|lasst|belasst|beliess|laisse|maintenu|dejo|lasciato|deixou|erklarte?|erklart|declare|declaro|dichiarato|dichiara|declarou|befand)$/u;

const FALLS = /^(?:silent|ill|victim|foul|prey|asleep|short|behind)$/u;
const MOST = /\bthe\smost\b/iu;

const CONCEDED =
  /^(?:to|at|on|in|late|early|shortly|after|defeat|victory|elections?|race|contest|presid\p{L}+|mayoral|gubernatorial)$/u;

const AGAINST = /^(?:against|gegen|contre|contra|contro)$/u;

/** Whether the verb of a Romance sentence governs another verb. */
function isOfInfinitive({ language = "en" }: Asked, { text, capital }: Token): boolean {
  return (
    isRomance(language) && !capital && text.length > 4 && /(?:[aei]r|[aei]re)$/u.test(text) && !WORDS.time.has(text)
  );
}

/** A part of a firm: "a minority stake", "20 percent of". All outstanding shares are the whole. */
const SHARE =
  /^(?!.*\b(?:all|outstanding|remaining)\b).*\b(?:stakes?|shares?|stock|interest|holding|anteils?|aktien|beteiligung|actions|acciones|azioni|acoes|quota)\b|\b\d{1,2} (?:percent )?of\b/iu;

/** Whether a predicate whose question has a prepositional phrase has an object or an infinitive of its own. */
function hasOtherObject(
  { preposition, words }: NonNullable<Asked["oblique"]>,
  token: Token,
  { predicate, outcomes, language = "en" }: Asked,
  behind: readonly Token[],
): boolean {
  if (language !== "en" || outcomes.has("resign") || !token.text.startsWith(predicate?.text.slice(0, 4) ?? "-"))
    return false;
  const { determiner, preposition: prepositions } = GRAMMARS.en;
  const [next, verb, article] = behind;
  const isInfinitive =
    next?.text === "to" &&
    preposition === "to" &&
    determiner.has(article?.text) &&
    !prepositions.has(article?.text) &&
    !isFunctionWord(verb?.text ?? "", GRAMMARS.en);
  if (isInfinitive) return !words.has(verb?.stem ?? "") && !BEGINS.test(verb?.text ?? "");
  if (!determiner.has(next?.text) || prepositions.has(next?.text)) return false;
  const phrase = until(behind, ({ text }) => prepositions.has(text));
  const governed = behind.findIndex(({ text }) => text === preposition);
  const own = [...phrase, ...(governed < 0 ? [] : behind.slice(governed, governed + 9))];
  return !own.some(({ stem }) => words.has(stem));
}

const BEGINS = /^(?:observe|implement|begin|start|enter|honou?r|respect)$/u;

/** Whether the words behind a predicate give it another sense: "passed over", "resigned from the youth wing". */
function isOtherSense(asked: Asked, tokens: readonly Token[], at: number, { reality, after }: Predication): boolean {
  // "dimitió como presidenta": a word that opens a clause elsewhere.
  const behind = after.length > 0 ? after : tokens.slice(at + 1, at + 8);
  const [token, next] = [tokens[at], behind[0]];
  if (token === undefined || next === undefined || next.gap.trim() !== "") return false;
  const asks = (word: string): boolean =>
    wordsOf(asked.plan.statement).some(
      // "vote for the act" in a question that has "against" elsewhere
      ({ text }, n, all) => text === word && (word !== "against" || all[n - 1]?.text !== "than"),
    );
  if (WORDS.particle.has(next.text) && WORDS.withParticle.has(token.text)) return !asks(next.text);
  // "aprobó tramitar la ley", "a voté contre la loi"
  if (isOfInfinitive(asked, next)) return !asks(next.text);
  const [first] = behind.filter(({ text }) => !/^\d/u.test(text));
  if (AGAINST.test(first?.text ?? "")) return !asks(first?.text ?? "");
  // "conceded mistakes", "conceded that the campaign had been hard"
  const conceded = behind.find(({ text }) => !GRAMMARS.en.determiner.has(text) || text === "that");
  if (token.text.startsWith("conced") && conceded !== undefined && !CONCEDED.test(conceded.text)) return true;
  // "beat Novak to the final"
  if (
    token.text.startsWith("beat") &&
    behind.some(({ text }, n) => text === "to" && GRAMMARS.en.determiner.has(behind[n + 1]?.text))
  )
    return !asks("to");
  // "appointed to advise the director"
  if (asked.outcomes.has("appoint") && next.text === "to" && !GRAMMARS.en.determiner.has(behind[1]?.text)) return true;
  // "struck a deal"
  if (/^str(?:ikes?|uck)$/u.test(token.text) && GRAMMARS.en.determiner.has(next.text))
    return !behind.slice(1, 4).some(({ stem }) => asked.terms.has(stem));
  // "declared an emergency" for "declared over"
  const [, declared] = /\bdeclared\s(\p{Ll}+)/u.exec(asked.plan.statement) ?? [];
  if (declared !== undefined && token.text.startsWith("declar") && !tokens.some(({ text }) => text === declared))
    return true;
  // "fell silent"
  if (/^f[ae]ll(?:s|en)?$/u.test(token.text) && FALLS.test(next.text)) return !asks(next.text);
  // "stands on a hill", "stands to lose"
  if (/^stands?$/u.test(token.text) && GRAMMARS.en.preposition.has(next.text)) return true;
  const { oblique } = asked;
  // "acquired a stake in Pictalk", "acquired Pictalk shares", "the acquisition of 20% of Pictalk"
  const isShare = SHARE.test(
    behind
      .slice(0, 6)
      .map(({ text }) => text)
      .join(" "),
  );
  if (["acquire", "complete"].some((one) => asked.outcomes.has(one)) && isShare && !SHARE.test(asked.plan.statement))
    return true;
  // "extradited from Norland"
  if (oblique?.preposition === "to" && next.text === "from" && !asks("from")) return true;
  // "filed a claim in the bankruptcy" for "file for bankruptcy", "voted to delay a vote to impeach" for "vote to impeach"
  if (oblique !== undefined && hasOtherObject(oblique, token, asked, behind)) return true;
  // "convicted of perjury" for "convicted of fraud"
  if (
    oblique !== undefined &&
    GOVERNED.test(next.text) &&
    !behind.slice(1, 9).some(({ stem }) => oblique.words.has(stem))
  )
    return true;
  // "acquitted Crewe of perjury" for "convicted of manslaughter"
  const governed = behind.findIndex(({ text }) => text === oblique?.preposition);
  if (
    governed > 0 &&
    governed < 5 &&
    behind.slice(0, governed).every(({ capital, text }) => capital || GRAMMARS.en.pronoun.has(text)) &&
    !behind.slice(governed, governed + 9).some(({ stem }) => oblique?.words.has(stem))
  )
    return true;
  if (!asked.outcomes.has("resign")) return false;
  // "left Orbis headquarters in a taxi"
  const object = behind[1];
  if (/^(?:left|leaves?)$/u.test(token.text) && next.capital && object?.gap === " " && !object.capital)
    return !isFunctionWord(object.text, GRAMMARS.en) && !WORDS.time.has(object.text);
  if (/^(?:him|her|them)sel(?:f|ves)$/u.test(next.text)) return true;
  if (!WORDS.beforePost.has(next.text)) return false;
  const phrase = behind.slice(1, 7);
  // "the resignation of the police chief"
  const isOwn = phrase.some(({ stem }) => asked.terms.has(stem));
  return !isOwn && (reality === "noun" || !phrase.some(({ text }) => WORDS.post.has(text)));
}
