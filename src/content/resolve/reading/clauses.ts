import { type Grammar } from "./grammar.ts";
import { type Language, type Word, wordsOf } from "./words.ts";

/** A word of a sentence with the marks before it. */
export interface Token extends Word {
  /** The characters between the word before and this one. */
  readonly gap: string;
  /** Whether it stands in quotation marks with at least three other words. */
  readonly isQuoted: boolean;
}

/** How a sentence presents a predicate. */
export type Reality = "fact" | "denied" | "absent" | "view" | "future" | "open" | "quoted" | "noun";

/** A predicate in its sentence: how it is presented, and the words around it that can be its arguments. */
export interface Predication {
  readonly reality: Reality;
  readonly isPassive: boolean;
  /** The words of its clause before and after its group of verbs. */
  readonly before: readonly Token[];
  readonly after: readonly Token[];
  /** Whether it has no subject of its own, so that it shares that of the clause before. `before` is that clause then. */
  readonly isInherited: boolean;
  /** Positions of its clause in the sentence. */
  readonly start: number;
  readonly end: number;
}

const LONGEST_MENTION = 3;
/** Adverbs. They do not change what a verb states. */
export const ADVERB =
  /(?:ly|mente|amment|emment)$|^(?:also|already|then|now|just|finally|later|today|again|soon|still|yet|even|thus|formally|once|twice|auch|bereits|dann|nun|schon|endlich|heute|wieder|noch|deja|aussi|enfin|encore|ya|tambien|finalmente|gia|anche|ancora|ja|tambem)$/u;
const HARD = /[;:()[\]—–…\n]|\s-\s/u;

/** The words of a sentence, with their marks. */
export function tokensOf(text: string): Token[] {
  const words = wordsOf(text);
  const quoted = quotationsOf(text);
  let end = 0;
  return words.map((word) => {
    const gap = text.slice(end, word.start);
    ({ end } = word);
    return { ...word, gap, isQuoted: quoted.some(([from, to]) => from < word.start && word.end <= to) };
  });
}

/** The words of a sentence without its dates, which are read apart. A date between two commas leaves no mark. */
export function undatedTokensOf(
  text: string,
  dates: readonly { readonly start: number; readonly end: number }[],
): Token[] {
  let isAfterDate = false;
  return tokensOf(text).flatMap((token): Token[] => {
    if (dates.some((date) => token.start < date.end && date.start < token.end)) {
      isAfterDate = true;
      return [];
    }
    const gap = isAfterDate && /^,?\s*$/u.test(token.gap) ? " " : token.gap;
    isAfterDate = false;
    return [gap === token.gap ? token : { ...token, gap }];
  });
}

/** The spans in quotation marks of more than a few words. A shorter one is a title or a term. */
function quotationsOf(text: string): [from: number, to: number][] {
  return [...text.matchAll(/["“„«]([^"“”„«»]{1,600})(?:["”»“]|$)/gu)]
    .filter(([, inside = ""]) => inside.trim().split(/\s+/u).length > LONGEST_MENTION)
    .map(({ index, 0: whole }): [number, number] => [index, index + whole.length]);
}

/** Reads how a sentence presents the word at `at` as its predicate. */
export function predicationOf(
  tokens: readonly Token[],
  at: number,
  { grammar, language }: { grammar: Grammar; language: Language },
): Predication {
  const clause = clauseOf(tokens, at, grammar, language);
  const token = tokens[at];
  const group = groupOf(tokens, at, clause, { grammar, language });
  const next = tokens[at + 1];
  const hasBe =
    group.words.some((word) => grammar.be.has(word.text)) || (language === "de" && isPassiveGerman(tokens, clause));
  // "Permit withdrawn: 5 May": a line of a record.
  const isRecord =
    group.words.length === 0 &&
    at > 0 &&
    at + 1 < tokens.length &&
    /:/u.test(next?.gap ?? "") &&
    /(?:ed|en|wn|t|o|a|os|as|e|ee)$/u.test(token?.text ?? "");
  const isPassive =
    isRecord ||
    (hasBe && !isParticipleOfMotion(token, language)) ||
    (group.words.length === 0 &&
      next !== undefined &&
      grammar.by.has(next.text) &&
      next.gap.trim() === "" &&
      /(?:ed|en|t|o|a|os|as|e|ee|es|ees)$/u.test(token?.text ?? ""));
  const own = tokens
    .slice(clause.start, subjectEnd(tokens, clause, group, grammar))
    .filter((word) => !ADVERB.test(word.text));
  const isInherited = own.every(
    (word) => grammar.and.has(word.text) || grammar.not.has(word.text) || grammar.clause.has(word.text),
  );
  const before = isInherited ? sharedSubject(tokens, clause.start, grammar) : own;
  return {
    reality: realityOf(tokens, at, { clause, group, grammar, language }),
    isPassive,
    before,
    after:
      language === "de"
        ? tokens.slice(group.start, clause.end).filter((_, n) => n + group.start !== at)
        : tokens.slice(at + 1, clause.end),
    isInherited,
    start: tokens[clause.start]?.start ?? 0,
    end: tokens[clause.end - 1]?.end ?? 0,
  };
}

/** The end of the words that can hold the subject: in "Marlow refused to sign", the verb that governs the infinitive. */
function subjectEnd(tokens: readonly Token[], clause: Span, group: Group, grammar: Grammar): number {
  if (!group.words.some((word) => grammar.to.has(word.text)) && !grammar.to.has(tokens[group.start - 1]?.text ?? ""))
    return group.start;
  const governor = tokens.findIndex(
    (word, at) =>
      at > clause.start &&
      at < group.start &&
      !word.capital &&
      (grammar.denies.has(word.text) ||
        grammar.does.has(word.text) ||
        grammar.have.has(word.text) ||
        grammar.be.has(word.text)),
  );
  return governor < 0 ? group.start : governor;
}

interface Span {
  readonly start: number;
  readonly end: number;
  /** The conjunction that opens it, or the word before it. */
  readonly opener: Token | undefined;
}

/** The clause around a word: up to marks, and up to conjunctions that a verb follows. */
function clauseOf(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): Span {
  let start = at;
  while (start > 0 && !opensAt(tokens, start, grammar, language)) start -= 1;
  let end = at + 1;
  while (end < tokens.length && !opensAt(tokens, end, grammar, language)) end += 1;
  const first = tokens[start];
  const isOpener =
    first !== undefined &&
    (grammar.open.has(first.text) ||
      grammar.clause.has(first.text) ||
      grammar.that.has(first.text) ||
      grammar.and.has(first.text));
  return { start, end, opener: isOpener ? first : undefined };
}

function opensAt(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  const token = tokens[at];
  const last = tokens[at - 1];
  if (token === undefined || last === undefined) return true;
  if (HARD.test(token.gap) || /,\s/u.test(token.gap)) return true;
  if (grammar.open.has(token.text) || grammar.that.has(token.text)) {
    // "that act", "dem, das": a determiner after a preposition or a verb is not a conjunction. "for", "so": a preposition.
    return !(language === "en" && token.text === "that" && grammar.preposition.has(last.text));
  }
  if (grammar.clause.has(token.text))
    return !grammar.preposition.has(token.text) || !isNounPhraseAt(tokens, at + 1, grammar);
  return grammar.and.has(token.text) && isVerbAt(tokens, at + 1, grammar, language);
}

/** "before the vote" has a noun phrase, "before Marlow signed" a clause, which looks alike: only a verb beside shows it. */
function isNounPhraseAt(tokens: readonly Token[], at: number, grammar: Grammar): boolean {
  const token = tokens[at];
  return token !== undefined && !grammar.pronoun.has(token.text);
}

function isVerbAt(tokens: readonly Token[], at: number, grammar: Grammar, language: Language): boolean {
  let next = tokens[at];
  for (let n = at; next !== undefined && ADVERB.test(next.text); n += 1) next = tokens[n + 1];
  if (next === undefined || next.capital) return false;
  if (grammar.be.has(next.text) || grammar.have.has(next.text) || grammar.modal.has(next.text)) return true;
  if (grammar.not.has(next.text) || grammar.pronoun.has(next.text)) return true;
  return language === "en" ? /ed$/u.test(next.text) || IRREGULAR_PAST.has(next.text) : grammar.says.has(next.text);
}

/** Past forms without the ending. */
export const IRREGULAR_PAST = new Set(
  "won lost said rose fell grew began paid left met held sold bought gave took made spent sent told became broke beat struck wrote built caught went came had got saw ran set put cut hit led kept fell stood stepped drew".split(
    " ",
  ),
);

interface Group {
  /** The index of its first word. */
  readonly start: number;
  /** The words before the predicate: auxiliaries, negations, adverbs. */
  readonly words: readonly Token[];
}

/** The group of verbs that ends with the predicate. In German it is a bracket around the arguments. */
function groupOf(
  tokens: readonly Token[],
  at: number,
  clause: Span,
  { grammar, language }: { grammar: Grammar; language: Language },
): Group {
  const belongs = (word: Token): boolean =>
    grammar.be.has(word.text) ||
    grammar.have.has(word.text) ||
    grammar.modal.has(word.text) ||
    grammar.not.has(word.text);
  if (language === "de") {
    const inside = tokens.slice(clause.start, clause.end).filter((word, n) => n + clause.start !== at && belongs(word));
    const first = tokens.findIndex(
      (word, n) => n >= clause.start && n < clause.end && belongs(word) && !grammar.not.has(word.text),
    );
    return { start: first < 0 || first > at ? at : first, words: inside };
  }
  let start = at;
  const isGlue = (word: Token): boolean =>
    belongs(word) ||
    ADVERB.test(word.text) ||
    (grammar.pronoun.has(word.text) && language !== "en") ||
    (language === "en" && word.text === "to");
  while (start > clause.start && isGlue(tokens[start - 1] as Token)) start -= 1; // It is in the clause.
  return { start, words: tokens.slice(start, at) };
}

function isPassiveGerman(tokens: readonly Token[], clause: Span): boolean {
  return tokens.slice(clause.start, clause.end).some((word) => /^(?:wurden?|worden|werden|wird)$/u.test(word.text));
}

/** Verbs whose perfect has "be": "ist zurückgetreten", "est mort", "è morto". */
function isParticipleOfMotion(token: Token | undefined, language: Language): boolean {
  if (language === "de") return !/^(?:wurde|wird)/u.test(token?.text ?? "");
  if (language === "fr")
    return /^(?:mort|decede|parti|entre|sorti|venu|devenu|ne|arrive|tombe|reste|parvenu)/u.test(token?.text ?? "");
  if (language === "it")
    return /^(?:mort|decedut|partit|entrat|uscit|venut|diventat|nat|arrivat|cadut|rimast|salit|sces)/u.test(
      token?.text ?? "",
    );
  return false;
}

/** The words that hold the subject of a clause without one: the beginning of the nearest clause to the left that has one. */
function sharedSubject(tokens: readonly Token[], start: number, grammar: Grammar): Token[] {
  let from = start;
  while (from > 0 && !HARD.test(tokens[from]?.gap ?? "")) {
    from -= 1;
    const word = tokens[from];
    if (word !== undefined && (grammar.that.has(word.text) || grammar.open.has(word.text)))
      return tokens.slice(from + 1, start);
  }
  return tokens.slice(from, start);
}

function realityOf(
  tokens: readonly Token[],
  at: number,
  { clause, group, grammar, language }: { clause: Span; group: Group; grammar: Grammar; language: Language },
): Reality {
  const token = tokens[at];
  if (token === undefined) return "open";
  if (token.isQuoted) return "quoted";
  const own = formOf(tokens, at, { clause, group, grammar, language });
  if (own === "open" || own === "view" || own === "future") return own;
  const before = tokens.slice(0, clause.start);
  const whole = tokens.slice(clause.start, clause.end);
  if (whole.some((word) => grammar.hedge.has(word.text))) return "view";
  if (clause.opener !== undefined && grammar.open.has(clause.opener.text)) return "open";
  const governed = governedBy(before, whole, at - clause.start, { clause, grammar });
  if (governed === "view" || governed === "open") return governed;
  const after = attributionAfter(tokens, clause.end, grammar);
  if (after !== undefined) return after;
  return governed === "denied" ? (own === "fact" ? "denied" : own === "noun" ? "noun" : "fact") : own;
}

/** The reality that the form of the verb itself gives. */
function formOf(
  tokens: readonly Token[],
  at: number,
  { clause, group, grammar, language }: { clause: Span; group: Group; grammar: Grammar; language: Language },
): Reality {
  const token = tokens[at] as Token; // The caller has checked it.
  const previous = tokens[group.start - 1];
  const isNegated =
    group.words.filter((word) => grammar.not.has(word.text)).length % 2 === 1 ||
    tokens
      .slice(clause.start, group.start)
      .some((word) =>
        /^(?:no|none|nobody|neither|kein\p{L}*|niemand|aucune?|nul|personne|ningun[ao]?|nadie|nessun[oa]?|nenhuma?|ninguem)$/u.test(
          word.text,
        ),
      ) ||
    (language === "en" && /^(?:no|none|neither|nobody)$/u.test(tokens[at + 1]?.text ?? "")) ||
    (language !== "en" &&
      tokens.slice(at + 1, at + 3).some((word) => /^(?:pas|jamais|plus|nicht|mai|kein\p{L}*)$/u.test(word.text)));
  const fact: Reality = isNegated ? "denied" : "fact";
  if (language !== "en") {
    if (group.words.some((word) => grammar.modal.has(word.text)) || grammar.future.test(token.text)) return "future";
    if (isInfinitive(token, grammar, language, group))
      return infinitive(tokens, group.start, clause, { grammar, isNegated });
    if (isNominal(token, previous, grammar, language)) return nominal(tokens, at, clause, grammar, fact);
    return fact;
  }
  const words = group.words.map((word) => word.text);
  if (words.includes("to")) {
    if (previous !== undefined && ["yet"].includes(previous.text)) return "absent";
    return infinitive(tokens, group.start + words.indexOf("to"), clause, { grammar, isNegated });
  }
  if (group.words.some((word) => grammar.modal.has(word.text))) return "future";
  if (token.text.endsWith("ing") && token.text.length > 5) return participle(group, previous, token, { grammar, fact });
  if (isNominal(token, previous, grammar, language)) return nominal(tokens, at, clause, grammar, fact);
  const isBare = !/(?:ed|s|n|t)$/u.test(token.text) && !IRREGULAR_PAST.has(token.text);
  // "Sign the act!", and "the attempt sign": a bare form without a subject is an order.
  if (isBare && group.start === 0) return "open";
  return fact;
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
    if (word === undefined || word.capital) break;
    const isTurned = isNegated || tokens.slice(clause.start, n).some((one) => grammar.not.has(one.text));
    if (grammar.denies.has(word.text)) return isTurned ? "open" : word.text === "yet" ? "absent" : "denied";
    if (grammar.doubts.has(word.text) || grammar.modal.has(word.text)) return "future";
    if (grammar.does.has(word.text)) return isTurned ? "denied" : "fact";
  }
  return "future";
}

/** "beat Novak, winning the cup" and "after winning" are facts, "hopes of winning" is none. */
function participle(
  group: Group,
  previous: Token | undefined,
  token: Token,
  { grammar, fact }: { grammar: Grammar; fact: Reality },
): Reality {
  if (group.words.some((word) => grammar.be.has(word.text))) return "future";
  if (previous === undefined || /,/u.test(token.gap)) return fact;
  if (/^(?:after|by|since|for|when|while|despite)$/u.test(previous.text)) return fact;
  if (/^(?:without|instead|than|from|not)$/u.test(previous.text)) return fact === "fact" ? "denied" : "open";
  return "open";
}

const NOUN_ENDING =
  /(?:[ts]ion|ment|al|.{4}ance|.{4}ence|ure|ory|ity|ship|death|winner|loss|ung|tritt|ción|cion|sion|zione|cao|sao|miento|mento|toire|toria|issions?|issioni|schluss|sieg|kauf|tod)$/u;

function isNominal(token: Token, previous: Token | undefined, grammar: Grammar, language: Language): boolean {
  if (language === "de") return token.capital;
  if (NOUN_ENDING.test(token.text) && !/(?:ed|es)$/u.test(token.text)) return true;
  if (previous === undefined || /,/u.test(token.gap)) return false;
  if (language !== "en") return grammar.determiner.has(previous.text) && !grammar.pronoun.has(previous.text);
  return (
    !/ed$/u.test(token.text) &&
    ((grammar.determiner.has(previous.text) &&
      !/^(?:that|this|all|both|each|s|first|last|second|third)$/u.test(previous.text)) ||
      (grammar.preposition.has(previous.text) && !/^(?:before|after|since|as|until)$/u.test(previous.text)))
  );
}

/** A noun is a fact only as the object of a verb that carries it out: "gave approval", "announced his resignation". */
function nominal(tokens: readonly Token[], at: number, clause: Span, grammar: Grammar, fact: Reality): Reality {
  for (let n = at - 1; n >= Math.max(clause.start, at - 5); n -= 1) {
    const word = tokens[n];
    if (word === undefined || grammar.preposition.has(word.text)) return "noun";
    if (!grammar.light.has(word.text)) continue;
    const last = tokens.slice(Math.max(clause.start, n - 3), n);
    if (last.some((one) => grammar.modal.has(one.text) || one.text === "to")) return "future";
    return last.some((one) => grammar.not.has(one.text)) ? "denied" : fact;
  }
  return "noun";
}

/** What the words before a clause make of it: "X denied that", "it is likely that", "officials believe". */
function governedBy(
  before: readonly Token[],
  whole: readonly Token[],
  at: number,
  { clause, grammar }: { clause: Span; grammar: Grammar },
): Reality {
  // "Officials believe Marlow signed": a verb of thinking before the subject.
  const inside = whole.slice(0, at).find((word, n) => n > 0 && grammar.doubts.has(word.text));
  if (inside !== undefined) return "view";
  const isComplement = clause.opener !== undefined && grammar.that.has(clause.opener.text);
  const near = before.slice(-12);
  if (isComplement) {
    const head = near
      .toReversed()
      .find((word) => grammar.says.has(word.text) || grammar.denies.has(word.text) || grammar.doubts.has(word.text));
    if (head === undefined) return "view";
    const turned = near.some((word) => grammar.not.has(word.text) && !grammar.denies.has(word.text));
    if (near.some((word) => grammar.hedge.has(word.text) || grammar.modal.has(word.text))) return "view";
    if (grammar.denies.has(head.text)) return turned ? "fact" : "denied";
    if (grammar.doubts.has(head.text) || !isAuthority(near, head, grammar)) return "view";
    return turned ? "denied" : "fact";
  }
  return "fact";
}

const SPEAKS =
  /^(?:sa(?:y|id|ys)|tell|told|wrote?|writes?|sagt|sagte|sagen|dit|disent|dice|dicen|dijo|dijeron|dicono|detto|disse|diz|dizem|disseram)/u;
const OFFICIAL =
  /^(?:offici|police|polizei|policia|polizia|court|gericht|tribunal|minist|spokes|sprecher|porte|portavoz|portavoce|porta|agenc|authorit|behord|autorit|autorid|govern|regierung|gouvern|gobiern|company|firm|commission|kommission|board|council|organi[sz]er|veranstalt|team|club|judge|prosecut|staatsanw|data|result|figure|report|bericht|mayor|president|chair|director|secretar|statement|jury|referee|union|federation|institute|ministry|register|paper|newspaper|zeitung)/u;

/** "Fans say that": only a name, a pronoun or an office can answer for what it says. */
function isAuthority(near: readonly Token[], head: Token, grammar: Grammar): boolean {
  if (!SPEAKS.test(head.text)) return true;
  const before = near.slice(0, near.indexOf(head));
  return (
    before.length === 0 ||
    before
      .slice(-5)
      .some((word) => (word.capital && word.start > 0) || grammar.pronoun.has(word.text) || OFFICIAL.test(word.text))
  );
}

/** "Marlow signed the act, opponents claim". */
function attributionAfter(tokens: readonly Token[], end: number, grammar: Grammar): Reality | undefined {
  const next = tokens.slice(end, end + 8);
  const isOwn = next.some((word, n) => n > 0 && (HARD.test(word.gap) || /,/u.test(word.gap)));
  const short = isOwn
    ? next.slice(
        0,
        next.findIndex((word, n) => n > 0 && /[,;:]/u.test(word.gap)),
      )
    : next;
  if (short.some((word) => grammar.hedge.has(word.text))) return "view";
  const verb = short.find((word, n) => n > 0 && n < 5 && grammar.doubts.has(word.text));
  return verb !== undefined && /,/u.test(short[0]?.gap ?? "") ? "view" : undefined;
}

/** The clause around a position of a sentence. */
export interface Clause {
  readonly start: number;
  readonly end: number;
  readonly stems: ReadonlySet<string>;
  /** Whether nothing in it or before it makes it a plan, a condition or a view. */
  readonly isFact: boolean;
}

/** The clause at a position, for what is no predicate, such as a figure. */
export function clauseAt(tokens: readonly Token[], position: number, grammar: Grammar, language: Language): Clause {
  const at = Math.max(
    0,
    tokens.findLastIndex((token) => token.start <= position),
  );
  const span = clauseOf(tokens, at, grammar, language);
  const whole = tokens.slice(span.start, span.end);
  const { opener } = span;
  const isOpen =
    tokens[at]?.isQuoted === true ||
    (opener !== undefined && grammar.open.has(opener.text)) ||
    whole.some(
      (word) => grammar.modal.has(word.text) || grammar.hedge.has(word.text) || grammar.future.test(word.text),
    ) ||
    attributionAfter(tokens, span.end, grammar) !== undefined ||
    governedBy(tokens.slice(0, span.start), whole, at - span.start, { clause: span, grammar }) === "view";
  return {
    start: whole[0]?.start ?? 0,
    end: whole.at(-1)?.end ?? 0,
    stems: new Set(whole.map(({ stem }) => stem)),
    isFact: !isOpen,
  };
}
