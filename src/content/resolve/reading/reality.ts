import { type Grammar, GRAMMARS, type Reader, isFunctionWord } from "./grammar.ts";
import { ADVERB, type Group, HARD, isFinite, type Span, type Token } from "./spans.ts";
import { WORDS } from "./vocabulary.ts";
import { IRREGULAR_PAST, isPast, isRomance, type Language } from "./words.ts";

/** The way in which a sentence presents a predicate. */
export type Reality = "fact" | "denied" | "absent" | "view" | "future" | "open" | "quoted" | "noun";

/** The way in which a sentence presents the word at `at` as its predicate. */
export function realityOf(
  tokens: readonly Token[],
  at: number,
  { clause, group, grammar, language }: { clause: Span; group: Group } & Reader,
): Reality {
  const token = tokens[at];
  if (token === undefined) return "open";
  if (token.isQuoted) return "quoted";
  const own = formOf(tokens, at, { clause, group, grammar, language });
  if (own === "open" || own === "view" || own === "future") return own;
  const before = tokens.slice(0, clause.start);
  const whole = tokens.slice(clause.start, clause.end);
  if (whole.some((word) => grammar.hedge.has(word.text))) return "view";
  // "Had the ceasefire come into force, lives would have been saved."
  if (language === "en" && whole[0]?.capital === true && /^(?:had|were|should)$/u.test(whole[0].text)) return "view";
  // "was lost before it reached orbit"
  const { opener } = clause;
  const isOpen = opener !== undefined && (grammar.open.has(opener.text) || BEFORE.test(opener.text));
  // "Shares fell when Marlow resigned": the resignation is a fact.
  const rest = [...before, ...tokens.slice(clause.end)];
  if (isOpen && !(WHEN.test(opener.text) && isTold(rest, grammar, language))) return "open";
  const governed = governedBy(before, whole, at - clause.start, { clause, grammar });
  if (governed === "view" || governed === "open") return governed;
  const after = attributionAfter(tokens, clause.end, grammar);
  if (after !== undefined) return after;
  return governed === "denied" ? (own === "fact" ? "denied" : own === "noun" ? "noun" : "fact") : own;
}

const WHEN = /^(?:when|quand|lorsqu.*|cuando|quando)$/u;

/** Whether words tell what has happened, and nothing in them is open. */
function isTold(words: readonly Token[], grammar: Grammar, language: Language): boolean {
  const isOpen = ({ text }: Token): boolean =>
    [grammar.modal, grammar.doubts, grammar.hedge, grammar.open, grammar.says].some((set) => set.has(text));
  const isVerb = (word: Token): boolean =>
    isFinite(word, language) || grammar.be.has(word.text) || grammar.have.has(word.text);
  return words.some(isVerb) && !words.some((word) => isOpen(word) || grammar.future.test(word.text));
}

/** "not only banned, but …" denies nothing. */
const ONLY = /^(?:only|just|merely|nur|bloss|seulement|solo|solament|so|apenas)/u;

const NOBODY =
  /^(?:no|none|nobody|neither|kein\p{L}*|niemand|aucune?|nul|personne|ningun[ao]?|nadie|nessun[oa]?|nenhuma?|ninguem)$/u;

/** The reality that the form of the verb itself gives. */
function formOf(
  tokens: readonly Token[],
  at: number,
  { clause, group, grammar, language }: { clause: Span; group: Group } & Reader,
): Reality {
  const token = tokens[at] as Token; // The caller has checked it.
  const previous = tokens[group.start - 1];
  const turns = group.words.filter(
    (word, n) => grammar.not.has(word.text) && !ONLY.test(group.words[n + 1]?.text ?? ""),
  ).length;
  // "the no-confidence vote"
  const isPrefix = (n: number): boolean => tokens[n + 1]?.gap === "-";
  const isNegated =
    // "non ha mai firmato": two Romance negations are one.
    (isRomance(language) ? turns > 0 : turns % 2 === 1) ||
    tokens.slice(clause.start, group.start).some(({ text }, n) => NOBODY.test(text) && !isPrefix(clause.start + n)) ||
    (language === "en" &&
      /^(?:no|none|neither|nobody)$/u.test(tokens[at + 1]?.text ?? "") &&
      !isPrefix(at + 1) &&
      // "opened no later than 20 June"
      tokens[at + 3]?.text !== "than") ||
    (language !== "en" &&
      tokens.slice(at + 1, at + 3).some((word) => /^(?:pas|jamais|plus|nicht|mai|kein\p{L}*)$/u.test(word.text)));
  const fact: Reality = isNegated ? "denied" : "fact";
  const hasAuxiliary = group.words.some((word) => grammar.have.has(word.text) || grammar.be.has(word.text));
  if (language !== "en") {
    if (group.words.some((word) => grammar.modal.has(word.text)) || grammar.future.test(token.text)) return "future";
    const isGoverned = language === "de" && previous?.text === "zu" && grammar.infinitive.test(token.text);
    if (isGoverned || isInfinitive(token, grammar, language, group))
      return infinitive(tokens, group.start, clause, { grammar, isNegated });
    if (!hasAuxiliary && isNominal(token, previous, grammar, language))
      return nominal(tokens, at, clause, { grammar, fact });
    return fact;
  }
  const words = group.words.map((word) => word.text);
  if (words.includes("to")) {
    if (previous !== undefined && ["yet"].includes(previous.text)) return "absent";
    return infinitive(tokens, group.start + words.indexOf("to"), clause, { grammar, isNegated });
  }
  if (group.words.some((word) => grammar.modal.has(word.text))) return "future";
  // "one defeat from being relegated", "avoided being relegated"
  if (words[0] === "being" && previous !== undefined && !/,/u.test(tokens[group.start]?.gap ?? ""))
    return DURING.test(previous.text) ? fact : WITHOUT.test(previous.text) ? "denied" : "view";
  // "voted against ratifying"
  if (previous?.text === "against" && token.text.endsWith("ing"))
    return fact === "fact" && tokens.slice(clause.start, at).some(({ text }) => VOTED.test(text)) ? "denied" : "open";
  // "accused of having started"
  if (words.includes("having") && /^(?:of|for|with|from|over)$/u.test(previous?.text ?? "")) return "view";
  // "Opening hours were approved": an attribute.
  if (at === 0 && token.text.endsWith("ing") && isNoun(tokens[1], grammar)) return "noun";
  if (token.text.endsWith("ing") && token.text.length > 5) return participle(group, previous, token, { grammar, fact });
  if (isNominal(token, previous, grammar, language)) return nominal(tokens, at, clause, { grammar, fact });
  const shared = sharedForm(tokens, group.start, clause, { grammar, isNegated });
  if (shared !== undefined && !isPast(token) && /(?:[^s]|ss)$/u.test(token.text)) return shared;
  const isBare = !/(?:ed|s|n|t)$/u.test(token.text) && !IRREGULAR_PAST.has(token.text);
  // "Sign the act!", and "the attempt sign": a bare form without a subject is an order.
  if (isBare && group.start === 0) return "open";
  // "The rocket launch was scrubbed"
  const behind = tokens[at + 1];
  if (
    isBare &&
    group.words.length === 0 &&
    behind?.gap === " " &&
    (grammar.be.has(behind.text) || grammar.have.has(behind.text))
  )
    return nominal(tokens, at, clause, { grammar, fact });
  // "The launch window opened", "Kestrel launch countdown began": a verb behind it makes it a noun.
  if (
    isBare &&
    group.words.length === 0 &&
    isNoun(tokens[at + 1], grammar) &&
    isVerbBehind(tokens.slice(at + 2, clause.end), grammar)
  )
    return "noun";
  // "won the audience award": a bare form beside a noun, behind the verb of its clause, is a noun too.
  const isModified = previous !== undefined && isNoun(previous, grammar) && !isPast(previous);
  if (isBare && isModified && tokens.slice(clause.start, at).some(isPast)) return "noun";
  return fact;
}

/** The form of a verb behind a conjunction, from the governor of the verb before: "has to sign or veto", "did not read or pass". */
function sharedForm(
  tokens: readonly Token[],
  at: number,
  clause: Span,
  { grammar, isNegated }: { grammar: Grammar; isNegated: boolean },
): Reality | undefined {
  const governors = [grammar.to, grammar.modal, grammar.not];
  const found = tokens.findLastIndex(
    (word, n) => n < at - 1 && n >= clause.start && (isPast(word) || governors.some((words) => words.has(word.text))),
  );
  const governor = tokens[found];
  if (governor === undefined || isPast(governor) || !grammar.and.has(tokens[at - 1]?.text)) return undefined;
  if (grammar.to.has(governor.text)) return infinitive(tokens, found, clause, { grammar, isNegated });
  return grammar.not.has(governor.text) ? "denied" : "future";
}

/** Whether a finite verb follows, and no object or preposition before it. */
function isVerbBehind(words: readonly Token[], grammar: Grammar): boolean {
  const first = words.find((word) => !isNoun(word, grammar) || isPast(word));
  return first !== undefined && (isPast(first) || grammar.be.has(first.text) || grammar.have.has(first.text));
}

function isInfinitive(token: Token, grammar: Grammar, language: Language, group: Group): boolean {
  if (!grammar.infinitive.test(token.text)) return false;
  if (language !== "de") return !group.words.some((word) => grammar.have.has(word.text) || grammar.be.has(word.text));
  return group.words.length === 0 && token.text.includes("zu");
}

/** "managed to sign" happened, "failed to sign" did not, "wants to sign" says nothing. */
function infinitive(
  tokens: readonly Token[],
  to: number,
  clause: Span,
  { grammar, isNegated }: { grammar: Grammar; isNegated: boolean },
): Reality {
  for (let n = to - 1; n >= clause.start; n -= 1) {
    const word = tokens[n];
    // "people were invited to attend"
    if (word === undefined || word.capital || grammar.be.has(word.text)) break;
    const isTurned = isNegated || tokens.slice(clause.start, n).some((one) => grammar.not.has(one.text));
    // "turned down a request to sign"
    if (word.text === "down" && tokens[n - 1]?.text.startsWith("turn") === true) return isTurned ? "open" : "denied";
    // "could refuse to sign"
    if (grammar.denies.has(word.text) && grammar.modal.has(tokens[n - 1]?.text)) return "future";
    if (grammar.denies.has(word.text)) return isTurned ? "open" : word.text === "yet" ? "absent" : "denied";
    if (grammar.doubts.has(word.text) || grammar.modal.has(word.text)) return "future";
    // "the Senate's vote to ratify the treaty was void"
    if (/^votes?$/u.test(word.text) && grammar.determiner.has(tokens[n - 1]?.text)) return "noun";
    if (grammar.does.has(word.text)) return isTurned ? "denied" : "fact";
  }
  return "future";
}

function isNoun(word: Token | undefined, grammar: Grammar): boolean {
  return word !== undefined && !word.capital && !isFunctionWord(word.text, grammar);
}

/** "beat Novak, winning the cup" and "after winning" are facts, "hopes of winning" is not one. */
function participle(
  group: Group,
  previous: Token | undefined,
  token: Token,
  { grammar, fact }: { grammar: Grammar; fact: Reality },
): Reality {
  if (group.words.some((word) => grammar.be.has(word.text))) return "future";
  if (previous === undefined || /,/u.test(token.gap)) return fact;
  if (DURING.test(previous.text)) return fact;
  if (WITHOUT.test(previous.text) || /^(?:than|from|not)$/u.test(previous.text))
    return fact === "fact" ? "denied" : "open";
  return "open";
}

const DURING = /^(?:after|by|since|when|while|despite)$/u;
const WITHOUT = /^(?:without|instead)$/u;
const VOTED = /^vot(?:e|es|ed)$/u;

const NOUN_ENDING =
  /(?:[ts]ion|ment|al|.{4}ance|.{4}ence|ure|ory|ity|ship|death|winner|loss|ung|tritt|ción|cion|sion|zione|cao|sao|miento|mento|toire|toria|issions?|issioni|schluss|sieg|kauf|tod)$/u;

function isNominal(token: Token, previous: Token | undefined, grammar: Grammar, language: Language): boolean {
  if (language === "de") return token.capital;
  if (NOUN_ENDING.test(token.text) && !/(?:ed|es)$/u.test(token.text)) return true;
  if (previous === undefined || /,/u.test(token.gap)) return false;
  if (language !== "en") return grammar.determiner.has(previous.text) && !grammar.pronoun.has(previous.text);
  return (
    !token.text.endsWith("ed") &&
    ((grammar.determiner.has(previous.text) &&
      !/^(?:that|this|all|both|each|s|first|last|second|third)$/u.test(previous.text)) ||
      (grammar.preposition.has(previous.text) && !/^(?:before|after|since|as|until)$/u.test(previous.text)))
  );
}

const PARTICIPLE = /(?:ed|en|t|ut|u|e|ee|is|ise|[iau]d[oa]|[au]t[oa])$/u;

/** Nouns for who won: "X is the winner of the cup" is a fact. */
export const HOLDER = /^(?:champions?|winners?|victors?|laureates?)$/u;

/** "pleased to announce the appointment": who says so announces it. */
const GLAD = /^(?:pleased|delighted|proud|happy|glad|thrilled|hono(?:u)?red|sorry|sad|saddened)$/u;
/** "takes note of the resignation" */
const NOTICE = /^(?:note|notice|acte|atto|ato|nota)$/u;

/** A noun is a fact only as the object of a verb that carries it out: "gave approval", "announced a resignation". */
function nominal(
  tokens: readonly Token[],
  at: number,
  clause: Span,
  { grammar, fact }: { grammar: Grammar; fact: Reality },
): Reality {
  // "received its launch licence"
  const noun = tokens[at + 1];
  const isPlain =
    isPast(noun) || WORDS.time.has(noun?.text) || ADVERB.test(noun?.text ?? "1") || !/^\p{L}/u.test(noun?.text ?? "");
  if (grammar === GRAMMARS.en && noun?.gap === " " && isNoun(noun, grammar) && !isPlain) return "noun";
  // "Approval was granted", "authorisation granted".
  const next = tokens
    .slice(at + 1, clause.end)
    .find((word) => !grammar.have.has(word.text) && !grammar.be.has(word.text));
  if (next !== undefined && grammar.light.has(next.text) && PARTICIPLE.test(next.text)) return fact;
  for (let n = at - 1; n >= Math.max(clause.start, at - 5); n -= 1) {
    const word = tokens[n];
    // "took note of the resignation"
    const isNoted = n > clause.start && NOTICE.test(tokens[n - 1]?.text ?? "");
    if (word === undefined || (grammar.preposition.has(word.text) && !isNoted)) return "noun";
    if (isNoted) return tokens.slice(clause.start, n).some((one) => grammar.not.has(one.text)) ? "noun" : fact;
    if (grammar.be.has(word.text) && HOLDER.test(tokens[at]?.text ?? "")) {
      const auxiliaries = tokens.slice(Math.max(clause.start, n - 3), n + 3);
      if (auxiliaries.some((one) => grammar.modal.has(one.text))) return "future";
      return auxiliaries.some((one) => grammar.not.has(one.text)) ? "denied" : fact;
    }
    if (!grammar.light.has(word.text)) {
      // "won the audience award", "gave preliminary approval"
      if (!isFunctionWord(word.text, grammar)) return "noun";
      continue;
    }
    const last = tokens.slice(Math.max(clause.start, n - 3), n);
    const isGlad = GLAD.test(last.at(-2)?.text ?? "") && last.at(-1)?.text === "to";
    if (last.some((one) => grammar.modal.has(one.text) || (one.text === "to" && !isGlad))) return "future";
    return last.some((one) => grammar.not.has(one.text)) ? "denied" : fact;
  }
  return "noun";
}

/** The reality that the words before a clause give it: "X denied that", "it is likely that", "officials believe". */
export function governedBy(
  before: readonly Token[],
  whole: readonly Token[],
  at: number,
  { clause, grammar }: { clause: Span; grammar: Grammar },
): Reality | undefined {
  // "Officials believe Marlow signed": a verb of thinking before the subject.
  const inside = whole.slice(0, at).find((word, n) => {
    const last = whole[n - 1];
    return (
      last !== undefined &&
      grammar.doubts.has(word.text) &&
      !grammar.preposition.has(last.text) &&
      // "Orbis's bid for Kestrel"
      last.text !== "s" &&
      // "the appeals court"
      !WORDS.court.has(whole[n + 1]?.text)
    );
  });
  if (inside !== undefined) return "view";
  // "I wish that I can read in the paper: Marlow signed", "in case it goes well: Marlow signed"
  const isQuote = /:/u.test(whole[0]?.gap ?? "");
  if (isQuote && before.some(({ text }) => grammar.modal.has(text) || grammar.doubts.has(text) || text === "case"))
    return "view";
  const isComplement = clause.opener !== undefined && grammar.that.has(clause.opener.text);
  const near = before.slice(-12);
  // "the earthquake that struck Sarin"
  const isRelative = grammar === GRAMMARS.en && isPast(whole[1]);
  if (isComplement && !isRelative) {
    const head = near
      .toReversed()
      .find(
        ({ text, capital }) => !capital && [grammar.says, grammar.denies, grammar.doubts].some((set) => set.has(text)),
      );
    if (head === undefined) return "view";
    const turned = near.some((word) => grammar.not.has(word.text) && !grammar.denies.has(word.text));
    if (near.some((word) => grammar.hedge.has(word.text) || grammar.modal.has(word.text))) return "view";
    if (grammar.denies.has(head.text)) return turned ? "fact" : "denied";
    // "Officials did not say that": nothing is denied.
    return turned || grammar.doubts.has(head.text) || !isAuthority(near, head, grammar) ? "view" : "fact";
  }
  return undefined;
}

const SPEAKS =
  /^(?:sa(?:y|id|ys)|tell|told|wrote?|writes?|sagt|sagte|sagen|dit|disent|dice|dicen|dijo|dijeron|dicono|detto|disse|diz|dizem|disseram)/u;
const OFFICIAL =
  /^(?:offici|police|polizei|policia|polizia|court|gericht|tribunal|minist|spokes|sprecher|porte|portavoz|portavoce|porta|agenc|authorit|behord|autorit|autorid|govern|regierung|gouvern|gobiern|company|firm|commission|kommission|board|council|organi[sz]er|veranstalt|team|club|judge|prosecut|staatsanw|data|result|figure|report|bericht|mayor|president|chair|director|secretar|statement|jury|referee|union|federation|institute|ministry|register|paper|newspaper|zeitung)/u;

/** "Fans say that": only a name, a pronoun or an office can vouch for what it says. */
function isAuthority(near: readonly Token[], head: Token, grammar: Grammar): boolean {
  if (!SPEAKS.test(head.text)) return true;
  const whole = near.slice(0, near.indexOf(head));
  const mark = whole.findLastIndex(({ gap }) => HARD.test(gap));
  const before = mark < 0 ? whole : whole.slice(mark);
  return (
    before.length === 0 ||
    before
      .slice(-5)
      .some((word) => (word.capital && word.start > 0) || grammar.pronoun.has(word.text) || OFFICIAL.test(word.text))
  );
}

/** Sources of a quotation that are not a person. */
const WRITTEN =
  /^(?:stud|survey|poll|review|analys|paper|fact|article|press|news|letter|document|database|transcript|list|count|studie|umfrage|etude|enquete|estudio|encuesta|sondag|studi|pesquisa)/u;

/** "according to a kiosk owner": a person without a name and an office. */
export function isHearsay(words: readonly Token[], grammar: Grammar): boolean {
  return words.some((word, at) => {
    const named = words.slice(at + 2, at + 4);
    return (
      /^(?:from|to|laut|selon|segun|secondo|segundo)$/u.test(word.text) &&
      /^(?:an?|eine[mr]?|une?|una|uma?)$/u.test(words[at + 1]?.text ?? "") &&
      /^(?:according|learn|heard|laut|selon|segun|secondo|segundo)/u.test(words[at - 1]?.text ?? word.text) &&
      !named.some(
        (one) => one.capital || OFFICIAL.test(one.text) || WRITTEN.test(one.text) || grammar.preposition.has(one.text),
      )
    );
  });
}

/** "a kiosk owner told the paper": one of many, who holds no office. */
export function isStranger(words: readonly Token[], grammar: Grammar): boolean {
  const verb = words.findIndex((word) => SPEAKS.test(word.text));
  // "some say"
  if (verb === 1 && /^(?:some|others|many|einige|certains|algunos|alcuni|alguns)$/u.test(words[0]?.text ?? ""))
    return true;
  return (
    verb > 1 &&
    /^(?:an?|ein|eine|une?|una|uno|uma?|some)$/u.test(words[0]?.text ?? "") &&
    !words.slice(1, verb).some((word) => word.capital || OFFICIAL.test(word.text) || grammar.preposition.has(word.text))
  );
}

const BEFORE = /^(?:before|bevor|ehe)$/u;
const CONDITION = /^(?:if|unless|provided|wenn|falls|sofern|si|se|caso|salvo|qualora|purche)$/u;
/** Speakers with an interest in the outcome. */
export const PARTISAN =
  /^(?:opponents?|opposition|columnists?|commentators?|bloggers?|activists?|protesters?|critics?|rivals?|fans?|supporters?|enem(?:y|ies)|gegner\p{L}*|kritiker\p{L}*|adversaires|criticos|rivales|avversari|adversarios|oppositor\p{L}*)$/u;

/** Texts that tell what is to come: "opens on 14 May, the timetable says". */
const PROGRAMME =
  /^(?:timetable|schedule|calendar|programme|brochure|leaflet|invitation|fahrplan|zeitplan|programm|einladung|horaires?|calendrier|horario|calendario|programa|orario|cronograma)$/u;

/** Verbs for a wish or an expectation, which leaves a fact what it is. */
const WANTS = /^(?:demand|plan|expect|promis|pledg|hop|want|ask|urg|propos|recommend|predict|forecast|warn|fear)/u;

/** "Marlow signed the act, opponents claim". */
export function attributionAfter(tokens: readonly Token[], end: number, grammar: Grammar): Reality | undefined {
  const next = tokens.slice(end, end + 8);
  const opener = next[0]?.text;
  // "Marlow resigns if the audit finds a loss"
  if (grammar.open.has(opener) && CONDITION.test(opener ?? "")) return "view";
  const isOwn = next.some((word, n) => n > 0 && (HARD.test(word.gap) || /,/u.test(word.gap)));
  const short = isOwn
    ? next.slice(
        0,
        next.findIndex((word, n) => n > 0 && /[,;:]/u.test(word.gap)),
      )
    : next;
  if (short.some((word) => grammar.hedge.has(word.text))) return "view";
  if (isStranger(short, grammar) || isHearsay(short, grammar)) return "view";
  // "three years behind schedule"
  if (short.some(({ text }, n) => PROGRAMME.test(text) && !/^(?:behind|of|on)$/u.test(short[n - 1]?.text ?? "")))
    return "future";
  if (short.some(({ text }) => PARTISAN.test(text)) && short.some(({ text }) => SPEAKS.test(text))) return "view";
  // "beating analysts' forecasts" is not an attribution.
  if (short[0]?.text.endsWith("ing") === true) return undefined;
  // "after two failed attempts", "as unions had demanded", "two more than were needed"
  if (WORDS.circumstance.has(opener) && !short.some(({ text }) => grammar.be.has(text))) return undefined;
  const verb = short
    .slice(0, 5)
    .findIndex(({ text }, n) => n > 0 && grammar.doubts.has(text) && (opener !== "as" || !WANTS.test(text)));
  const isCompared = short.slice(0, Math.max(0, verb)).some(({ text }) => text === "than");
  return verb > 0 && !isCompared && /,/u.test(short[0]?.gap ?? "") ? "view" : undefined;
}
