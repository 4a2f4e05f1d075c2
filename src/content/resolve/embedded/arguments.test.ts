import { describe, expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { predicationOf } from "../reading/clauses.ts";
import { conceptsAt } from "../reading/concepts.ts";
import { GRAMMARS } from "../reading/grammar.ts";
import { undatedTokensOf } from "../reading/spans.ts";
import { type Language, wordsOf } from "../reading/words.ts";
import { fitOf } from "./arguments.ts";
import { askedOf } from "./question.ts";

const NOW = Date.UTC(2026, 8, 28);

type Row = readonly [fit: string, sentence: string, before?: string | undefined, language?: Language | undefined];

/**
 * Questions with sentences, a star on each side of the predicate, the sentence before, and a language that differs. The fit of their arguments is the kind,
 * and its factor if they are the same.
 */
const QUESTIONS: Readonly<Record<string, readonly Row[]>> = {
  "Did Governor Marlow sign the Water Act?": [
    ["same 1.00", "Governor Marlow *signed* the Water Act."],
    ["same 1.00", "Marlow *signed* the Water Act."],
    ["different", "The governor *signed* the Water Act."],
    ["different", "Governor Ost *signed* the Water Act."],
    ["different", "Governor Marlow *signed* the law."],
    ["different", "Governor Marlow *signed* it."],
    ["same 0.85", "They *signed* the Water Act.", "Marlow met the press."],
    ["same 0.85", "It *signed* the Water Act.", "Marlow met the press."],
    ["same 0.85", "And *signed* the Water Act.", "Marlow met the press."],
    ["different", "Ost *signed* the Water Act.", "Marlow met the press."],
    ["different", "Governor Marlow's deputy *signed* the Water Act."],
    ["different", "The deputy of Governor Marlow *signed* the Water Act."],
    ["different", "Governor Marlow Bank *signed* the Water Act."],
    ["same 1.00", "Lieutenant Governor Marlow *signed* the Water Act."],
    ["same 1.00", "Acting Governor Marlow *signed* the Water Act."],
    ["same 1.00", "The Water Act was *signed* by Governor Marlow."],
    ["different", "The Water Act was *signed* by Ost."],
    ["different", "The Water Act was *signed* by a clerk of the state."],
    ["different", "The Water Act was *signed* by hand."],
    ["different", "The Water Act was *signed* by 40 people."],
    ["different", "The Water Act was *signed* by the very old and very ill clerk."],
    ["different", "The Water Act was *signed* in May."],
    ["same 0.90", "The Water Act was *signed* in May.", "Marlow spoke of it."],
    ["different", "An amendment to the Water Act was *signed* by Governor Marlow."],
    ["different", "The Water Act *signed* Governor Marlow."],
    ["different", "Governor Marlow *signed* the Water Act's annex."],
    ["different", "Governor Marlow *signed* the draft of the Water Act."],
    ["different", "Governor Marlow *signed* the final text of the Water Act."],
    ["same 1.00", "Governor Marlow has then *signed* the Water Act."],
  ],
  "Did the court annul the election in Drumlin?": [
    ["same 1.00", "The court *annulled* the election in Drumlin."],
    ["same 1.00", "The administrative court *annulled* the election in Drumlin."],
    ["same 0.85", "Judges *annulled* the election in Drumlin."],
    ["different", "Judges in Oslo *annulled* the election in Drumlin."],
    ["same 1.00", "The court *annulled* the election."],
    ["different", "The court *annulled* half elections in Drumlin."],
    ["different", "The court *annulled* some elections in Drumlin."],
    ["different", "The court *annulled* the youth election in Drumlin."],
    ["same 1.00", "The court *annulled* the result of the election in Drumlin."],
    ["same 1.00", "The court *annulled* the election of the mayor in Drumlin."],
  ],
  "Did the shareholders of Aldine Bank approve the contract for the depot?": [
    ["same 1.00", "The shareholders of Aldine Bank *approved* the contract for the depot."],
    ["different", "The shareholders of Fenwick Bank *approved* the contract for the depot."],
    ["different", "The shareholders of the very old Fenwick Bank *approved* the contract for the depot."],
    ["same 1.00", "Aldine Bank shareholders *approved* the contract for the depot."],
    ["same 1.00", "The shareholders of Aldine Bank *approved* the contract."],
    ["same 0.70", "The shareholders *approved* the contract for the depot."],
  ],
  "Did the Sallow Creek mine close?": [
    ["same 1.00", "The Sallow Creek mine *closed*."],
    ["same 0.85", "Sallow Creek *closed*."],
    ["same 1.00", "The Sallow mine *closed*."],
    ["same 1.00", "The mine *closed*.", "Sallow Creek is far."],
    ["different", "It *closed*.", "Sallow Creek is far."],
    ["same 1.00", "Zeta *closed* the Sallow Creek mine."],
    ["same 1.00", "The Sallow Creek mine was *closed* by Zeta."],
  ],
  "Did Penrose Airport open?": [
    ["same 1.00", "Penrose Airport *opened*."],
    ["different", "Penrose *opened*."],
    ["same 1.00", "The airport *opened*."],
    ["different", "Penrose Airport Hotel *opened*."],
  ],
  "Did Orwell Air buy Brightwater?": [
    ["same 1.00", "Orwell Air *bought* Brightwater."],
    ["same 1.00", "Orwell Air plc *bought* Brightwater."],
    ["same 1.00", "Orwell Air *bought* Brightwater Ltd from Zeta."],
    ["different", "Orwell group *bought* Brightwater."],
    ["other-actor", "Zeta *bought* Brightwater."],
    ["different", "The firm *bought* Brightwater."],
    ["different", "The firm *bought* Brightwater.", "Orwell Air met Zeta."],
    ["other-actor", "The airline Zeta *bought* Brightwater.", "Orwell Air met Zeta."],
    ["swapped", "Brightwater *bought* Orwell Air."],
    ["other-actor", "Brightwater was *bought* by Zeta."],
    ["different", "Brightwater was *bought* for 2 crowns."],
  ],
  "Did Orland ratify the Seabed Treaty?": [
    ["same 1.00", "Orland *ratified* the Seabed Treaty."],
    ["same 1.00", "Orland's parliament *ratified* the Seabed Treaty."],
    ["different", "Orland's neighbour *ratified* the Seabed Treaty."],
    ["different", "The parliament of Orland *ratified* the Seabed Treaty."],
    ["different", "The neighbour of Orland *ratified* the Seabed Treaty."],
  ],
  "Did Ashcombe win the Vale League title?": [
    ["same 1.00", "Ashcombe *won* the Vale League title."],
    ["same 0.85", "Ashcombe *won* the Vale League."],
    ["other-actor", "Rovers *won* the Vale League."],
    ["different", "Rovers *won* the League."],
    ["other-actor", "Rovers *won* the Vale League golden boot."],
    ["different", "Ashcombe Ladies *won* the Vale League title."],
    ["same 0.70", "The title was *won* by Ashcombe."],
    ["different", "They *won* the Vale League title."],
    ["other-actor", "They *won* the Vale League title against Ashcombe."],
    ["different", "The club *won* the Vale League title."],
    ["same 0.85", "and *won* the Vale League title.", "Ashcombe beat Halden,"],
    ["same 1.00", "Ashcombe *carried* off the Vale League title."],
  ],
  "Was the Alba Prize awarded to Elena Ruz?": [
    ["same 1.00", "The Alba Prize was *awarded* to Elena Ruz."],
    ["same 1.00", "Elena Ruz was *awarded* the Alba Prize."],
    ["same 1.00", "The jury *awarded* the Alba Prize to Elena Ruz."],
    ["other-actor", "The jury *awarded* the Alba Prize to Ana Gil."],
    ["different", "The Alba Prize was *awarded* to a poet."],
  ],
  "Did Odalys Prewitt win the mayoral election in Tarnbrook?": [
    ["same 1.00", "Odalys Prewitt was *elected* mayor of Tarnbrook."],
    ["other-actor", "Ida Kern was *elected* mayor of Tarnbrook."],
    ["different", "Odalys Kern was *elected* mayor of Tarnbrook."],
    ["different", "Odalys Prewitt was *elected* treasurer of Tarnbrook."],
    ["different", "Odalys Prewitt was *elected* mayor of Durne."],
    ["same 1.00", "Tarnbrook *elected* Odalys Prewitt mayor."],
    ["other-actor", "Tarnbrook *elected* Ida Kern mayor."],
    ["different", "The clerk was *elected* mayor of Tarnbrook."],
  ],
  "Hat der Landtag von Westmark das Wolfsgesetz verabschiedet?": [
    ["same 1.00", "Der Landtag von Westmark hat das Wolfsgesetz *verabschiedet*."],
    ["different", "Der Landtag von Ostmark hat das Wolfsgesetz *verabschiedet*."],
    ["different", "Der Ausschuss des Landtags von Westmark hat das Wolfsgesetz *verabschiedet*."],
    ["same 1.00", "Am Abend hat der Landtag von Westmark das Wolfsgesetz *verabschiedet*."],
    ["different", "Das Wolfsgesetz hat der Landtag von Westmark *verabschiedet*."],
    ["same 1.00", "Das Wolfsgesetz wurde vom Landtag von Westmark *verabschiedet*."],
    ["same 0.80", "Das Wolfsgesetz wurde in Westmark *verabschiedet*."],
    ["different", "Der Landtag von Westmark hat den Entwurf des Wolfsgesetzes *verabschiedet*."],
    ["same 1.00", "Der Landtag von Westmark hat am Abend das Wolfsgesetz *verabschiedet*."],
    ["different", "Die Abgeordneten haben das Wolfsgesetz *verabschiedet*."],
    ["same 0.85", "Er hat das Wolfsgesetz *verabschiedet*.", "Der Landtag von Westmark tagte."],
  ],
  "Le conseil de Valdor a-t-il approuvé le budget ?": [
    ["same 1.00", "Le conseil de Valdor a *approuvé* le budget."],
    ["same 1.00", "Le conseil municipal de Valdor a *approuvé* le budget."],
    ["different", "Le conseil de Morel a *approuvé* le budget."],
    ["same 1.00", "Le conseil a *approuvé* le budget."],
    ["same 1.00", "Le budget a été *approuvé* par le conseil de Valdor."],
    ["different", "Le budget a été *approuvé* par le préfet."],
    ["same 0.85", "Les élus de Valdor ont *approuvé* le budget."],
    ["different", "Le conseil de Valdor a *approuvé* le projet de budget."],
  ],
  "¿Firmó la alcaldesa Ana Ruiz el convenio?": [
    ["same 1.00", "La alcaldesa Ana Ruiz *firmó* el convenio."],
    ["same 1.00", "Ana Ruiz *firmó* el convenio."],
    ["different", "La alcaldesa Eva Gil *firmó* el convenio."],
    ["different", "La alcaldesa *firmó* el convenio."],
    ["same 1.00", "El convenio fue *firmado* por Ana Ruiz."],
    ["different", "El convenio fue *firmado* por el ministro."],
  ],
  "Ha vinto il Valdor la coppa?": [
    ["same 1.00", "Il Valdor ha *vinto* la coppa."],
    ["same 1.00", "La coppa è stata *vinta* dal Valdor."],
    ["different", "La coppa è stata *vinta* dal Rocca."],
    ["other-actor", "Il Rocca ha *vinto* la coppa."],
  ],
  "A câmara de Valdor aprovou o orçamento?": [
    ["same 1.00", "A câmara de Valdor *aprovou* o orçamento."],
    ["same 1.00", "A câmara municipal de Valdor *aprovou* o orçamento."],
    ["different", "A câmara de Serra *aprovou* o orçamento."],
    ["same 1.00", "O orçamento foi *aprovado* pela câmara de Valdor."],
    ["different", "O orçamento foi *aprovado* em maio."],
  ],
  "Did the rocket Wren lift off?": [
    ["same 1.00", "The rocket Wren *lifted* off."],
    ["different", "The rocket *lifted* off."],
    ["different", "The rocket Tern *lifted* off."],
    ["same 1.00", "Wren *lifted* off."],
  ],
  "Was the toll bridge opened?": [
    ["same 1.00", "The toll bridge *opened*."],
    ["same 1.00", "The mayor *opened* the toll bridge."],
    ["same 1.00", "The toll bridge was *opened* by the mayor."],
    ["different", "The toll road *opened*."],
    ["different", "The toll bridge *opened* the valley."],
  ],
  "Did the Vale League suspend Ashcombe?": [["same 1.00", "The Vale League *suspended* Ashcombe."]],
  "Did lawmakers approve the Sarin water bill?": [
    ["same 1.00", "Lawmakers *approved* the Sarin water bill."],
    ["different", "The parliament *approved* the Sarin water bill."],
  ],
  "Did the parliament of Sarin approve the water bill?": [
    ["different", "Lawmakers *approved* the water bill."],
    ["same 0.85", "Lawmakers *approved* the water bill.", "Sarin is small."],
    ["different", "Lawmakers of Norvane *approved* the water bill."],
    ["different", "Some lawmakers in Sarin *approved* the water bill."],
  ],
  "Did Orwell Air take over Brightwater?": [["same 1.00", "Orwell Air *übernahm* Brightwater.", "", "de"]],
  "Did Norvane approve the harbour fee?": [
    ["same 0.60", "Norvane *genehmigte* die Hafengebühr.", "", "de"],
    ["different", "Ostland *genehmigte* die Hafengebühr.", "", "de"],
  ],
};

function fitIn(question: string, [, marked, before = "", other]: Row): string {
  const asked = askedOf(planOf(question, "", NOW), NOW);
  const { language: own = "en", terms, outcomes } = asked;
  const language = other ?? own;
  const tokens = undatedTokensOf(marked.replaceAll("*", ""), []);
  const at = tokens.findIndex(({ start }) => start === marked.indexOf("*"));
  const reader = { grammar: GRAMMARS[language], language };
  const found = [...conceptsAt(tokens, at)];
  const outcome = found.find((one) => outcomes.has(one)) ?? found[0];
  const near = new Set([...wordsOf(before), ...tokens].map(({ stem }) => stem)).intersection(terms);
  const fit = fitOf(asked, predicationOf(tokens, at, reader), { reader, near, outcome });
  return fit.kind === "same" ? `same ${fit.factor.toFixed(2)}` : fit.kind;
}

describe.each(Object.entries(QUESTIONS))("%s", (question, rows) => {
  test.each(rows)("%s: %s", (...[fit, sentence, before, language]) =>
    expect(fitIn(question, [fit, sentence, before, language])).toBe(fit),
  );
});
