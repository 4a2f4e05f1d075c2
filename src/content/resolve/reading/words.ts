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

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|[[\p{L}\p{M}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]]+(?:['’](?!s\b)\p{L}+)?/gv;
const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

/** Names that languages write differently, with the one form that replaces all. */
const SAME_NAME: ReadonlyMap<string, string> = new Map(
  [
    ["germany", "deutschland", "allemagne", "alemania", "德国", "german", "deutsche", "deutschen", "deutscher"],
    ["france", "frankreich", "francia", "法国", "french", "franzosisch", "francais"],
    ["spain", "spanien", "espagne", "espana", "西班牙"],
    ["italy", "italien", "italie", "italia", "意大利"],
    ["china", "chine", "中国", "chinese"],
    ["japan", "japon", "日本"],
    ["russia", "russland", "russie", "rusia", "俄罗斯", "russian"],
    ["ukraine", "ucrania", "乌克兰"],
    ["switzerland", "schweiz", "suisse", "suiza", "瑞士"],
    ["austria", "osterreich", "autriche", "奥地利"],
    ["brazil", "brasilien", "bresil", "brasil", "巴西"],
    ["mexico", "mexiko", "mexique", "墨西哥"],
    ["india", "indien", "inde", "印度"],
    ["europe", "europa", "欧洲", "european", "europaische", "europeenne", "europea"],
    ["turkey", "turkei", "turquie", "turquia", "土耳其", "turkiye"],
    ["poland", "polen", "pologne", "polonia", "波兰"],
    ["argentina", "argentinien", "argentine", "阿根廷"],
    ["israel", "以色列"],
    ["iran", "伊朗"],
    ["taiwan", "台湾"],
    ["beijing", "peking", "pekin", "北京"],
    ["parliament", "parlament", "bundestag", "parlement", "parlamento", "议会"],
    ["government", "regierung", "gouvernement", "gobierno", "政府"],
    ["president", "prasident", "presidente", "总统", "主席"],
    ["minister", "ministre", "ministro", "部长"],
    ["bitcoin", "btc", "比特币"],
    ["court", "gericht", "tribunal", "法院"],
    ["bank", "banque", "banco", "银行"],
    ["treaty", "vertrag", "traite", "tratado", "条约"],
    ["law", "gesetz", "loi", "ley", "法律", "法案"],
    ["covid", "coronavirus", "corona", "新冠"],
  ].flatMap(([first, ...others]) => others.map((other): [string, string] => [other, first ?? ""])),
);

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    won: "win",
    lost: "lose",
    said: "say",
    died: "die",
    dies: "die",
    dead: "die",
    death: "die",
    dying: "die",
    rose: "rise",
    risen: "rise",
    fell: "fall",
    fallen: "fall",
    grew: "grow",
    grown: "grow",
    began: "begin",
    begun: "begin",
    paid: "pay",
    left: "leave",
    met: "meet",
    held: "hold",
    sold: "sell",
    bought: "buy",
    gave: "give",
    given: "give",
    took: "take",
    taken: "take",
    made: "make",
    spent: "spend",
    sent: "send",
    told: "tell",
    became: "become",
    broke: "break",
    broken: "break",
    beaten: "beat",
    struck: "strike",
    wrote: "write",
    written: "write",
    built: "build",
    caught: "catch",
    children: "child",
    women: "woman",
    men: "man",
    people: "people",
  }),
);

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
    "el los las una uno del y o pero es son fue era ha han al en por para con sobre que se su sus lo no"
  ).split(" "),
);

function folded(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").replace(/’/g, "'").replace(/ß/g, "ss").toLowerCase();
}

/** The word without the common endings; `word` is in lower case without accents. */
export function stemOf(word: string): string {
  const known = IRREGULAR.get(word) ?? SAME_NAME.get(word);
  if (known !== undefined) return known;
  if (word.length <= 3 || /\d/.test(word)) return word;
  let stem = word;
  if (stem.endsWith("ies") && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith("s") && !stem.endsWith("ss") && !stem.endsWith("us") && !stem.endsWith("is"))
    stem = stem.slice(0, -1);
  if (stem.endsWith("ing") && stem.length > 5) stem = stem.slice(0, -3);
  else if (stem.endsWith("ied") && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith("ed") && stem.length > 4) stem = stem.slice(0, -2);
  if (/([bdgklmnprt])\1$/.test(stem) && stem.length > 3 && stem !== word) stem = stem.slice(0, -1);
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
      const lower = folded(found);
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

/** Languages that the embedded analyst reads. Function words and script identify them; the default is English. */
export type Language = "en" | "de" | "fr" | "es" | "zh";

const SIGNS: readonly (readonly [Language, ReadonlySet<string>])[] = [
  ["en", new Set("the of and to in is that for was with on by not has have this are from".split(" "))],
  [
    "de",
    new Set(
      "der die das und ist nicht mit von den dem ein eine hat wird wurde im auf fur auch sich zu am bei vom zum um".split(
        " ",
      ),
    ),
  ],
  ["fr", new Set("le la les des et est une dans pour pas qui du au sur ont cette ne par avec".split(" "))],
  ["es", new Set("el los las una del por para con que ha fue se su es como mas no al y".split(" "))],
];

/** The language of a text, from its first 2,000 characters or the page's language tag. */
export function languageOf(text: string, tag = ""): Language {
  const named = tag.slice(0, 2).toLowerCase();
  if (named === "de" || named === "fr" || named === "es" || named === "zh" || named === "en") return named;
  const head = text.slice(0, 2_000);
  if ((head.match(/\p{sc=Han}/gu)?.length ?? 0) > head.length / 5) return "zh";
  const words = wordsOf(head).map((word) => word.text);
  let best: Language = "en";
  let most = 0;
  for (const [language, signs] of SIGNS) {
    const count = words.filter((word) => signs.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
