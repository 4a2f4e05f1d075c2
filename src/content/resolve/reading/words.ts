import { firstOf } from "./word-classes.ts";

/** A word in the forms by which texts are compared. */
export interface Word {
  /** In lower case, without accents. */
  readonly text: string;
  /** Without the common endings of English. Short and foreign words are nearly unchanged. */
  readonly stem: string;
  readonly start: number;
  readonly end: number;
  /** Whether it begins with a capital letter or a digit. */
  readonly capital: boolean;
}

/** "l'acte", "dell'arte": an article or a particle before an apostrophe is a word of its own. */
const WORD =
  /(?:[ldnsmtjc]|qu|jusqu|lorsqu|puisqu|dell|all|nell|sull|dall|quell|un)['’](?=\p{L}{2})|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+(?:['’](?!s\b)\p{L}+)?/giv;
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Names that languages write differently, with the one form that replaces all. */
const SAME_NAME = firstOf(
  "germany deutschland allemagne alemania 德国 german deutsche deutschen deutscher, " +
    "france frankreich francia 法国 french franzosisch francais, spain spanien espagne espana 西班牙, italy italien italie italia 意大利, " +
    "china chine 中国 chinese, japan japon 日本, russia russland russie rusia 俄罗斯 russian, ukraine ucrania 乌克兰, " +
    "switzerland schweiz suisse suiza 瑞士, austria osterreich autriche 奥地利, brazil brasilien bresil brasil 巴西, " +
    "mexico mexiko mexique 墨西哥, india indien inde 印度, europe europa 欧洲 european europaische europeenne europea, " +
    "turkey turkei turquie turquia 土耳其 turkiye, poland polen pologne polonia 波兰, argentina argentinien argentine 阿根廷, israel 以色列, " +
    "iran 伊朗, taiwan 台湾, beijing peking pekin 北京, parliament parlament bundestag parlement parlamento 议会, " +
    "government regierung gouvernement gobierno 政府, president prasident presidente 总统 主席, minister ministre ministro 部长, " +
    "bitcoin btc 比特币, court gericht tribunal 法院, bank banque banco 银行, treaty vertrag traite tratado 条约, law gesetz loi ley 法律 法案, " +
    "covid coronavirus corona 新冠, unemployment joblessness jobless",
);

/** The irregular verbs of English: the base, the past, and the participle if it differs. */
const IRREGULAR_VERBS = firstOf(
  "win won, lose lost, say said, rise rose risen, fall fell fallen, grow grew grown, begin began begun, pay paid, leave left, " +
    "meet met, hold held, sell sold, buy bought, give gave given, take took taken, make made, spend spent, send sent, " +
    "tell told, become became, break broke broken, beat beaten, strike struck stricken, write wrote written, build built, " +
    "catch caught, come came, go went gone, get got gotten, see saw seen, run ran, lead led, keep kept, stand stood, " +
    "step stepped, draw drew drawn, withdraw withdrew withdrawn, choose chose chosen, drive drove driven, fly flew flown, " +
    "fight fought, find found, bring brought, think thought, seek sought, teach taught, know knew known, throw threw thrown, " +
    "overthrow overthrew overthrown, undergo underwent undergone, overcome overcame, swear swore sworn, speak spoke spoken, " +
    "steal stole stolen, shoot shot, sink sank sunk, swim swam swum, sing sang sung, sit sat, lend lent, lay laid, hear heard, " +
    "feel felt, hang hung, hide hid hidden, ride rode ridden, wear wore worn, bear bore borne, deal dealt, dig dug, feed fed, " +
    "freeze froze frozen, forbid forbade forbidden, foresee foresaw foreseen, wind wound, undo undid undone",
);
/** Past forms of irregular verbs. */
export const IRREGULAR_PAST: ReadonlySet<string> = new Set([
  ...IRREGULAR_VERBS.keys(),
  "set",
  "put",
  "cut",
  "hit",
  "shut",
]);

/** Whether a word has the form of an English past. */
export function isPast({ text }: Pick<Word, "text"> = { text: "" }): boolean {
  return text.endsWith("ed") || IRREGULAR_PAST.has(text);
}

const IRREGULAR = firstOf("die died dies dead death deaths dying, child children, woman women, man men, people people");

/** Function words of the five supported languages, and words that occur in every question. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the of in on at to for from by with about as into over after before between under during and or but if then than that " +
    "this these those it its is are was were be been being am do does did done has have had having will would shall should can " +
    "could may might must not no nor so such there their they them he she his her him you your we our us i my me who whom whose " +
    "which what when where why how also just only very more most some any all each both other another same own out up down off " +
    "again further once here because while until through s t don doesn didn isn aren wasn weren won hasn haven hadn per via " +
    "yes true false claim claims question market resolve resolves whether following " +
    "der die das den dem des ein eine einen einem einer und oder aber ist sind war waren wird werden hat haben im am zum zur von " +
    "mit bei nach vor fur auf aus zu als auch nicht sich es er sie wir " +
    "le la les un une des du de et ou mais est sont etait ont au aux en dans pour par sur avec que qui ce cette il elle ne pas se " +
    "el los las una uno del y o pero es son fue era ha han al en por para con sobre que se su sus lo no " +
    "l' d' n' qu' s' c' j' m' t' dell' all' nell' sull' dall' quell' un' " +
    "il lo gli i della dello dei degli delle nel nella alla al dal dalla sul sulla e ed ma non di da per con che chi si sono stato stata " +
    "os as um uma do da dos das no na nos nas ao pelo pela com que se foi foram sao nao mas ou " +
    "end bis seit wurde wurden worden avant apres depuis jusqu' antes despues desde hasta entro prima dopo depois ate t il elle vero ano vor"
  ).split(" "),
);

/** English nouns that are stop words of other languages. */
const ENGLISH_NOUNS = new Set(["war", "son", "fur", "den", "era"]);

/** Whether a word says nothing by itself in a text of that language. */
export function isStopWord(word: string, language: Language | undefined): boolean {
  return STOP_WORDS.has(word) && !(language === "en" && ENGLISH_NOUNS.has(word));
}

function folded(word: string): string {
  // "è" is, "e" and: in words of one letter the accent tells them apart.
  if (word.length === 1) return word.toLowerCase();
  return word.normalize("NFD").replace(/\p{M}/gu, "").replace(/’/g, "'").replace(/ß/g, "ss").toLowerCase();
}

/** The word without the common endings; `word` is in lower case without accents. */
export function stemOf(word: string): string {
  const known = IRREGULAR.get(word) ?? SAME_NAME.get(word);
  if (known !== undefined) return known;
  const base = IRREGULAR_VERBS.get(word);
  if (base !== undefined) return stemOf(base);
  if (word.length <= 3 || /\d/.test(word)) return word;
  let stem = word;
  if (stem.endsWith("ies") && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith("s") && !stem.endsWith("ss") && !stem.endsWith("us") && !stem.endsWith("is"))
    stem = stem.slice(0, -1);
  if (stem.endsWith("ing") && stem.length > 5) stem = stem.slice(0, -3);
  else if (stem.endsWith("ied") && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith("ed") && stem.length > 4) stem = stem.slice(0, -2);
  if (/([bdgklmnprt])\1$/.test(stem) && stem.length > 3) stem = stem.slice(0, -1);
  if (stem.endsWith("e") && stem.length > 3) stem = stem.slice(0, -1);
  return SAME_NAME.get(stem) ?? stem;
}

/** The words of a text, in order. Scripts without spaces yield pairs of characters. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    const [found] = match;
    const start = match.index;
    if (UNSPACED.test(found)) words.push(...pairsOf(found, start));
    else {
      // "US" and "WHO" are no pronouns.
      const lower = found === "US" ? "usa" : found === "WHO" ? "whorganization" : folded(found);
      words.push({
        text: lower,
        stem: stemOf(lower),
        start,
        end: start + found.length,
        capital: /^[\p{Lu}\p{N}]/u.test(found),
      });
    }
  }
  return words;
}

function pairsOf(run: string, start: number): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < Math.max(1, run.length - 1); at += 1) {
    const pair = run.slice(at, at + 2);
    for (const length of [3, 4]) {
      const name = run.slice(at, at + length);
      const stem = name.length === length ? SAME_NAME.get(name) : undefined;
      if (stem !== undefined)
        words.push({ text: name, stem, start: start + at, end: start + at + length, capital: false });
    }
    words.push({
      text: pair,
      stem: SAME_NAME.get(pair) ?? pair,
      start: start + at,
      end: start + at + pair.length,
      capital: false,
    });
  }
  return words;
}

/** Languages that the embedded analyst reads. */
export const LANGUAGES = ["en", "de", "fr", "es", "it", "pt"] as const;

/** One of the languages that the embedded analyst reads. */
export type Language = (typeof LANGUAGES)[number];

/** Whether a language is Romance. The others that are read are Germanic. */
export function isRomance(language: Language): boolean {
  return language !== "en" && language !== "de";
}

/** Function words by which languages are recognised. Words of several languages are left out. */
const READ: Readonly<Record<Language, string>> = {
  en: "monday tuesday wednesday thursday friday saturday sunday january february march may june july october december did before after the of and to is that for was with by not has have this are from it as on at will were which their but be been could would should can had its they we or if who when than more about into out new today his her",
  de: "montag dienstag mittwoch donnerstag freitag samstag sonntag januar marz mai juni juli oktober dezember hat der die das und ist nicht mit von den dem ein eine hat wird wurde im auf fur auch sich zu am bei vom zum haben sind",
  fr: "lundi mardi mercredi jeudi vendredi samedi dimanche janvier fevrier mars avril juin juillet aout decembre a le la les des et est une dans pour pas qui du au aux sur ont cette ne par avec il elle se l' d' n' qu'",
  es: "lunes martes miercoles jueves viernes sabado domingo enero febrero marzo mayo junio julio octubre diciembre el los las del por para con que ha fue se su es como mas no al y una la en lo sus",
  it: "lunedi martedi mercoledi giovedi venerdi sabato domenica gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre ad ed il lo gli del al dalla dallo dagli dell' dall' nell' all' sull' l' d' stata entro della dello dei degli delle nel nella alla è e ha non di che con per sono stato una dal sul la si",
  pt: "segunda terca quarta quinta sexta feira janeiro fevereiro marco maio junho julho outubro dezembro o os as um uma do da dos das no na ao e com que nao foi em para por pelo pela se mais sua ja a é",
};
/** Frequent words of languages that are not read. */
const UNREAD = [
  "het een van niet voor met zijn op dat werd naar ook aan heeft worden bij zich door deze",
  "och att det som inte av har till med ett den pa for ar var om kan sig efter",
  "og det som ikke av har til med et den pa for er var ble om kan seg etter fra blev",
  "nie jest sie na do ze przez oraz jako dla po od byl byla tym w z i a",
  "je na se ze v s do pro byl byla jako by ale podle ktery jsou a",
  "si de la in cu nu pe din este fost care pentru sa o un ai mai au prin",
  "els dels amb per que no una les al del ha va i es seva aquest",
  "es az egy nem hogy van volt meg ez a is csak mint",
  "ja on ei oli se etta ovat myos kun mutta han joka",
  "ve bir bu da de ile icin olarak oldu degil daha cok gibi",
  "yang dan di ke dari tidak untuk dengan ini itu pada akan telah",
];
const SIGNS = [
  ...LANGUAGES.map((language) => ({ language, signs: new Set(READ[language].split(" ")) })),
  // "de" and "la" of Romance languages that are read show no other one.
  ...UNREAD.map((words) => ({ language: undefined, signs: new Set(words.split(" ")).difference(STOP_WORDS) })),
];

/** The number of read languages that have a word among their signs. A word of all of them shows none. */
const SHARED = new Map<string, number>();
for (const { language, signs } of SIGNS) {
  if (language !== undefined) for (const word of signs) SHARED.set(word, (SHARED.get(word) ?? 0) + 1);
}

/** Letters and marks by which languages are recognised. */
const MARKS: readonly (readonly [Language | undefined, RegExp])[] = [
  ["de", /[äöüß]/giu],
  ["fr", /[êçœûî]|è(?<!(?<!\p{L})è(?!\p{L}))|à(?<!\p{L}rà)|é(?<!(?<!\p{L})é(?!\p{L}))(?!\p{L}*[oa]\b)/giu],
  ["es", /[¿¡ñóúáí]/giu],
  ["it", /[ìòù]|\p{L}rà(?!\p{L})|(?<!\p{L})è(?!\p{L})/giu],
  ["pt", /[ãõçáí]|ê|(?<!\p{L})é(?!\p{L})|(?:\p{L}{3}[oi]u|\p{L}{2}[bcdhlmnrtv]eu)(?!\p{L})/giu],
  [undefined, /[ðøåšžčřěůłżśćńęąșțăőűğışþæ]/giu],
];

/**
 * The language of a text, from its first 2,000 characters; if they do not show it, the fallback: a language tag. Undefined
 * for a language that the analyst does not read.
 */
export function languageOf(text: string, fallback?: string): Language | undefined {
  const head = text.slice(0, 2_000);
  const letters = head.match(/\p{L}/gu)?.length ?? 0;
  if (letters > 0 && (head.match(/\p{sc=Latin}/gu)?.length ?? 0) < letters / 2) return undefined;
  const words = wordsOf(head).map((word) => word.text);
  const counts = SIGNS.map(({ language, signs }) => {
    const marks = MARKS.filter(([marked]) => marked === language);
    const marked = marks.reduce((sum, [, mark]) => sum + (head.match(mark)?.length ?? 0), 0);
    const shares = words.reduce((sum, word) => sum + (signs.has(word) ? 1 / (SHARED.get(word) ?? 1) : 0), 0);
    return { language, count: shares + marked / 2 };
  });
  const sorted = counts.toSorted((a, b) => b.count - a.count);
  const [first] = sorted;
  const known = sorted.find(({ language }) => language !== undefined);
  // A few words prove no language that the analyst does not read.
  const best = first !== undefined && first.count > Math.max(3, 1.3 * (known?.count ?? 0)) ? first : known;
  const others = sorted.filter((one) => one.language !== best?.language);
  const isClear = best !== undefined && best.count >= 1 && best.count > (others[0]?.count ?? 0);
  if (isClear || fallback === undefined) return best === undefined || best.count === 0 ? "en" : best.language;
  return LANGUAGES.find((language) => language === fallback.slice(0, 2).toLowerCase());
}

/** Whether two words are forms of one word: the same stem, or in inflected languages a long common beginning. */
export function isForm(a: Pick<Word, "text" | "stem">, b: Pick<Word, "text" | "stem">, language: Language): boolean {
  if (a.stem === b.stem) return true;
  if (language === "en") return false;
  const [one, other] = language === "de" ? [germanStem(a.text), germanStem(b.text)] : [a.text, b.text];
  const shortest = Math.min(one.length, other.length);
  let common = 0;
  while (common < shortest && one[common] === other[common]) common += 1;
  return common >= 5 ? Math.max(one.length, other.length) - common <= 4 : common >= 4 && one === other;
}

/** "gegründet" and "gründete": the word without the prefix and the endings of its forms. */
function germanStem(word: string): string {
  return word.replace(/^ge(?=\p{L}{4})/u, "").replace(/(?:eten|ete|ten|te|et|en|t|e|es|s)$/u, "");
}

/** The language of a question: that of its criteria can be another, and decides only if the question is too short to tell. */
export function questionLanguage(question: string, criteria: string): Language | undefined {
  const both = languageOf(`${question} ${criteria}`);
  return both === undefined ? undefined : languageOf(question, both);
}
