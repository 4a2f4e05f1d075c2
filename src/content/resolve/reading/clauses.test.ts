import { describe, expect, test } from "bun:test";
import { clauseAt, predicationOf } from "./clauses.ts";
import { GRAMMARS } from "./grammar.ts";
import { type Token, undatedTokensOf } from "./spans.ts";
import { type Language, LANGUAGES, stemOf } from "./words.ts";

type Row = readonly [sentence: string, kind: string, sides: string];

/** Sentences with a star on each side of the predicate, its kind, and the words that can be its subject and its object. */
const SENTENCES: Readonly<Record<Language, readonly Row[]>> = {
  en: [
    ["Marlow *signed* the act.", "fact", "marlow | the act"],
    ["Marlow did not *sign* the act.", "denied", "marlow | the act"],
    ["Marlow has not yet *signed* the act.", "denied", "marlow | the act"],
    ["Marlow has yet to *sign* the act.", "absent", "marlow | the act"],
    ["Marlow not only *signed* the act, but praised it.", "fact", "marlow | the act"],
    ["Marlow will *sign* the act.", "future", "marlow | the act"],
    ["Marlow wants to *sign* the act.", "future", "marlow wants | the act"],
    ["Marlow managed to *sign* the act.", "fact", "marlow | the act"],
    ["Marlow did not manage to *sign* the act.", "denied", "marlow | the act"],
    ["Marlow failed to *sign* the act.", "denied", "marlow | the act"],
    ["Marlow did not fail to *sign* the act.", "open", "marlow | the act"],
    ["Marlow refused to *sign* the act.", "denied", "marlow | the act"],
    ["Marlow is expected to *sign* the act.", "future passive", "marlow | the act"],
    ["Nobody *signed* the act.", "denied inherited", " | the act"],
    ["None of the mayors *signed* the act.", "denied", "none of the mayors | the act"],
    ["Marlow *signed* no act.", "denied", "marlow | no act"],
    ["Marlow, accused of having *signed* the act, left.", "view", "accused of | the act"],
    ["Marlow praised the act, *signing* it on Monday.", "fact inherited", "marlow praised the act | it on monday"],
    ["Marlow left after *signing* the act.", "fact", "marlow left after | the act"],
    ["Marlow left without *signing* the act.", "open", "marlow left | the act"],
    ["Marlow spoke of *signing* the act.", "open", "marlow spoke of | the act"],
    ["Marlow is *signing* the act.", "future passive", "marlow | the act"],
    ["Not *signing* the act, Marlow left.", "denied inherited", " | the act"],
    ["Hopes of *winning* the cup grew.", "open", "hopes of | the cup grew"],
    ["The *approval* of the act was granted.", "noun", "the | of the act was granted"],
    ["The council gave *approval* to the act.", "fact", "the council gave | to the act"],
    ["The council did not give *approval* to the act.", "denied", "the council did not give | to the act"],
    ["The council will give *approval* to the act.", "future", "the council will give | to the act"],
    ["The council wants to give *approval* to the act.", "future", "the council wants to give | to the act"],
    ["The council gave preliminary *approval* to the act.", "view", "the council gave preliminary | to the act"],
    ["The council waited for *approval* of the act.", "noun", "the council waited for | of the act"],
    ["*Approval* granted by the council.", "fact inherited", " | granted by the council"],
    ["Halden is the *winner* of the cup.", "fact", "halden is the | of the cup"],
    ["Halden is not the *winner* of the cup.", "denied", "halden is not the | of the cup"],
    ["Halden may be the *winner* of the cup.", "future", "halden may be the | of the cup"],
    ["The *winner* of the cup left.", "noun", "the | of the cup left"],
    ["The film won the audience *award* in May.", "noun received", "the film won the audience | in may"],
    ["Officials believe Marlow *signed* the act.", "view", "officials believe marlow | the act"],
    ["Officials said that Marlow *signed* the act.", "fact", "that marlow | the act"],
    ["Officials did not say that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["Officials may say that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["Officials denied that Marlow *signed* the act.", "denied", "that marlow | the act"],
    ["Officials did not deny that Marlow *signed* the act.", "fact", "that marlow | the act"],
    ["Fans say that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["They said that Marlow *signed* the act.", "fact", "that marlow | the act"],
    ["It is likely that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["The rumour that Marlow *signed* the act is old.", "view", "that marlow | the act is old"],
    ["The earthquake that *struck* Sarin was strong.", "fact", "that | sarin was strong"],
    ["If Marlow *signed* the act, it is law.", "open", "if marlow | the act"],
    ["Marlow *signed* the act if the audit is right.", "view", "marlow | the act"],
    ["Marlow *signed* the act, opponents claim.", "view", "marlow | the act"],
    ["Marlow *signed* the act, critics said.", "view", "marlow | the act"],
    ["Marlow *signed* the act, a kiosk owner told the paper.", "view", "marlow | the act"],
    ["Marlow *signed* the act, a court clerk told the paper.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, according to a kiosk owner.", "view", "marlow | the act"],
    ["Marlow *signed* the act, according to a study.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, the ministry said.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, some believe.", "view", "marlow | the act"],
    ["Marlow *signed* the act, apparently.", "view", "marlow | the act"],
    ["Marlow allegedly *signed* the act.", "view", "marlow | the act"],
    ["I hope to read in the paper: Marlow *signed* the act.", "view", "marlow | the act"],
    ["The paper writes: Marlow *signed* the act.", "fact", "marlow | the act"],
    ["In case it goes well: Marlow *signed* the act.", "view", "marlow | the act"],
    [
      "“Marlow *signed* the act on Monday at noon,” the paper wrote.",
      "quoted",
      "marlow | the act on monday at noon the paper wrote",
    ],
    ["The act was *signed* by Marlow.", "fact passive", "the act | by marlow"],
    ["The act *signed* by Marlow is long.", "fact passive", "the act | by marlow is long"],
    ["The act was never *signed* by Marlow.", "denied passive", "the act | by marlow"],
    ["Marlow was awarded the prize and *signed* the act.", "fact inherited", "marlow was awarded the prize | the act"],
    ["Marlow vetoed the bill and the council *signed* the act.", "fact", "and the council | the act"],
    ["Papers protested after Marlow *signed* the act.", "fact", "marlow | the act"],
    ["The mine, which fed the county, was *closed* in May.", "fact passive inherited", "the mine | in may"],
    ["The mine which fed the county *closed* in May.", "fact", "the mine | in may"],
    ["Marlow was *awarded* the prize.", "fact passive received", "marlow | the prize"],
    ["Marlow was declared *elected* on Monday.", "fact passive", "marlow | on monday"],
    ["Marlow, who is ill, has just finally *signed* the act.", "fact inherited", "marlow | the act"],
    ["After the vote Marlow *signed* the act.", "fact", "the vote marlow | the act"],
    ["Rovers beat United, *winning* the cup.", "fact inherited", "rovers beat united | the cup"],
    ["*Veto* the act!", "open inherited", " | the act"],
    ["Halden won the *lead* in May.", "fact", "halden won the | in may"],
    ["The act was not only *signed* by Marlow.", "fact passive", "the act | by marlow"],
    ["Instead of *signing* the act, Marlow left.", "open", "instead of | the act"],
    ["Marlow gave the *approval*.", "fact", "marlow gave the | "],
    ["The council had to give *approval* to the act.", "future", "the council had to give | to the act"],
    ["Marlow *signed* the act; opponents may sue.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, after two failed attempts in May.", "fact", "marlow | the act"],
    ["Marlow did not *sign* the act, as opponents had demanded.", "denied", "marlow | the act"],
    ["Marlow *signed* the act, as opponents claim.", "view", "marlow | the act"],
    ["Ten mayors *signed* the act, two more than were needed.", "fact", "ten mayors | the act"],
    ["A clerk says that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["The clerk; fans say that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["Marlow *signed* the act, beating forecasts that doubted it.", "fact", "marlow | the act"],
    ["That Marlow *signed* the act is known.", "view", "that marlow | the act is known"],
    ["The ferry and the train *arrived* in May.", "fact", "the ferry and the train | in may"],
    ["Marlow said on Monday they *signed* the act.", "fact", "marlow said on monday they | the act"],
    ["Marlow has been to Oslo to *sign* the act.", "future", "marlow | the act"],
    ["Officials say that Marlow left, and *signed* the act.", "fact inherited", "marlow left | the act"],
    ["It was late in Oslo; fans say that Marlow *signed* the act.", "view", "that marlow | the act"],
    ["Marlow *signed* the act, known to a clerk.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, according to a very old Halden owner.", "view", "marlow | the act"],
    ["Marlow *signed* the act, according to a Halden owner.", "fact", "marlow | the act"],
    ["Marlow *signed* the act in Oslo, according to a kiosk owner.", "view", "marlow | the act in oslo"],
    ["Marlow *signed* the act, a clerk told the paper.", "view", "marlow | the act"],
    ["Marlow *signed* the act, the two brothers said.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, the ministry said, some believe.", "fact", "marlow | the act"],
    ["Marlow *signed* the act, believed to be old.", "fact", "marlow | the act"],
    ["Marlow failed and urged Halden to *sign* the act.", "future", "halden | the act"],
    ["Marlow managed and wants to *sign* the act.", "future", "marlow | the act"],
    ["Marlow left, failing to *sign* the act.", "denied inherited", "marlow left | the act"],
    ["Halden won the film *lead* in May.", "noun", "halden won the film | in may"],
    ["Marlow refrained from *signing* the act.", "denied", "marlow refrained from | the act"],
    ["The *launch* of Wren was late.", "noun", "the | of wren was late"],
    ["After *launch* Wren was lost.", "fact inherited", " | wren was lost"],
    ["The first *win* came late.", "fact", "the first | came late"],
    ["Marlow praised the *win* of Halden.", "noun", "marlow praised the | of halden"],
    ["*Approval* has been granted by the council.", "fact inherited", " | has been granted by the council"],
    ["Marlow has never not *signed* the act.", "fact", "marlow | the act"],
    ["Marlow is to *sign* the act.", "future passive", "marlow | the act"],
    ["The *acquittal* came on Monday.", "noun", "the | came on monday"],
  ],
  de: [
    ["Marlow hat das Gesetz *unterzeichnet*.", "fact", "marlow | hat das gesetz"],
    ["Marlow hat das Gesetz nicht *unterzeichnet*.", "denied", "marlow | hat das gesetz nicht"],
    ["Marlow hat kein Gesetz *unterzeichnet*.", "denied", "marlow | hat kein gesetz"],
    ["Marlow wird das Gesetz *unterzeichnen*.", "future passive", "marlow | wird das gesetz"],
    ["Marlow *unterzeichnete* das Gesetz nicht.", "denied", "marlow | das gesetz nicht"],
    ["Das Gesetz wurde von Marlow *unterzeichnet*.", "fact passive", "das gesetz | wurde von marlow"],
    ["Die *Unterzeichnung* des Gesetzes steht aus.", "noun", "die | des gesetzes steht aus"],
    ["Niemand hat das Gesetz *unterzeichnet*.", "denied inherited", " | hat das gesetz"],
    ["Falls Marlow das Gesetz *unterzeichnet* hat, gilt es.", "open", "falls marlow das gesetz | hat"],
    [
      "Marlow hat das Gesetz *unterzeichnet* und den Haushalt gekürzt.",
      "fact",
      "marlow | hat das gesetz und den haushalt gekurzt",
    ],
    ["Der Rat tagte, bevor Marlow das Gesetz *unterzeichnete*.", "open", "bevor marlow das gesetz | "],
    ["Marlow will das Gesetz nicht *unterzeichnen*.", "future", "marlow | will das gesetz nicht"],
    ["Die *Wahl* des Rats steht aus.", "noun", "die | des rats steht aus"],
    ["Der Rat hat der *Wahl* zugestimmt.", "fact", "der rat | hat der zugestimmt"],
  ],
  fr: [
    ["Marlow a *signé* la loi.", "fact", "marlow | la loi"],
    ["Marlow n'a pas *signé* la loi.", "denied", "marlow n'a | la loi"],
    ["Marlow ne *signera* jamais la loi.", "future", "marlow | jamais la loi"],
    ["Marlow *signe* pas la loi.", "denied", "marlow | pas la loi"],
    ["Marlow veut *signer* la loi.", "future", "marlow | la loi"],
    ["La loi a été *signée* par Marlow.", "fact passive", "la loi | par marlow"],
    ["Marlow est *mort* à Oslo.", "fact", "marlow | à oslo"],
    ["La *signature* de la loi est prévue.", "future", "la | de la loi est prevue"],
    ["Personne n'a *signé* la loi.", "denied", "personne n'a | la loi"],
    ["Marlow a *signé* la loi, selon un voisin.", "view", "marlow | la loi"],
    ["*Acheté* aux enchères par Marlow.", "fact passive inherited", " | aux encheres par marlow"],
    ["Le maire affirme que Marlow a *signé* la loi.", "fact", "que marlow | la loi"],
    ["Aucun maire n'a *signé* la loi.", "denied", "aucun maire n'a | la loi"],
    ["Marlow est *entré* en fonction.", "fact", "marlow | en fonction"],
  ],
  es: [
    ["Marlow *firmó* la ley.", "fact", "marlow | la ley"],
    ["Marlow no *firmó* la ley.", "denied", "marlow | la ley"],
    ["Marlow no ha *firmado* la ley.", "denied", "marlow | la ley"],
    ["Marlow *firmará* la ley.", "future", "marlow | la ley"],
    ["Marlow quiere *firmar* la ley.", "future", "marlow | la ley"],
    ["La ley fue *firmada* por Marlow.", "fact passive", "la ley | por marlow"],
    ["Nadie *firmó* la ley.", "denied inherited", " | la ley"],
    ["La *firma* de la ley es hoy.", "noun", "la | de la ley es hoy"],
    ["Marlow no ha *firmado* nunca la ley.", "denied", "marlow | nunca la ley"],
    ["La mina, que alimentó al condado, fue *cerrada* en mayo.", "fact passive inherited", "la mina | en mayo"],
  ],
  it: [
    ["Marlow ha *firmato* la legge.", "fact", "marlow | la legge"],
    ["Marlow non ha *firmato* la legge.", "denied", "marlow | la legge"],
    ["Marlow non ha mai *firmato* la legge.", "denied", "marlow | la legge"],
    ["La legge è stata *firmata* da Marlow.", "fact passive", "la legge | da marlow"],
    ["Marlow è *morto* a Oslo.", "fact", "marlow | a oslo"],
    ["La *firma* della legge è attesa.", "noun", "la | della legge è attesa"],
    ["Marlow si dice convinto e *firma* la legge.", "fact", "marlow si dice convinto e | la legge"],
    ["Se Marlow *firmò* la legge, vale.", "open", "se marlow | la legge"],
  ],
  pt: [
    ["Marlow *assinou* a lei.", "fact", "marlow | a lei"],
    ["Marlow não *assinou* a lei.", "denied", "marlow | a lei"],
    ["Marlow vai *assinar* a lei.", "future", "marlow | a lei"],
    ["Marlow *assinará* a lei.", "future", "marlow | a lei"],
    ["A lei foi *assinada* por Marlow.", "fact passive", "a lei | por marlow"],
    ["Marlow *assinou* a lei e o conselho foi fechado.", "fact", "marlow | a lei e o conselho foi fechado"],
    ["Marlow não *assinou* nem leu a lei.", "denied", "marlow | nem leu a lei"],
  ],
};

function shown(words: readonly Token[]): string {
  return words.map(({ text }) => text).join(" ");
}

describe.each(LANGUAGES)("a predicate in the language %s", (language) => {
  test.each(SENTENCES[language])("%s is %s of %s", (sentence, kind, sides) => {
    const tokens = undatedTokensOf(sentence.replaceAll("*", ""), []);
    const at = tokens.findIndex(({ start }) => start === sentence.indexOf("*"));
    const { reality, isPassive, isReceived, isInherited, before, after } = predicationOf(tokens, at, {
      grammar: GRAMMARS[language],
      language,
    });
    const kinds = [reality, isPassive && "passive", isReceived && "received", isInherited && "inherited"];
    expect(kinds.filter(Boolean).join(" ")).toBe(kind);
    expect(`${shown(before)} | ${shown(after)}`).toBe(sides);
  });
});

const FIGURES: readonly (readonly [language: Language, sentence: string, isFact: boolean, clause: string])[] = [
  ["en", "The mine made *300* tonnes.", true, "The mine made 300 tonnes"],
  ["en", "The mine made 200 tonnes, while the mill made *300* tonnes.", true, "while the mill made 300 tonnes"],
  ["en", "The mine will make *300* tonnes.", false, "The mine will make 300 tonnes"],
  ["en", "May *300* people come?", false, "May 300 people come"],
  ["en", "About *300* people came.", true, "About 300 people came"],
  ["en", "The mine probably made *300* tonnes.", false, "The mine probably made 300 tonnes"],
  ["en", "Turnout: *55* percent.", true, "Turnout: 55 percent"],
  ["en", "Cost of the mine (the state paid it all in gold): *300* million.", true, "300 million"],
  ["en", "Output of 2024: *300* tonnes.", true, "Output of 2024: 300 tonnes"],
  ["en", "If the mine made *300* tonnes, it pays.", false, "If the mine made 300 tonnes"],
  ["en", "The mine was to make *300* tonnes.", false, "The mine was to make 300 tonnes"],
  ["en", "Was *300* the number to beat?", true, "Was 300 the number to beat"],
  ["en", "Some *300* people were feared dead.", false, "Some 300 people were feared dead"],
  ["en", "Were the *300* feared by all?", true, "Were the 300 feared by all"],
  ["en", "Analysts put the output at *300* tonnes.", false, "Analysts put the output at 300 tonnes"],
  [
    "en",
    "In May the analysts put the output at *300* tonnes.",
    false,
    "In May the analysts put the output at 300 tonnes",
  ],
  ["en", "The mine and its analysts made *300* tonnes.", true, "The mine and its analysts made 300 tonnes"],
  ["en", "The mine made *300* tonnes, according to a kiosk owner.", false, "The mine made 300 tonnes"],
  ["en", "The mine made *300* tonnes, critics said.", false, "The mine made 300 tonnes"],
  ["en", "Officials believe the mine made *300* tonnes.", false, "Officials believe the mine made 300 tonnes"],
  ["en", "Officials denied that the mine made *300* tonnes.", true, "that the mine made 300 tonnes"],
  ["en", "Fans say that the mine made *300* tonnes.", false, "that the mine made 300 tonnes"],
  [
    "en",
    "“The mine made *300* tonnes last year,” the owner wrote.",
    false,
    "The mine made 300 tonnes last year,” the owner wrote",
  ],
  ["de", "Das Werk wird *300* Tonnen liefern.", false, "Das Werk wird 300 Tonnen liefern"],
  ["de", "Das Werk lieferte *300* Tonnen.", true, "Das Werk lieferte 300 Tonnen"],
  ["es", "La mina producirá *300* toneladas.", false, "La mina producirá 300 toneladas"],
  ["es", "La mina produjo *300* toneladas.", true, "La mina produjo 300 toneladas"],
  ["it", "La miniera dovrebbe produrre *300* tonnellate.", false, "La miniera dovrebbe produrre 300 tonnellate"],
];

test.each(FIGURES)(
  "a figure in the language %s: %s is a fact: %p, in the clause %s",
  (language, sentence, isFact, clause) => {
    const text = sentence.replaceAll("*", "");
    const found = clauseAt(undatedTokensOf(text, []), sentence.indexOf("*"), GRAMMARS[language], language);
    expect(text.slice(found.start, found.end)).toBe(clause);
    expect(found.isFact).toBe(isFact);
    for (const word of ["mine", "tonnes"])
      expect(found.stems.has(stemOf(word))).toBe(new RegExp(`\\b${word}\\b`).test(clause));
  },
);

test("a predicate has the place of its clause in the sentence", () => {
  const text = "The council met, Marlow signed the act, and all left.";
  const tokens = undatedTokensOf(text, []);
  const at = tokens.findIndex((token) => token.text === "signed");
  const { start, end } = predicationOf(tokens, at, { grammar: GRAMMARS.en, language: "en" });
  expect(text.slice(start, end)).toBe("Marlow signed the act");
});
