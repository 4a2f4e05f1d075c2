import { expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { type Argument } from "../reading/noun-phrases.ts";
import { type Asked, askedOf } from "./question.ts";

const NOW = Date.UTC(2026, 8, 28);

/** The nouns that describe it in parentheses, and a star before each head. */
function shown(argument: Argument | undefined): string {
  if (argument === undefined) return "";
  const { words, heads, kinds } = argument;
  return [
    ...[...kinds].map((kind) => `(${kind})`),
    ...[...words].map((word) => (heads.has(word) ? `*${word}` : word)),
  ].join(" ");
}

function othersOf({ outcomes, role, oblique, isByAgent, joined, numbered, isFuture, years }: Asked): string {
  const others = [
    role && `role: ${shown(role)}`,
    [...outcomes].join(" "),
    oblique && `${oblique.preposition}: ${[...oblique.words].join(" ")}`,
    isByAgent && "by",
    joined.length > 0 && `joined: ${joined.join(";")}`,
    numbered.length > 0 && `numbered: ${numbered.join(";")}`,
    isFuture && "future",
    [...years].join(" "),
  ];
  return others.filter(Boolean).join(", ");
}

test.each([
  ["Did Governor Marlow sign the Water Act?", "governor *marlow | sign | water *act", "sign"],
  ["Did the ferry Aurora sail from Harwich before 1 June 2026?", "(ferry) *aurora | sail | ", "depart, 2026"],
  [
    "Did Bank of Norvane governor Tarquin Hale resign in May 2026?",
    "bank norvan governor tarquin *hal | resign | ",
    "resign, 2026",
  ],
  ["Was the Water Act signed by Governor Marlow?", "governor *marlow | signed | water *act", "sign, by"],
  ["Was the Water Act signed in public?", " | signed | water *act", "sign"],
  ["Was the Alba Prize awarded to Elena Ruz?", "elena *ruz | awarded | alba *priz", "win"],
  [
    "Did Lena Ost become leader of the Reform Party?",
    " | become | lena *ost",
    "role: *leader reform party, become appoint elect",
  ],
  ["Was Silas Dunmore convicted of fraud in 2026?", " | convicted | sila *dunmor", "convict, of: fraud, 2026"],
  ["Did Orland sign the Treaty of Oslo with Norvane?", "*orland | sign | *treaty oslo", "sign"],
  [
    "Did the bridge reopen to cars and trains in June 2026?",
    "*bridg | reopen | ",
    "open, to: car train, joined: car,train, 2026",
  ],
  ["Did Mara Voss swim the 400 metres in a world record time?", "mara *voss | swim | ", ""],
  ["Did Orbis launch Wren-2 before 1 July 2026?", "*orbis | launch | wren *2", "launch, numbered: wren,2, 2026"],
  ["Will Zeta pass 100 million users in 2026?", "*zeta | pass | ", "future, 2026"],
  ["Will the Queen open the parliament by November 2026?", "*queen | open | *parliament", "open, future, 2026"],
  ["Did the party fail to sign the deal?", "*party | sign | *deal", "sign"],
  ["Is the Norvane mine open?", " | open | norvan *min", "open"],
  ["Did the court annul the referendum of March 2026?", "*court | annul | *referendum", "cancel, 2026"],
  ["Will it rain in Oslo before 2026?", " | rain | ", "future, 2025"],
  [
    "Did Ashcombe beat Velmoor's youth team and the Rovers?",
    "*ashcomb | beat | velmoor youth *team *rover",
    "win, joined: team,rover",
  ],
  [
    "Hat der Landtag von Westmark das Wolfsgesetz verabschiedet?",
    "*landtag westmark | verabschiedet | *wolfsgesetz",
    "approve",
  ],
  ["Wurde das Wolfsgesetz vom Landtag verabschiedet?", "*landtag | verabschiedet | *wolfsgesetz", "approve, by"],
  ["Hat Emil Kranz die Wahl zum Landrat gewonnen?", "emil *kranz | gewonnen | *wahl", "win elect"],
  ["Wurde Anna Sommer wegen Betrugs verurteilt?", " | verurteilt | anna *sommer", "convict"],
  ["¿Aprobó el pleno la subida del agua?", "*pleno | aprobo | *subida agua", "approve"],
  ["¿Se aprobó la subida del agua?", "*subida agua | aprobo | ", "approve"],
  ["¿Ganó Elena Ruz el premio Alba de novela en 2026?", "elena *ruz | gano | (premio) *alba novela", "win, 2026"],
  ["Le sénat a-t-il adopté la loi sur l'eau ?", "*senat | adopte | *law", "approve"],
  ["Le musée a-t-il ouvert au public ?", "*muse | ouvert | ", "open"],
  ["Il comune ha approvato il nuovo bilancio nazionale?", "*comun | approvato | nuovo *bilancio nazional", "approve"],
  ["A câmara aprovou o orçamento do porto?", "*camara | aprovou | *orcamento porto", "approve"],
  ["O governo anulará o concurso de Serralha?", "*governo | anulara | *concurso serralha", "cancel, future"],
  ["Was line 9 of the metro opened?", " | opened | lin *9 metro", "open"],
  ["Did the old and the new mayor resign?", "*old new *mayor | resign | ", "resign, joined: old,new"],
  [
    "Did the mayor and the council approve the budget?",
    "*mayor *council | approve | *budget",
    "approve, joined: mayor,council",
  ],
  ["Did Halden sign the Treaty of Oslo?", "*halden | sign | *treaty oslo", "sign"],
  ["¿El Betis venció al Madrid?", "*betis | vencio | *madrid", "win"],
  ["¿Aprobó Valdor la subida?", "*valdor | aprobo | *subida", "approve"],
  ["¿Aprobó la cámara de la región el plan del agua?", "*camara region | aprobo | *plan agua", "approve"],
  ["Hat der Rat von Westmark den Bau beschlossen?", "*rat westmark | beschlossen | *bau", "approve"],
  [
    "Hat die Stadt Westmark im Mai den Bau der Brücke beschlossen?",
    "stadt *westmark | beschlossen | *bau *bruck",
    "approve",
  ],
  ["Ist Anna Sommer zurückgetreten?", "anna *sommer | zuruckgetreten | ", "resign"],
  ["Is the mine of Norvane in Sarin?", "*min |  | ", ""],
  ["Is the mine Norvane property?", "(min) norvan *property |  | ", ""],
  ["Did the bridge reopen to Oslo and Harwich?", "*bridg | reopen | ", "open, to: oslo harwich, joined: oslo,harwich"],
  ["Did the bridge reopen to old cars and trains?", "*bridg | reopen | ", "open, to: old car train, joined: car,train"],
  ["Will Orbis launch Wren by 2026?", "*orbis | launch | *wren", "launch, future, 2026"],
  ["Did the council manage to pass the budget?", "*council | pass | *budget", "approve"],
  ["Will the council be able to sign the deal?", "*council | sign | *deal", "sign, future"],
  ["Was the Alba Prize granted?", " | granted | alba *priz", ""],
  ["Did Lena Ost take over as coach of Halden?", " | take | lena *ost", "role: *coach halden, become appoint elect"],
  ["Will Zeta surpass Orbis?", "*zeta | surpass | *orbis", "break, future"],
  ["Did Orbis hit the satellite?", "*orbis | hit | *satellit", ""],
  ["Was the ferry named by the Queen for Oslo?", "*queen | named | *ferry", "appoint, by"],
  ["Did Orbis apply as a bank?", "*orbis | apply | ", "as: bank"],
  ["Did Ashcombe lose to Velmoor?", "*ashcomb | lose | ", "lose, to: velmoor"],
  ["Did Velmoor 2 beat Ashcombe 1234?", "velmoor *2 | beat | ashcomb *1234", "win, numbered: velmoor,2"],
  ["Did Silas Dunmore's lawyer resign?", "sila dunmor *lawyer | resign | ", "resign"],
  [
    "Le conseil municipal a-t-il approuvé le nouveau budget communal ?",
    "*conseil municipal | approuve | nouveau *budget communal",
    "approve",
  ],
  ["La grande école privée a-t-elle fermé ?", "grand *ecol prive | ferme | ", "close"],
  ["Le projet de loi a-t-il été rejeté par le sénat ?", "*senat | rejete | *projet law", "reject, by"],
  ["A ministra Ana Prado demitiu-se em maio?", "(ministra) ana *prado | demitiu | ", "resign dismiss"],
  ["Wird der Stadtrat den Haushalt beschließen?", "*stadtrat | beschliessen | *haushalt", "approve, future"],
  ["Wurden die Wahlen vom Gericht annulliert?", "*court | annulliert | *wahlen", "cancel, by"],
  ["Did Aurora arrive at the port of Sarin?", "*aurora | arrive | ", "arrive"],
  ["Did Orbis approve of the plan?", "*orbis | approve | ", "approve, of: plan"],
  ["Mine at the river in 2026?", "*min |  | ", "2026"],
  ["Did the council pass the budget?", "*council | pass | *budget", "approve"],
  ["Did Orbis apply for it?", "*orbis | apply | ", ""],
  [
    "Will the court annul the March 2025 election by June 2026?",
    "*court | annul | *election",
    "cancel, future, 2025 2026",
  ],
  ["Did Bank of Norvane governor Tarquin resign?", "bank norvan governor *tarquin | resign | ", "resign"],
])("%s has agent, predicate and patient: %s (%s)", (question, parts, others) => {
  const asked = askedOf(planOf(question, "", NOW), NOW);
  const { agent, predicate, patient } = asked;
  expect(`${shown(agent)} | ${predicate?.text ?? ""} | ${shown(patient)}`).toBe(parts);
  expect(othersOf(asked)).toBe(others);
});
