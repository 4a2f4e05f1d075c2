import { type Predication } from "../reading/clauses.ts";
import { ADVERB, IRREGULAR_PAST, type Token } from "../reading/spans.ts";
import { type Grammar, isFunctionWord } from "../reading/grammar.ts";
import { isForm, type Language } from "../reading/words.ts";
import { type Argument, type Asked } from "./question.ts";

/** The comparison of the arguments of a predicate with those of the question. */
export type Fit =
  /** They are, with a factor for what is only implied. */
  | { readonly kind: "same"; readonly factor: number }
  /** Another actor has what only one can have. */
  | { readonly kind: "other-actor" }
  /** The actor and its object have changed places. */
  | { readonly kind: "swapped" }
  | { readonly kind: "different" };

interface Reader {
  readonly grammar: Grammar;
  readonly language: Language;
}

/** Outcomes of which only one candidate can have each, so that another's excludes it. */
const EXCLUSIVE = new Set(["win", "elect", "acquire", "host", "nominate", "appoint"]);
/** Outcomes that the sides exchange if subject and object change places. */
const DIRECTED = new Set(["win", "acquire", "invade", "lose"]);
/** Predicates whose subject is also their object: "the bridge opened", "the mayor opened the bridge". */
const ERGATIVE = new Set([
  "open",
  "close",
  "launch",
  "release",
  "start",
  "end",
  "land",
  "merge",
  "list",
  "complete",
  "rise",
  "fall",
  "postpone",
  "cancel",
  "publish",
  "persist",
]);
/** Nouns that name a thing by a part of it that decides: "the cup final", "the price of gold". */
const STAND_FOR = new Set(
  "final title trophy crown price rate level value figure total number share index stock party team".split(" "),
);
/** Nouns by which a text comes back to a thing that it has named. */
const GENERIC =
  /^(?:company|firm|club|airline|bank|group|party|bridge|tunnel|law|act|bill|treaty|museum|plant|mine|ship|vessel|satellite|probe|unternehmen|firma|verein|gesetz|werk|entreprise|societe|loi|usine|empresa|compania|ley|azienda|societa|legge|lei)$/u;
/** Nouns that a name does not need: "Petrel" for "the Petrel mission". */
const KIND =
  /^(?:mission|probe?|lander|rover|spacecraft|satellit|telescop|rocket|airlin|company|firm|group|ship|ferry|project|band|film|novel|app|vaccin|drug)s?$/u;
const TITLE =
  /^(?:mr|mrs|ms|dr|president|minister|governor|senator|chancellor|king|queen|prince|princess|pope|judge|mayor|professor|prime|chief|deputy|captain|coach|champion|sir|lord|lady|saint|st|presidente|ministre|ministro|minist\p{L}*|prasident|kanzler\p{L}*|burgermeister\p{L}*|maire|alcalde|alcaldesa|sindac\p{L}|prefeit\p{L}|gouverneur|gobernador\p{L}*|governator\p{L}|governador\p{L}*)$/u;
/** The legal form of a firm, which a question leaves out. */
const LEGAL_FORM = /^(?:plc|inc|ltd|llc|corp|ag|gmbh|se|sa|sas|spa|srl|nv|bv|ab|as|oyj|kg)$/u;
/** "beat", "win against", "the purchase of": prepositions before the object of a verb or a noun. */
const OBJECT_PREPOSITION =
  /^(?:of|over|against|in|contra|contro|gegen|contre|de|d'|du|des|von|vom|di|del|della|dell'|dello|dei|do|da|dos|das)$/u;
/** Factors of arguments that the sentence only implies. */
const BY_PRONOUN = 0.85;
const BY_CONTEXT = 0.9;
/** The factor if an argument is in another language and has no name. */
const UNCOMPARED = 0.6;

/** Compares the arguments of a predicate with the question's. `near` are the question's words in the sentence and before it. */
export function fitOf(
  asked: Asked,
  predication: Predication,
  context: { reader: Reader; near: ReadonlySet<string>; outcome: string | undefined },
): Fit {
  const fit = comparedFit(asked, predication, context);
  const isOpen = [asked.agent, asked.patient].some(
    (one) => one !== undefined && inLanguage(one, asked, context.reader.language) === undefined,
  );
  return fit.kind === "same" && isOpen ? { kind: "same", factor: fit.factor * UNCOMPARED } : fit;
}

function comparedFit(
  asked: Asked,
  predication: Predication,
  { reader, near, outcome }: { reader: Reader; near: ReadonlySet<string>; outcome: string | undefined },
): Fit {
  const { before, after } = predication;
  const isPassive = predication.isPassive && !predication.isReceived;
  const { names, terms } = asked;
  const agent = inLanguage(asked.agent, asked, reader.language);
  const patient = inLanguage(asked.patient, asked, reader.language);
  const behindBy = after.findIndex((word) => reader.grammar.by.has(word.text));
  const to = predication.isReceived ? after.findIndex((word) => GIVEN_TO.test(word.text)) : -1;
  if (to >= 0 && agent !== undefined && patient !== undefined) {
    const receiver = standsIn(agent, after.slice(to + 1), { reader, predication, near, names, terms, isSubject: true });
    const gift = standsIn(patient, predication.isPassive ? before : after.slice(0, to), {
      reader,
      predication,
      near,
      names,
      terms,
      isSubject: predication.isPassive,
    });
    if (receiver !== undefined && gift !== undefined) return { kind: "same", factor: Math.min(receiver, gift) };
    const isOther = after[to + 1]?.capital === true && !after.slice(to).some(({ stem }) => agent.words.has(stem));
    return isOther && gift !== undefined ? { kind: "other-actor" } : { kind: "different" };
  }
  const doer = isPassive ? (behindBy < 0 ? [] : after.slice(behindBy)) : before;
  const turns = outcome !== undefined && ERGATIVE.has(outcome);
  // "Was the rocket launched?": "the rocket lifted off".
  const isTurned =
    turns && agent === undefined && !isPassive && !after.some((word) => patient?.heads.has(word.stem) === true);
  const done = isPassive || isTurned ? before : after;
  const isErgative = patient === undefined && turns;
  if (agent !== undefined && patient === undefined) {
    const subject = isPassive && !isErgative ? doer : before;
    const own = standsIn(agent, subject, { reader, predication, near, names, terms, isSubject: true });
    const any =
      isErgative && own === undefined
        ? standsIn(agent, after, { reader, predication, near, names, terms, isSubject: false })
        : own;
    if (any !== undefined) return { kind: "same", factor: any };
    return reader.language === "de" &&
      standsIn(agent, after, { reader, predication, near, names, terms, isSubject: false }) !== undefined
      ? { kind: "same", factor: 1 }
      : { kind: "different" };
  }
  const elected =
    outcome === "elect" && asked.outcomes.has("win") ? electedBy(asked, predication, { reader, near }) : undefined;
  if (elected !== undefined) return elected;
  const subject =
    agent === undefined ? 1 : standsIn(agent, doer, { reader, predication, near, names, terms, isSubject: !isPassive });
  const object =
    patient === undefined
      ? 1
      : standsIn(patient, done, { reader, predication, near, names, terms, isSubject: isPassive || isTurned });
  if (subject !== undefined && object !== undefined) return { kind: "same", factor: Math.min(subject, object) };
  if (agent !== undefined && patient !== undefined && outcome !== undefined && DIRECTED.has(outcome)) {
    const mirrored =
      standsIn(agent, done, { reader, predication, near, names, terms, isSubject: isPassive }) !== undefined &&
      standsIn(patient, doer, { reader, predication, near, names, terms, isSubject: !isPassive }) !== undefined;
    if (mirrored) return { kind: "swapped" };
  }
  if (isPassive && subject === undefined && object !== undefined && behindBy < 0) {
    // "The act was signed": the actor is not named, and only the context can say who it was.
    if (agent === undefined) return { kind: "different" };
    // "The act was not signed": there is no signer.
    if (predication.reality === "denied" || predication.reality === "absent")
      return { kind: "same", factor: BY_CONTEXT };
    if (asked.isByAgent) return { kind: "different" };
    if (covers(agent, near)) return { kind: "same", factor: BY_CONTEXT };
    const isNamed = [...agent.words].some((word) => near.has(word)) && !namesOther(agent, [...before, ...after]);
    return isNamed ? { kind: "same", factor: 0.8 } : { kind: "different" };
  }
  if (
    asked.isByAgent &&
    isPassive &&
    object !== undefined &&
    behindBy >= 0 &&
    namesActor(after.slice(behindBy + 1), agent, reader)
  )
    return { kind: "other-actor" };
  if (object !== undefined && patient !== undefined && outcome !== undefined && EXCLUSIVE.has(outcome)) {
    const other = doer.findLast((word) => word.capital && !/^\d/u.test(word.text) && !ADVERB.test(word.text));
    const isKnown = doer.some((word) => agent?.words.has(word.stem) === true);
    const isWhole = [...patient.words].every((word) => done.some(({ stem }) => stem === word));
    if (other !== undefined && !isKnown && isWhole) return { kind: "other-actor" };
  }
  return { kind: "different" };
}

/** "was elected mayor of X", for "won the mayoral election in X". Undefined if the office or the place is another. */
function electedBy(
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

/** The preposition of the one who receives a prize. */
const GIVEN_TO = /^(?:to|an|à|a|al|all[ao']|ao|aos)$/u;

/** "toppled by a lorry", if the question asks for protesters: an actor that the question does not name. */
function namesActor(zone: readonly Token[], agent: Argument | undefined, { grammar }: Reader): boolean {
  const end = zone.findIndex((word, n) => grammar.preposition.has(word.text) || (n > 0 && /[,;:(]/u.test(word.gap)));
  const phrase = zone.slice(0, end < 0 ? 6 : end).filter((word) => !isFunctionWord(word.text, grammar));
  return (
    phrase.length > 0 &&
    !phrase.some(({ text, stem }) => /^\d/u.test(text) || MANNER.test(text) || agent?.words.has(stem) === true)
  );
}

/** Nouns after "by" that name no actor. */
const MANNER =
  /^(?:majorit|mehrheit|mayori|maggioran|maiori|vote|vot[oi]|stimm|voix|margin|mistak|accident|default|law|decre|mail|email|hand|acclam|unanim|percent)/u;

/** An argument as another language writes it: its names. Undefined if there is no name, so that nothing can be compared. */
function inLanguage(argument: Argument | undefined, { language, names }: Asked, other: Language): Argument | undefined {
  if (argument === undefined || language === other) return argument;
  const own = new Set([...argument.words].filter((word) => names.has(word)));
  return own.size === 0 ? undefined : { words: own, heads: own, kinds: new Set() };
}

/** "West Arden" for "Arden" */
function namesOther({ words }: Argument, zone: readonly Token[]): boolean {
  return zone.some((word, at) => {
    const last = zone[at - 1];
    return words.has(word.stem) && last?.capital === true && !words.has(last.stem) && word.gap === " ";
  });
}

function covers(argument: Argument, near: ReadonlySet<string>): boolean {
  return [...argument.heads].every((head) => near.has(head));
}

interface Place {
  readonly reader: Reader;
  readonly predication: Predication;
  readonly near: ReadonlySet<string>;
  readonly isSubject: boolean;
  readonly names: ReadonlySet<string>;
  readonly terms: ReadonlySet<string>;
}

function isOneOf(stems: ReadonlySet<string>, word: Token, { language }: Reader): boolean {
  if (stems.has(word.stem)) return true;
  return (
    language !== "en" && [...stems].some((stem) => stem.length > 5 && isForm({ text: stem, stem }, word, language))
  );
}

/** Whether an argument stands in a part of a sentence as its noun phrase: a factor, or undefined if it does not. */
function standsIn(argument: Argument, zone: readonly Token[], place: Place): number | undefined {
  const { reader, near, predication, isSubject } = place;
  const found = zone.findIndex(
    (word, at) => isOneOf(argument.heads, word, reader) && isHeadAt(zone, at, argument, place),
  );
  if (found < 0) {
    // "Sallow Creek" for "the Sallow Creek mine".
    const names = new Set([...argument.words].filter((word) => place.names.has(word)));
    const isKind = [...argument.heads].every((head) => KIND.test(head));
    const isShort = names.size > 1 && ![...argument.heads].some((head) => names.has(head));
    const short = isShort
      ? zone.findLastIndex((word, at) => names.has(word.stem) && isHeadAt(zone, at, argument, place))
      : -1;
    const alone = isKind
      ? zone.findIndex(
          (word, at) =>
            names.has(word.stem) &&
            word.text.length > 3 &&
            (isHeadAt(zone, at, argument, place) || KIND.test(zone[at + 1]?.text ?? "")),
        )
      : -1;
    if (alone >= 0 && names.size === 1) return BY_CONTEXT;
    if (short >= 0 && [...names].every((name) => zone.some(({ stem }) => stem === name))) return 0.85;
  }
  if (found >= 0) {
    const missing = [...argument.words].filter((word) => !zone.some(({ stem }) => stem === word));
    if (
      PARTIAL.test(zone[found - 1]?.text ?? "") ||
      hasRival(zone, found, argument, place) ||
      hasOtherComplement(zone, found, argument, place) ||
      hasOtherOffice(argument, place) ||
      hasOtherPlace(argument, place) ||
      (isSubject && isOfClauseBefore(zone.slice(found + 1), reader))
    )
      return undefined;
    return missing.every((word) => near.has(word)) || missing.length * 2 <= argument.words.size ? 1 : 0.7;
  }
  // "It signed the act", "and signed the act": the sentence before names the subject.
  if (!covers(argument, near)) return undefined;
  const kind = zone.findIndex(
    (word) =>
      argument.kinds.has(word.stem) ||
      (GENERIC.test(word.text) && !zone.some(({ capital }) => capital) && !argument.words.has(word.stem)),
  );
  if (kind > 0 && reader.grammar.determiner.has(zone[kind - 1]?.text) && isHeadAt(zone, kind, argument, place))
    return BY_PRONOUN;
  if (!isSubject)
    return reader.language === "en" && /^(?:it|them|him|her)$/u.test(zone[0]?.text ?? "") ? BY_PRONOUN : undefined;
  const words = zone.filter(
    (word) => !ADVERB.test(word.text) && !reader.grammar.have.has(word.text) && !reader.grammar.be.has(word.text),
  );
  if (words.length === 0 && !predication.isInherited) return BY_CONTEXT;
  const hasPronoun = words.some((word) => reader.grammar.pronoun.has(word.text));
  if (hasPronoun && words.every((word) => !word.capital || reader.grammar.pronoun.has(word.text))) return BY_PRONOUN;
  return words.length === 0 ? BY_PRONOUN : undefined;
}

const ARTICLE = /^(?:den|die|das|einen?|eine)$/u;

/** Whether a word heads a noun phrase of its own: it is not inside "committee of X", "X's deputy", "X Bank". */
function isHeadAt(zone: readonly Token[], at: number, argument: Argument, place: Place): boolean {
  const { reader, isSubject, predication } = place;
  const { grammar, language } = reader;
  const next = zone[at + 1];
  const beside = next !== undefined && /^[\s\u00a0-]*$/u.test(next.gap);
  if (next?.text === "s" && /['’]/u.test(next.gap)) return false;
  // "named Ludo Farrant director": the question names the role too.
  const isRole = !isSubject && next !== undefined && !next.capital && place.terms.has(next.stem);
  if (beside && !argument.words.has(next.stem) && !STAND_FOR.has(next.stem) && !isRole) {
    // "President Marchetti" is the president, "Harbour Bank" is not the harbour.
    if (next.capital && !/^\d/u.test(next.text) && !LEGAL_FORM.test(next.text) && language === "en")
      return TITLE.test(zone[at]?.text ?? "");
    const isWord =
      !LEGAL_FORM.test(next.text) &&
      !grammar.preposition.has(next.text) &&
      !grammar.and.has(next.text) &&
      !grammar.determiner.has(next.text) &&
      !grammar.be.has(next.text) &&
      !grammar.have.has(next.text) &&
      !grammar.modal.has(next.text) &&
      !grammar.not.has(next.text) &&
      !grammar.clause.has(next.text) &&
      !grammar.that.has(next.text) &&
      !grammar.pronoun.has(next.text) &&
      !ADVERB.test(next.text) &&
      !/^\d|ed$/u.test(next.text) &&
      !IRREGULAR_PAST.has(next.text);
    // In an inherited subject, a verb follows the noun phrase.
    if (isWord && language === "en" && !(isSubject && predication.isInherited && !next.capital)) return false;
  }
  // "la tour Nord": a Romance name follows its noun.
  const isGermanic = language === "en" || language === "de";
  for (let n = at - 1; n >= 0; n -= 1) {
    const word = zone[n];
    if (word === undefined || /[,;:]/u.test(zone[n + 1]?.gap ?? "")) return true;
    const isName = zone[n + 1]?.capital === true && argument.words.has(zone[n + 1]?.stem ?? "");
    // "in the last game Vera Sandoval": a name without a preposition begins a noun phrase.
    if (isName && isGermanic && !word.capital && !isFunctionWord(word.text, grammar) && !TITLE.test(word.text))
      return true;
    // "der Ausschuss des Landtags"
    const owner = zone[n - 1];
    if (language === "de" && /^(?:des|der)$/u.test(word.text) && owner?.capital === true && word.gap.trim() === "")
      return argument.words.has(owner.stem);
    if (argument.words.has(word.stem) || (word.capital && !STAND_FOR.has(word.stem) && language === "en" && n === 0))
      continue;
    if (grammar.preposition.has(word.text) && !(language !== "en" && ["a", "al", "les", "des"].includes(word.text))) {
      if (grammar.by.has(word.text) && n === 0) return true;
      const noun = zone.slice(0, n).findLast((other) => !grammar.determiner.has(other.text));
      if (noun === undefined) return !isSubject && OBJECT_PREPOSITION.test(word.text);
      // "the hearing on the permit of the tower": the noun before must head its phrase, too.
      if (argument.words.has(noun.stem)) continue;
      return STAND_FOR.has(noun.stem);
    }
    // "hat am Abend den Haushalt beschlossen": an article that no preposition governs begins a noun phrase.
    if (
      language === "de" &&
      ARTICLE.test(word.text) &&
      n > 0 &&
      !grammar.preposition.has(owner?.text) &&
      !grammar.preposition.has(word.text)
    )
      return true;
    if (!grammar.determiner.has(word.text) && !/\p{Ll}/u.test(word.text)) return true;
  }
  return true;
}

/** "Coach Ellery" for "Senator Ellery": a clause that names another office, on a page that does not name the question's. */
function hasOtherOffice({ words }: Argument, { near, predication: { before, after } }: Place): boolean {
  const own = [...words].filter((word) => TITLE.test(word));
  return (
    own.length > 0 &&
    !own.some((word) => near.has(word)) &&
    [...before, ...after].some(({ text, stem }) => TITLE.test(text) && !words.has(stem))
  );
}

/** "Some nurses" are not the nurses. */
const PARTIAL =
  /^(?:some|several|few|half|einige|manche|mehrere|certain|quelques|plusieurs|algun[ao]s|vari[ao]s|alcun[ie]|divers[ie])$/u;

/** "Orland was praised after Kestria banned": a verb and a conjunction stand between the word and the predicate. */
function isOfClauseBefore(rest: readonly Token[], { grammar, language }: Reader): boolean {
  const conjunction = rest.findIndex(
    ({ text }, at) => language === "en" && grammar.clause.has(text) && rest[at + 1]?.capital === true,
  );
  return rest.slice(0, Math.max(0, conjunction)).some(({ text }) => grammar.be.has(text) || IRREGULAR_PAST.has(text));
}

/** "In neighbouring Durne the nurses" for "the nurses of Halmont": the clause names another place, and not the question's. */
function hasOtherPlace(argument: Argument, { names, predication: { before, after } }: Place): boolean {
  const words = [...argument.words];
  const own = words.slice(1 + words.findIndex((word) => argument.heads.has(word))).filter((word) => names.has(word));
  const clause = [...before, ...after];
  if (own.length === 0 || own.some((name) => clause.some(({ stem }) => stem === name))) return false;
  return clause.some(
    (word, at) =>
      word.capital &&
      /^\p{L}{2}/u.test(word.text) &&
      !names.has(word.stem) &&
      clause.slice(Math.max(0, at - 2), at).some(({ text }) => IN.test(text)),
  );
}

const IN = /^(?:in|at|im|a|à|en|em|na|no|nell[ao']?|nel)$/u;

/** Modifiers that make of a thing or an office a lesser one: "deputy director", "indoor record". */
const LESSER =
  /^(?:deput|vice|assistan|acting|former|interim|junior|youth|indoor|club|women|girl|femmin|femenin|feminin|giovanil|juvenil|reserv|stellvertret|ehemalig|fruher|adjoint|adjunt|vicari)/u;
/** Modifiers by which offices and titles of different areas differ, if the question names another one: "the district court". */
const LEVEL = /^(?:district|region|nation|local|provinci|municipal|departement)/u;

/** Whether another modifier stands where the question has one: "the Road Act" for "the Water Act", "the national record" for "the world record". */
function hasRival(zone: readonly Token[], head: number, argument: Argument, { reader, near }: Place): boolean {
  const { grammar, language } = reader;
  const isWhole = [...argument.words].every((word) => zone.some(({ stem }) => stem === word));
  const isUnknown = [...argument.words].some((word) => !near.has(word));
  const isOther = (word: Token): boolean =>
    !word.capital &&
    !argument.words.has(word.stem) &&
    !isFunctionWord(word.text, grammar) &&
    !ADVERB.test(word.text) &&
    /^\p{L}/u.test(word.text) &&
    (isUnknown || LESSER.test(word.text) || (!isWhole && LEVEL.test(word.text)));
  if (language !== "en" && language !== "de") {
    // "el premio Alba de poesía" for "el premio Alba de novela"
    const behind = zone.slice(head + 1);
    const next = behind.findIndex((word) => !argument.words.has(word.stem) && !OF_ONLY.test(word.text));
    const word = behind[next];
    if (word !== undefined && behind.slice(0, next + 1).every(({ gap }) => /^\s*$/u.test(gap)) && isOther(word))
      return true;
  }
  for (let n = head - 1; n >= 0; n -= 1) {
    const word = zone[n];
    if (word === undefined || !/^\s*$/u.test(zone[n + 1]?.gap ?? "")) return false;
    if (argument.words.has(word.stem)) continue;
    if (!word.capital) return isOther(word);
    return (
      !isWhole && n > 0 && !TITLE.test(word.text) && !/^(?:the|a|an|der|die|das|le|la|el|il|o|a)$/u.test(word.text)
    );
  }
  return false;
}

/**
 * Whether the noun phrase goes on with another name or noun than the question's: "shareholders of Aldine Bank" for those of
 * Fenwick Bank, "the contract for new trams" for the one for the depot.
 */
function hasOtherComplement(
  zone: readonly Token[],
  head: number,
  { words }: Argument,
  { reader: { grammar, language }, near, names }: Place,
): boolean {
  const next = zone[head + 1];
  if (next === undefined || !COMPLEMENT.test(next.text) || next.gap.trim() !== "") return false;
  const rest = zone.slice(head + 2);
  const end = rest.findIndex(
    ({ text, gap }, n) =>
      n > 0 &&
      (/[^\s\u00a0-]/u.test(gap) ||
        (grammar.preposition.has(text) && !OF_ONLY.test(text)) ||
        grammar.be.has(text) ||
        grammar.have.has(text)),
  );
  const phrase = rest.slice(0, end < 0 ? 6 : end);
  const own = [...words].filter((word) => names.has(word));
  const named = [...zone.slice(Math.max(0, head - 3), head), ...phrase];
  const isMissing = own.some((name) => !named.some(({ stem }) => stem === name));
  const isForeign = (word: Token): boolean => word.capital && /^\p{L}{2}/u.test(word.text) && !words.has(word.stem);
  if (language !== "de" && isMissing && phrase.some(isForeign) && OF.test(next.text)) return true;
  const last = [...words].at(-1) ?? "";
  const noun = phrase.findLast(({ text }) => !isFunctionWord(text, grammar));
  return zone[head]?.stem !== last && !near.has(last) && noun !== undefined && noun.stem !== last;
}

const COMPLEMENT =
  /^(?:of|for|with|on|against|für|von|des|mit|de|du|d'|pour|para|con|di|del|della|dei|per|do|da|dos|das)$/u;
const OF = /^(?:of|de|du|d'|di|del|dell[ao']|da|do|das|dos)$/u;
const OF_ONLY = /^(?:de|d'|di|da|do|del|du)$/u;
