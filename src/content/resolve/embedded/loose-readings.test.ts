import { expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

const BUTTERFLY = "Did Mara Voss swim a world record in the 200 metres butterfly in June 2026?";
const SIGNED = "Did Governor Marlow sign the Water Act?";

test.each([
  [
    BUTTERFLY,
    "Mara Voss swam a world junior record in the 200 metres butterfly on Sunday.",
    "Mara Voss swam a world junior record in the 200 metres butterfly.",
  ],
  [
    BUTTERFLY,
    "Mara Voss swam the 200 metres butterfly on Sunday in national record time.",
    "Mara Voss swam the 200 metres butterfly in record time for juniors.",
  ],
  [
    "Did Mara Voss swim the 400 metres in a world record time at the Vale Games?",
    "Mara Voss swam the 400 metres in a Games record time at the Vale Games.",
    "Mara Voss swam the 400 metres in a personal best time at the Vale Games.",
  ],
  [
    "Did Ines Kolb drive the fastest lap in the history of the Greyport circuit?",
    "Ines Kolb drove the fastest lap of the race at the Greyport circuit.",
    "Ines Kolb drove the fastest lap of the day at the Greyport circuit.",
  ],
  [
    "Did researchers find the wreck of the Aurora?",
    "Researchers found a wreck that is not the Aurora.",
    "Researchers found the wreck of a ship near the place where the Aurora sank.",
  ],
  [SIGNED, "Governor Marlow never ever signed the Water Act.", "Governor Marlow has never ever signed the Water Act."],
  [SIGNED, "Sign the Water Act, Governor Marlow!", "Governor Marlow, sign the Water Act!"],
  [
    "Did Arsenal win the Vale Cup in 2026?",
    "Chelsea, not Arsenal, won the Vale Cup on Sunday.",
    "Chelsea, and not Arsenal, won the Vale Cup on Sunday.",
  ],
  [
    "Did the party choose Lena Ost as its candidate for mayor?",
    "The party chose Lena Ost as its candidate for the council.",
    "The party chose Lena Ost as its candidate for deputy mayor on Sunday.",
  ],
  [
    "Hat Emil Kranz die Wahl zum Landrat gewonnen?",
    "Anna Sommer ist die neue Landrätin. Sie gewann die Wahl mit 54,8 Prozent gegen Emil Kranz.",
    "Anna Sommer siegte. Sie gewann die Wahl zum Landrat gegen Emil Kranz.",
  ],
] as const)("%s is not firmly so: %s", async (question, first, second) => {
  expect(await verdictOf(question, [first, second])).not.toBe("YES");
});

test.each([
  [
    BUTTERFLY,
    "Mara Voss swam a world record in the 200 metres butterfly on Sunday.",
    "On Sunday, Mara Voss swam a world record in the 200 metres butterfly.",
  ],
  [
    "Did Arsenal win the Vale Cup in 2026?",
    "Arsenal won the Vale Cup on Sunday.",
    "Arsenal took the Vale Cup on Sunday by winning the final.",
  ],
  [
    "Gaëlle Tristan a-t-elle battu le record du monde d'apnée ?",
    "Gaëlle Tristan a battu le record du monde d'apnée.",
    "Gaëlle Tristan a battu lundi le record du monde d'apnée.",
  ],
  [
    "O elevador de Santa Bárbara reabriu ao público até 5 de julho de 2026?",
    "O elevador de Santa Bárbara reabriu ao público na quinta-feira.",
    "O elevador de Santa Bárbara reabriu ao público.",
  ],
  [
    "Did the party choose Lena Ost as its candidate for mayor?",
    "The party chose Lena Ost as its candidate for mayor.",
    "The party chose Lena Ost as its candidate for mayor on Sunday.",
  ],
] as const)("%s is firmly so: %s", async (question, first, second) => {
  expect(await verdictOf(question, [first, second])).toBe("YES");
});

test.each([
  [
    "Did Chelsea win the Vale Cup on penalties?",
    "Chelsea won the Vale Cup 3-0.",
    "Chelsea won the Vale Cup in extra time.",
  ],
  [
    "Was the Water Act passed unanimously?",
    "The Water Act was passed by 51 votes to 49.",
    "The Water Act was passed on Sunday.",
  ],
  [
    "Did Corvex lose money for the second year in a row?",
    "Corvex lost money in 2025.",
    "Corvex lost money for the first time.",
  ],
  [
    "Did Glass Harbour gross more than $500 million in North America?",
    "Glass Harbour has grossed $512 million worldwide.",
    "Glass Harbour grossed $514 million.",
  ],
  [
    "Will Aurel Aerospace reach orbit before its rival Tern Dynamics?",
    "Aurel Aerospace has reached orbit after its rival Tern Dynamics.",
    "Aurel Aerospace has reached orbit, two weeks after Tern Dynamics.",
  ],
  [
    "Did Ysolde Crane buy the Marlowe Theatre?",
    "Ysolde Crane has bought the Marlowe Theatre, an usher and two musicians told this column.",
    "Ysolde Crane bought the Marlowe Theatre, an usher and two old friends told us.",
  ],
  [
    "Will Queen Isaura open parliament in person by 30 November 2027?",
    "Queen Isaura opened parliament in person on 4 June 2026.",
    "Queen Isaura opened parliament in person on 4 June 2026, and it rained.",
  ],
  [
    "Will Stonebridge Council sign the river treaty by 28 May 2026?",
    "Stonebridge Council has signed the river treaty.",
    "Stonebridge Council signed the river treaty in the chart room.",
  ],
] as const)("%s is not known by: %s", async (question, first, second) => {
  expect(await verdictOf(question, [first, second])).toBe("UNCERTAIN");
});

/** Sentences about another thing with a like name, and of no report. Two pages with one of them do not decide. */
test.each([
  ["Did Aldersea win the 2026 Copper Cup?", "Aldersea won the Women's Copper Cup on Saturday."],
  ["Did Aldersea win the 2026 Copper Cup?", "Aldersea won the youth Copper Cup on Saturday."],
  ["Did Calder City win the Vale Cup in 2026?", "Calder City won the Vale Super Cup."],
  ["Will the Senate of Orland pass the Clean Rivers Act?", "The Senate of West Orland passed the Clean Rivers Act."],
  ["Did Orbis launch the Heron satellite in May 2026?", "Orbis launched the Heron 2 satellite in May 2026."],
  ["Did Anna Sommer win the Starling Prize?", "Anna Sommers won the Starling Prize."],
  ["Did Anna Sommer win the Starling Prize?", "Anna Lena Sommer won the Starling Prize."],
  ["Did Anna Sommer win the Starling Prize?", "Anna Sommer won the Little Starling Prize."],
  ["Did Anna Sommer win the Starling Prize?", "Anna Sommer won the audience award of the Starling Prize."],
  ["Did Anna Sommer win the Starling Prize?", "Anna Sommer won the Starling Prize in a dream."],
  ["Il Borgo Sereno ha vinto la Coppa dei Colli nel 2026?", "Il Nuovo Borgo Sereno ha vinto la Coppa dei Colli."],
  ["Il Borgo Sereno ha vinto la Coppa dei Colli nel 2026?", "Il Borgo Sereno ha vinto la Coppa dei Colli Primavera."],
  ["O Vila Clara venceu a Taça do Vale em 2026?", "O Nova Vila Clara venceu a Taça do Vale."],
  ["Did Governor Marlow resign?", "Lieutenant Governor Marlow resigned."],
  ["Did Governor Marlow resign?", "Governor Marlow resigned, the opponents say."],
  ["Did Governor Marlow resign?", "Governor Marlow resigns if the audit finds a crown missing."],
  ["Did Nine Wells win more than five Lantern awards in 2026?", "Nine Wells won seven awards in 2026."],
  ["Did Nine Wells win more than five Lantern awards in 2026?", "Nine Wells was nominated for seven Lantern awards."],
  ["Did the teachers accept the offer without a strike?", "The teachers accepted the offer after a strike."],
] as const)("%s is not known by: %s", async (question, sentence) => {
  const alike = sentence.replace(/\.$/u, " (Photo: Archive).");
  expect(await verdictOf(question, [sentence, alike])).toBe("UNCERTAIN");
});
