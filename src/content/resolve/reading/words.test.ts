import { expect, test } from "bun:test";
import { isForm, languageOf, type Language, stemOf, wordsOf } from "./words.ts";

test.each([
  ["won", "win"],
  ["bought", "buy"],
  ["deaths", "die"],
  ["deutschland", "germany"],
  ["allemands", "allemand"],
  ["cats", "cat"],
  ["class", "class"],
  ["virus", "virus"],
  ["basis", "basis"],
  ["parties", "party"],
  ["ties", "tie"],
  ["asked", "ask"],
  ["seed", "seed"],
  ["tried", "try"],
  ["asking", "ask"],
  ["bring", "bring"],
  ["planned", "plan"],
  ["planning", "plan"],
  ["egg", "egg"],
  ["price", "pric"],
  ["pricing", "pric"],
  ["tree", "tre"],
  ["see", "see"],
  ["bus", "bus"],
  ["gas", "gas"],
  ["covid19s", "covid19s"],
])("the stem of %s is %s", (word, stem) => {
  expect(stemOf(word)).toBe(stem);
});

const textsOf = (text: string): readonly string[] => wordsOf(text).map((word) => word.text);

test("words are in lower case without accents, except for words of one letter", () => {
  expect(textsOf("Élan d’État, Straße: è e 12")).toEqual(["elan", "d'", "etat", "strasse", "è", "e", "12"]);
  expect(textsOf("L'acte de l'Union’s members won't")).toEqual([
    "l'",
    "acte",
    "de",
    "l'",
    "union",
    "s",
    "members",
    "won't",
  ]);
});

test("a word has its place, and whether it begins with a capital letter or a digit", () => {
  expect(wordsOf("to Rome 5").map(({ start, end, capital }) => [start, end, capital])).toEqual([
    [0, 2, false],
    [3, 7, true],
    [8, 9, true],
  ]);
});

test("a script without spaces has pairs of characters, and the names among them", () => {
  expect(wordsOf("在比特币").map(({ text, stem, start, end }) => [text, stem, start, end])).toEqual([
    ["在比", "在比", 0, 2],
    ["比特币", "bitcoin", 1, 4],
    ["比特", "比特", 1, 3],
    ["特币", "特币", 2, 4],
  ]);
  expect(wordsOf("x 德国").map(({ stem, start, end }) => [stem, start, end])).toEqual([
    ["x", 0, 1],
    ["germany", 2, 4],
  ]);
  expect(textsOf("中")).toEqual(["中"]);
});

test.each<[string, string | undefined, Language | undefined]>([
  ["The bill was signed by the president on Monday.", undefined, "en"],
  ["Das Gesetz wurde am Montag nicht unterzeichnet.", undefined, "de"],
  ["La loi est signée par le président lundi.", undefined, "fr"],
  ["El presidente no ha firmado la ley el lunes.", undefined, "es"],
  ["Il presidente non ha firmato la legge lunedì.", undefined, "it"],
  ["O presidente não assinou a lei na segunda.", undefined, "pt"],
  ["Het wetsvoorstel werd niet door het parlement aangenomen, zijn van een ook naar.", undefined, undefined],
  ["Президент не подписал закон.", "en", undefined],
  ["Президент abcdefghijklm", "fr", "fr"],
  ["Rafael Nadal", "es-MX", "es"],
  ["Rafael Nadal", "nl", undefined],
  ["Rafael Nadal", undefined, "en"],
  ["", undefined, "en"],
  ["The and of", "de", "en"],
  ["Größe", "fr", "de"],
])("the language of %j with the fallback %j is %j", (text, fallback, language) => {
  expect(languageOf(text, fallback)).toBe(language);
});

test("the language is that of the first 2,000 characters", () => {
  const names = "Nadal ".repeat(332);
  expect(languageOf(`${names}     der`, "es")).toBe("de");
  expect(languageOf(`${names}      der`, "es")).toBe("es");
});

test.each<[string, string, Language, boolean]>([
  ["signed", "signing", "en", true],
  ["signed", "signature", "en", false],
  ["gegründet", "gründete", "de", true],
  ["Gesetz", "Gesetzes", "de", true],
  ["haus", "hause", "de", true],
  ["bund", "bundes", "de", true],
  ["firmado", "firmaron", "es", true],
  ["firma", "firmamento", "es", false],
  ["firma", "firmaremos", "es", false],
  ["firm", "firma", "es", false],
  ["rado", "rato", "it", false],
])("%s and %s are forms of one word in %s: %p", (a, b, language, expected) => {
  const [one, other] = [...wordsOf(a), ...wordsOf(b)];
  if (one === undefined || other === undefined) throw new Error("Each text has one word");
  expect(isForm(one, other, language)).toBe(expected);
});
