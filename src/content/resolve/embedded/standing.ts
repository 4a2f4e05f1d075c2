import { conceptsIn } from "../reading/concepts.ts";
import { isFunctionWord, type Reader } from "../reading/grammar.ts";
import { ADVERB, type Token } from "../reading/spans.ts";
import { numberWord } from "../reading/number-words.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { IRREGULAR_PAST, isForm, isRomance } from "../reading/words.ts";
import { BY_CONTEXT } from "./fit.ts";
import { type Argument, makerIn, ownersIn } from "../reading/noun-phrases.ts";
import { isOfAnother, isOwner, type Place } from "./rivals.ts";

/** Nouns that a name does not need: "Petrel" for "the Petrel mission". */
const KIND =
  /^(?:mission|probe?|lander|rover|spacecraft|satellit|telescop|rocket|airlin|company|firm|group|ship|ferry|project|band|film|novel|app|vaccin|drug)s?$/u;
/** Beginnings of the nouns that the name of a firm ends with, and does not need. */
const FIRM =
  /^(?:motor|mining?$|food|energ|airlin|airway|lab$|group|holding|pharma|system|robotic|steel|industr|media$|shipyard|brew|stud|cement|electri|telecom|grain|textil|chemic|logistic|software|technolog|semicond|health|bio$|optic|gam)/u;
/** Nouns behind the name of a craft: "the Lyra spacecraft". */
const CRAFT = /^(?:probe|lander|rover|orbiter|spacecraft|satellite|capsule|rocket|telescope)$/u;
/** The factor of an argument to which a pronoun or a general noun comes back. */
const BY_PRONOUN = 0.85;

/** Bodies, and the people who act for them. */
const MEMBERS = [
  [WORDS.court, WORDS.judge],
  [WORDS.assembly, WORDS.member],
  [WORDS.bank, WORDS.banker],
  [WORDS.regulator, WORDS.authority],
] as const;

/** "judges annulled the election" for "the court annulled it", if nothing names another court. */
function hasMembers(argument: Argument, zone: readonly Token[], place: Place): boolean {
  const { heads, words } = argument;
  const isActing = ({ text }: Token): boolean =>
    MEMBERS.some(([body, members]) => members.has(text) && [...heads].every((head) => body.has(head)));
  const at = zone.findIndex(isActing);
  // "regulators" can have any name.
  const isAnyOne = [...words].every((word) => WORDS.regulator.has(word));
  const isKnown = [...words].every(
    (word) =>
      heads.has(word) || !place.names.has(word) || place.near.has(word) || zone.some(({ stem }) => stem === word),
  );
  return (
    at >= 0 &&
    !WORDS.partial.has(zone[at - 1]?.text) &&
    isKnown &&
    (isAnyOne ||
      !zone.some(
        (word) =>
          word.capital &&
          /^\p{L}{2}/u.test(word.text) &&
          !words.has(word.stem) &&
          !isFunctionWord(word.text, place.reader.grammar) &&
          !isActing(word),
      )) &&
    isHeadAt(zone, at, argument, place)
  );
}

/** Whether an argument stands in a part of a sentence as its noun phrase: a factor, or undefined if it does not. */
export function standsIn(argument: Argument, zone: readonly Token[], place: Place): number | undefined {
  const { reader, near, predication, isSubject } = place;
  // "Kestrel's bid for Orbis", "Fenwick Bank's shareholders" for "Aldine Bank's shareholders"
  const { owner = [], words: own } = argument;
  const owners = ownersIn(zone).filter((name) => name.some((word) => own.has(word)));
  if (owner.length > 0 && owners.length > 0 && !owners.some((name) => owner.every((word) => name.includes(word))))
    return undefined;
  // "the acquisition of Fenwick by Aldine"
  const maker = makerIn(zone, own, reader.grammar);
  if (argument.maker !== undefined && maker !== undefined && maker !== argument.maker) return undefined;
  const found = zone.findIndex(
    (word, at) =>
      (isOneOf(argument.heads, word, reader) || isDeed(argument, word)) &&
      isHeadAt(zone, at, argument, place) &&
      !isOfOtherPart(zone[at - 1], argument, place),
  );
  if (found < 0) {
    // "Sallow Creek" for "the Sallow Creek mine".
    const names = new Set([...argument.words].filter((word) => place.names.has(word)));
    // "the Sallow Creek mine workers": with its noun, the name belongs to another one.
    const isLong = zone.some((word) => isOneOf(argument.heads, word, reader));
    const isKind = !isLong && [...argument.heads].every((head) => KIND.test(head));
    // "Vale Pharma's share price" is not Vale Pharma.
    const isShort =
      !isLong &&
      owner.length === 0 &&
      argument.isOfName !== true &&
      names.size > 1 &&
      ![...argument.heads].some((head) => names.has(head));
    const short = isShort
      ? zone.findLastIndex((word, at) => names.has(word.stem) && isHeadAt(zone, at, argument, place))
      : -1;
    const alone = isKind
      ? zone.findIndex(
          (word, at) =>
            names.has(word.stem) &&
            word.text.length > 3 &&
            (isHeadAt(zone, at, argument, place) ||
              (KIND.test(zone[at + 1]?.text ?? "") && isHeadBehind(zone, at + 1, argument, place))),
        )
      : -1;
    // "Aldane bought Glint", on a page about Aldane Motors
    const [first] = argument.words;
    const isFirm =
      names.size > 1 && !isLong && owner.length === 0 && [...argument.heads].every((head) => FIRM.test(head));
    const isCalled = (word: Token, at: number): boolean =>
      word.stem === first && word.capital && isHeadAt(zone, at, argument, place);
    if (isFirm && reader.language === "en" && covers(argument, near) && zone.some(isCalled)) return BY_PRONOUN;
    if (alone >= 0 && names.size === 1) return BY_CONTEXT;
    if (short >= 0 && [...names].every((name) => zone.some(({ stem }) => stem === name))) return 0.85;
  }
  if (found >= 0) {
    const missing = [...argument.words].filter((word) => !zone.some(({ stem }) => stem === word));
    if (isOfAnother(zone, found, argument, place)) return undefined;
    // "the Pellan telescope", in a sentence that names the Tarn telescope elsewhere
    const isNamed = missing.some((word) => place.names.has(word));
    if (reader.language === "en" && isNamed && isNameOfAnother(zone, found, argument, place)) return undefined;
    // "the bank", on a page that does not name the question's
    const isGeneric = WORDS.generic.has(zone[found]?.text) && reader.grammar.determiner.has(zone[found - 1]?.text);
    if (isGeneric && missing.some((word) => place.names.has(word) && !near.has(word))) return undefined;
    return missing.every((word) => near.has(word)) || missing.length * 2 <= argument.words.size ? 1 : 0.7;
  }
  if (isSubject && hasMembers(argument, zone, place)) return BY_PRONOUN;
  // "It signed the act", "and signed the act": the sentence before names the subject.
  if (!covers(argument, near)) return undefined;
  const kind = zone.findIndex(
    (word) =>
      argument.kinds.has(word.stem) ||
      (WORDS.generic.has(word.text) && !zone.some(({ capital }) => capital) && !argument.words.has(word.stem)),
  );
  if (kind > 0 && reader.grammar.determiner.has(zone[kind - 1]?.text) && isHeadAt(zone, kind, argument, place))
    return BY_PRONOUN;
  if (!isSubject)
    // "charged their opponent"
    return reader.language === "en" &&
      /^(?:it|them|him|her)$/u.test(zone[0]?.text ?? "") &&
      (zone[1] === undefined || zone[1].gap.trim() !== "" || isFunctionWord(zone[1].text, reader.grammar))
      ? BY_PRONOUN
      : undefined;
  const words = zone.filter(
    (word) => !ADVERB.test(word.text) && !reader.grammar.have.has(word.text) && !reader.grammar.be.has(word.text),
  );
  if (words.length === 0 && !predication.isInherited) return BY_CONTEXT;
  // "It beat Merrow": a pronoun does not stand for what its own clause names.
  const isNamed = [...predication.before, ...predication.after].some((word) => isOneOf(argument.heads, word, reader));
  const hasPronoun = words.some((word) => reader.grammar.pronoun.has(word.text));
  if (hasPronoun && !isNamed && words.every((word) => !word.capital || reader.grammar.pronoun.has(word.text)))
    return BY_PRONOUN;
  return words.length === 0 ? BY_PRONOUN : undefined;
}

/** "the data act" for the privacy act of a question of both, "the 100 metres" for the 200 metres. */
function isOfOtherPart(before: Token | undefined, { words }: Argument, { known, terms }: Place): boolean {
  if (before === undefined || words.has(before.stem)) return false;
  const isNumbered = /^\d/u.test(before.text) && [...words].some((word) => /^\d/u.test(word));
  return isNumbered || (known?.includes(before.stem) === true && !terms.has(before.stem));
}

/** Whether a name that the question does not have stands right before a noun. */
function isNameOfAnother(zone: readonly Token[], at: number, { words }: Argument, { reader }: Place): boolean {
  const [name, noun] = [zone[at - 1], zone[at]];
  return (
    name?.capital === true &&
    noun?.gap === " " &&
    // The first word of a sentence has a capital, too.
    (name.start > 0 || noun.capital) &&
    /^\p{L}{2}/u.test(name.text) &&
    ![
      words.has(name.stem),
      WORDS.title.has(name.text),
      WORDS.time.has(name.text),
      isFunctionWord(name.text, reader.grammar),
    ].some(Boolean)
  );
}

/** "the acquisition" for "the takeover" */
function isDeed({ outcomes }: Argument, word: Token): boolean {
  return outcomes !== undefined && outcomes.size > 0 && !conceptsIn([word]).isDisjointFrom(outcomes);
}

function isOneOf(stems: ReadonlySet<string>, word: Token, { language }: Reader): boolean {
  if (stems.has(word.stem)) return true;
  return (
    language !== "en" && [...stems].some((stem) => stem.length > 5 && isForm({ text: stem, stem }, word, language))
  );
}

const ARTICLE = /^(?:den|die|das|einen?|eine)$/u;

/** Whether a word heads a noun phrase of its own: it is not inside "committee of X", "X's deputy", "X Bank". */
function isHeadAt(zone: readonly Token[], at: number, argument: Argument, place: Place): boolean {
  return headByNext(zone, at, argument, place) ?? isHeadBehind(zone, at, argument, place);
}

/** Whether the word behind a word leaves it the head. Undefined if the words before it decide. */
function headByNext(zone: readonly Token[], at: number, argument: Argument, place: Place): boolean | undefined {
  const { reader, isSubject, predication } = place;
  const { grammar, language } = reader;
  // "the Copper Cup title", and not "the Copper Cup trophy replica"
  const isStanding = WORDS.standFor.has(zone[at + 1]?.text) && zone[at + 2]?.gap === " ";
  const next = zone[at + (isStanding && !isFunctionWord(zone[at + 2]?.text ?? "", grammar) ? 2 : 1)];
  const beside = next !== undefined && /^["”»]?[\s\u00a0-]*$/u.test(next.gap);
  if (isOwner(next)) return isSubject && argument.words.size === 1 && isBody(zone, at + 2);
  // "named Ludo Farrant director": the question names the role too. "the Lyra launch party" has it of another thing.
  const behind = zone.slice(at + 1).find(({ stem }) => !place.terms.has(stem));
  const isEnd = behind === undefined || behind.gap !== " " || isFunctionWord(behind.text, grammar);
  const isRole = !isSubject && isEnd && next !== undefined && !next.capital && place.terms.has(next.stem);
  if (beside && !argument.words.has(next.stem) && !WORDS.standFor.has(next.text) && !isRole) {
    // "President Marchetti" is the president, "Harbour Bank" is not the harbour.
    if (next.capital && !/^\d/u.test(next.text) && !WORDS.legalForm.has(next.text) && language === "en")
      return WORDS.title.has(zone[at]?.text);
    const isWord =
      !WORDS.legalForm.has(next.text) &&
      !(zone[at]?.capital === true && CRAFT.test(next.text)) &&
      // "declared the referendum void"
      !WORDS.result.has(next.text) &&
      !isFunctionWord(next.text, grammar) &&
      !ADVERB.test(next.text) &&
      !/^\d|ed$/u.test(next.text) &&
      // "won the 200 m"
      !(/^\d/u.test(zone[at]?.text ?? "") && /^(?:k?m|met(?:er|re)s)$/u.test(next.text)) &&
      // "saw first light three months before"
      numberWord(next.text, language) === undefined &&
      !IRREGULAR_PAST.has(next.text);
    // In an inherited subject, a verb follows the noun phrase.
    if (isWord && language === "en" && !(isSubject && predication.isInherited && !next.capital)) return false;
  }
  return undefined;
}

/** Whether a body that acts for its state stands there: "Estmark's parliament", "Estmark's central bank". */
function isBody(zone: readonly Token[], at: number): boolean {
  return WORDS.body.has(zone[at]?.text) || (zone[at]?.text === "central" && zone[at + 1]?.text === "bank");
}

/** "Jon Lindqvist" for "Mara Lindqvist", and not "Mara Elin Lindqvist". */
function isNamesake(zone: readonly Token[], at: number, { words }: Argument, { names, reader }: Place): boolean {
  const [first, second, last] = [zone[at - 2], zone[at - 1], zone[at]];
  if (second === undefined || last === undefined || !last.capital || last.gap.trim() !== "") return false;
  const isOther =
    second.capital &&
    /^\p{L}{2}/u.test(second.text) &&
    !words.has(second.stem) &&
    !WORDS.title.has(second.text) &&
    !WORDS.time.has(second.text) &&
    !isFunctionWord(second.text, reader.grammar);
  return isOther && !words.has(first?.stem ?? "") && [...words].some((word) => names.has(word) && word !== last.stem);
}

/** Whether the words before a word leave it the head of its noun phrase. */
function isHeadBehind(zone: readonly Token[], at: number, argument: Argument, place: Place): boolean {
  const { isSubject, reader } = place;
  const { grammar, language } = reader;
  if (isNamesake(zone, at, argument, place)) return false;
  // "la tour Nord": a Romance name follows its noun.
  const isGermanic = !isRomance(language);
  for (let n = at - 1; n >= 0; n -= 1) {
    const [owner, word] = [zone[n - 1], zone[n]];
    if (zone[n + 1]?.gap === "-" && grammar.preposition.has(word?.text)) continue;
    if (word === undefined || /[,;:]/u.test(zone[n + 1]?.gap ?? "")) return true;
    const isName = zone[n + 1]?.capital === true && argument.words.has(zone[n + 1]?.stem ?? "");
    // "the right to use Sillo Pay"
    if (
      language === "en" &&
      isName &&
      !word.capital &&
      zone[n - 1]?.text === "to" &&
      !isFunctionWord(word.text, grammar)
    )
      return false;
    // "a bus line replacing the Orland Light Rail"
    const isParticiple = language === "en" && /.{3}ing$/u.test(word.text) && !WORDS.counting.has(word.text);
    if (isSubject && isParticiple && grammar.determiner.has(zone[n + 1]?.text))
      return grammar.determiner.has(zone[n - 1]?.text);
    // "a resolution condemning the Rivers Act"
    const isNoun = owner !== undefined && word.gap === " " && !isFunctionWord(owner.text, grammar);
    if (isParticiple && isNoun && grammar.determiner.has(zone[n + 1]?.text)) return false;
    if (isName && SIGN.test(word.text)) return false;
    // "in the last game Vera Sandoval": a name without a preposition begins a noun phrase.
    const isKind = argument.kinds.has(word.stem) || WORDS.title.has(word.text);
    if (isName && isGermanic && !word.capital && !isFunctionWord(word.text, grammar) && !isKind) return true;
    // "der Ausschuss des Landtags"
    if (language === "de" && /^(?:des|der)$/u.test(word.text) && owner?.capital === true && word.gap.trim() === "") {
      if (!argument.words.has(owner.stem)) return false;
      continue;
    }
    // "der Linie 7 der U-Bahn"
    if (/^\d{1,3}$/u.test(word.text) && argument.words.has(zone[n - 1]?.stem ?? "")) continue;
    if (
      argument.words.has(word.stem) ||
      (word.capital && !WORDS.standFor.has(word.text) && language === "en" && n === 0)
    )
      continue;
    // "venció al Real": the Spanish "a" before a person governs nothing, if no noun stands before it.
    const isObjectMark = !isSubject && n === 0 && /^al?$/u.test(word.text);
    const isArticle =
      isRomance(language) && (/^(?:les|des)$/u.test(word.text) || (language === "pt" && word.text === "a"));
    if (grammar.preposition.has(word.text) && !isObjectMark && !isArticle) {
      if (grammar.by.has(word.text) && n === 0) return true;
      const [noun, modifier] = zone
        .slice(0, n)
        .filter((other) => !grammar.determiner.has(other.text))
        .toReversed();
      if (noun === undefined) return !isSubject && WORDS.beforeObject.has(word.text);
      // "the hearing on the permit of the tower": the noun before must head its phrase, too.
      // "sold gas from its Norvik field" for "its Norvik gas field"
      const isHead = noun.capital || argument.heads.has(noun.stem) || WORDS.standFor.has(noun.text);
      const isPart = !isHead && (WORDS.of.has(word.text) || word.text === "from");
      if (argument.words.has(noun.stem) && !isPart) continue;
      // "shares of X closed higher", "all outstanding shares of X" are X, "a third of the shares" is not.
      if (SHARES.test(noun.text))
        return isSubject ? !place.predication.isPassive : zone.slice(0, n).some(({ text }) => WHOLE.test(text));
      // "the youth team of X" is not X, and "the first leg of the final of X" is not its final.
      // "released the price of X"
      const isMeasure = !isSubject && MEASURE.test(noun.text);
      // "the party of Ana Rhee"
      const isOther = isMeasure || (isSubject && noun.text === "party");
      if (isOther || !WORDS.standFor.has(noun.text) || WORDS.lesser.has(modifier?.text)) return false;
      if (!WORDS.of.has(modifier?.text)) return true;
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

const SHARES = /^(?:shares?|stock|equity)$/u;
const WHOLE = /^(?:all|entire|whole)$/u;
const MEASURE = /^(?:prices?|rates?|tasa|taux|tasso|taxa|level|value|figures?|total|number|index)$/u;
/** Words for the name of a thing: "the brand name Zelvora". */
const SIGN = /^(?:name|label|logo|trademark|slogan)$/u;

/** Whether a text names the head of an argument. */
export function covers(argument: Argument, near: ReadonlySet<string>): boolean {
  return [...argument.heads].every((head) => near.has(head));
}
