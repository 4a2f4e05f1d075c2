import { expect, test } from "bun:test";
import { partsOf } from "./parts.ts";

const VERBS = new Set(
  (
    "land landed drive driven launched launch approve approved pass passed sign signed fall fell resign " +
    "resigned open opened close closed beschlossen erhöht baja subió firmó ganó votó approuvé adopté won win aprobó cayó renunció"
  ).split(" "),
);
const isVerb = (word: string): boolean => VERBS.has(word.toLowerCase());

test.each<[question: string, ...parts: string[]]>([
  [
    "Did the rover both land on Mars and drive a metre?",
    "and",
    "Did the rover land on Mars?",
    "Did the rover drive a metre?",
  ],
  [
    "Did the shareholders of both Aldine Bank and Fenwick Bank approve the merger?",
    "and",
    "Did the shareholders of Aldine Bank approve the merger?",
    "Did the shareholders of Fenwick Bank approve the merger?",
  ],
  ["Did both the pope and the queen sing?"],
  [
    "Did the rover land on Mars and drive a metre?",
    "and",
    "Did the rover land on Mars?",
    "Did the rover drive a metre?",
  ],
  ["Did Orbis launch Heron and deploy its rover?", "and", "Did Orbis launch Heron?", "Did Orbis deploy its rover?"],
  ["Did Orbis launch Heron and also close the pad?", "and", "Did Orbis launch Heron?", "Did Orbis close the pad?"],
  ["Was the bridge opened and closed?", "and", "Was the bridge opened?", "Was the bridge closed?"],
  ["Did Orbis and Astra launch Heron?"],
  ["Did the minister resign before the vote passed?", "before", "Did the minister resign?", "the vote passed?"],
  ["Did the minister resign after the vote passed?", "after", "Did the minister resign?", "the vote passed?"],
  ["Did the minister resign before June 2026?"],
  ["Did the minister resign before 5 May?"],
  ["Did the minister resign before the end of May?"],
  ["Did the minister resign before the referendum?", "before", "Did the minister resign?", "the referendum?"],
  ["Did the minister resign before Easter?"],
  ["Was Heron launched before Kestrel?", "before", "Was Heron launched?", "Was Kestrel launched?"],
  ["Was Heron launched after Kestrel 2?", "after", "Was Heron launched?", "Was Kestrel 2 launched?"],
  ["Was Heron launched before them?"],
  [
    "Will Aurel Aerospace reach orbit before its rival Tern?",
    "before",
    "Will Aurel Aerospace reach orbit?",
    "Will Tern reach orbit?",
  ],
  [
    "Will the Bank of Estmark open a branch before the Bank of Norvane in 2026?",
    "before",
    "Will the Bank of Estmark open a branch?",
    "Will the Bank of Norvane open a branch?",
  ],
  [
    "Will the Bank of Estmark cut rates before the Bank of Norvane in 2026?",
    "before",
    "Will the Bank of Estmark cut rates?",
    "the Bank of Norvane in 2026?",
  ],
  ["Will the bridge open before the fair?", "before", "Will the bridge open?", "the fair?"],
  [
    "Il nuovo stadio di Montalto firmó prima di quello di Castagneto?",
    "before",
    "Il nuovo stadio di Montalto firmó?",
    "Il nuovo stadio di Castagneto firmó?",
  ],
  [
    "Hat Silke Harm vor Anna Lau die Ziellinie überquert?",
    "before",
    "Hat Silke Harm die Ziellinie überquert?",
    "Hat Anna Lau die Ziellinie überquert?",
  ],
  [
    "Hat Silke Harm nach Anna Lau das Ziel erreicht?",
    "after",
    "Hat Silke Harm das Ziel erreicht?",
    "Hat Anna Lau das Ziel erreicht?",
  ],
  ["If the tunnel opens, will the toll fall?", "if", "the tunnel opens?", "will the toll fall?"],
  ["If Estmark approves it, will Norvane sign it as well?", "if", "Estmark approves it?", "will Norvane sign it?"],
  [
    "Will the council approve the budget and the cabinet win the vote?",
    "and",
    "Will the council approve the budget?",
    "Will the cabinet win the vote?",
  ],
  ["Will the council approve the budget and the closure of the school?"],
  [
    "Hat der Rat den Bau beschlossen und das Land die Steuer erhöht?",
    "and",
    "Hat der Rat den Bau beschlossen?",
    "Hat das Land die Steuer erhöht?",
  ],
  [
    "Il comune ha firmato l'accordo e la regione ha stanziato i fondi?",
    "and",
    "Il comune ha firmato l'accordo?",
    "la regione ha stanziato i fondi?",
  ],
  [
    "Hat der Rat den Haushalt beschlossen und die Steuer erhöht?",
    "and",
    "Hat der Rat den Haushalt beschlossen?",
    "Hat der Rat die Steuer erhöht?",
  ],
  [
    "Hat der Rat den Haushalt beschlossen, bevor Anna ging?",
    "before",
    "Hat der Rat den Haushalt beschlossen,?",
    "Anna ging?",
  ],
  ["¿Ganó Ana el premio antes que Luis?", "before", "Ganó Ana el premio?", "Ganó Luis?"],
  ["¿Ganó Ana y votó Luis?", "and", "Ganó Ana?", "votó Luis?"],
  ["¿Ganó Ana el premio y firmó el libro?", "and", "Ganó Ana el premio?", "firmó el libro?"],
  ["Le sénat a approuvé la loi avant la chambre ?", "before", "Le sénat a approuvé la loi?", "la chambre?"],
  ["Did the very old man and the dog walk?"],
  ["Did Ana and Luis?"],
  ["and?"],
  [
    "Will 2026 Tour winner Ana sign and win the cup?",
    "and",
    "Will 2026 Tour winner Ana sign?",
    "Will 2026 Tour winner Ana win the cup?",
  ],
  ["Did it open and quickly the door?"],
])("%s", (question, ...parts) => {
  const found = partsOf(question, isVerb);
  expect(found === undefined ? [] : [found.relation, found.first, found.second]).toEqual(parts);
});
