import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

type Sides = Readonly<Partial<Record<"YES" | "YES?" | "NO" | "NO?" | "", readonly string[]>>>;

/** Questions with sentences in other constructions, by the side on which they count. Those with a question mark support no firm verdict. */
const QUESTIONS: Readonly<Record<string, Sides>> = {
  "Will Mayor Elena Brandt win re-election in Norhaven?": {
    YES: [
      "Mayor Elena Brandt has won a second term in Norhaven, taking 54 percent of the vote.",
      "Elena Brandt was re-elected mayor of Norhaven on Sunday with 54 percent of the vote.",
      "Norhaven voters returned Mayor Elena Brandt to office on Sunday.",
    ],
    NO: ["Tom Aldous has unseated Mayor Elena Brandt in Norhaven."],
    "YES?": [
      "Elena Brandt was re-elected chair of the regional assembly on Sunday.",
      "Elena Brandt won a second term on the board of the water company.",
    ],
    "": [
      "Elena Brandt won a second term in 2022.",
      "Mayor Elena Brandt was defeated by Tom Aldous in a charity race.",
      "Mayor Elena Brandt was defeated by Tom Aldous in the primary.",
      "A win would mean that Elena Brandt won a second term.",
      "Elena Brandt won a second term in the simulation.",
    ],
    "NO?": ["Mayor Elena Brandt conceded the race between the schools to Tom Aldous."],
  },
  "Did the Senate of Ardenia pass the Clean Rivers Bill?": {
    YES: [
      "The Clean Rivers Bill cleared the Senate of Ardenia on Thursday by 51 votes to 44.",
      "Senators in Ardenia voted 51-44 on Thursday to pass the Clean Rivers Bill.",
      "Ardenia's Senate gave its approval to the Clean Rivers Bill on Thursday.",
      "The Senate of Ardenia voted in favour of the Clean Rivers Bill on Thursday.",
      "The Clean Rivers Bill has passed the Senate of Ardenia.",
    ],
    NO: [
      "The Clean Rivers Bill failed in the Senate of Ardenia on Thursday by 44 votes to 51.",
      "The Senate of Ardenia voted against the Clean Rivers Bill on Thursday.",
      "The Clean Rivers Bill was defeated in the Senate of Ardenia.",
    ],
    "": [
      "The Clean Rivers Bill passed the Senate of Belmar.",
      "The Clean Rivers Bill passed the House of Ardenia.",
      "The Clean Rivers Bill cleared the Senate of Ardenia in a first vote.",
      "An amendment to the Clean Rivers Bill failed in the Senate of Ardenia.",
      "An amendment to the Clean Rivers Bill was defeated in the Senate of Ardenia.",
    ],
    "YES?": ["The Senate of Ardenia voted 51-44 on Thursday to pass the Clean Rivers Bill to a committee."],
  },
  "Will Lena Okoro win Best Actress at the 2026 Silver Lantern Awards?": {
    YES: [
      "Lena Okoro was named Best Actress at the Silver Lantern Awards on Sunday.",
      "The Best Actress award went to Lena Okoro at the 2026 Silver Lantern Awards.",
      "At the 2026 Silver Lantern Awards, Lena Okoro picked up the prize for Best Actress.",
    ],
    NO: [
      'Best Actress went to Mira Dunn for "Low Tide".',
      "Lena Okoro lost out to Mira Dunn for Best Actress at the 2026 Silver Lantern Awards.",
    ],
    "": [
      "Best Actress went to Lena Okoro's co-star Mira Dunn.",
      "The nomination for Best Actress went to Lena Okoro.",
      "The flowers for Best Actress presenter went to Lena Okoro.",
      "The runner-up prize for Best Actress went to Lena Okoro.",
      "Best Actress at the 2025 Silver Lantern Awards went to Lena Okoro.",
    ],
    "YES?": [
      'Best Actress went to Lena Okoro for her role in "The Salt Road".',
      "Best Actress went to Lena Okoro in our readers' poll.",
      "In the rehearsal Best Actress went to Lena Okoro.",
      "Best Supporting Actress went to Lena Okoro.",
      "Lena Okoro picked up the prize for Best Actress on behalf of Mira Dunn.",
      "Lena Okoro picked up the award for Best Supporting Actress.",
    ],
  },
  "Did Harwick City win their fifth league title in 2026?": {
    YES: ["Harwick City sealed a fifth league title with a 2-0 win at Penby."],
  },
  "Did Sofia Lindgren break the world record in the 400 metres hurdles?": {
    NO: [
      "Sofia Lindgren missed the world record in the 400 metres hurdles by four hundredths.",
      "Sofia Lindgren fell short of the world record in the 400 metres hurdles.",
    ],
    "": [
      "Sofia Lindgren missed the world record ceremony in the 400 metres hurdles.",
      "Sofia Lindgren missed the national record in the 400 metres hurdles.",
    ],
  },
  "Did more than 20 people die in the Selby train crash?": {
    YES: ["The Selby train crash claimed 27 lives."],
    "": ["The Selby train crash nearly claimed 27 lives."],
    "YES?": ["The Selby train crash claimed 27 lives in the film."],
  },
  "Did the court annul the Lorne by-election?": {
    NO: ["The court dismissed the challenge to the Lorne by-election."],
    "": [
      "The court dismissed an appeal against the annulment of the Lorne by-election.",
      "The court dismissed a challenge to the timetable of the Lorne by-election.",
      "The court dismissed a challenge to the Denby by-election.",
    ],
  },
  "Will the drug Zelvora be approved by the Medicines Agency of Corvane in 2026?": {
    YES: [
      "Zelvora won approval from the Medicines Agency of Corvane on Tuesday.",
      "Zelvora received marketing authorisation from the Medicines Agency of Corvane on Tuesday.",
      "The Medicines Agency of Corvane granted approval to Zelvora on Tuesday.",
    ],
    NO: [
      "The Medicines Agency of Corvane refused approval for Zelvora.",
      "Zelvora was denied approval by the Medicines Agency of Corvane.",
    ],
  },
  "Did Fiona Marsh beat Ilse Brandt in the Norhaven Open final?": {
    YES: ["Ilse Brandt lost to Fiona Marsh in the Norhaven Open final."],
    NO: ["Fiona Marsh was beaten by Ilse Brandt in the Norhaven Open final."],
    "": [
      "Ilse Brandt lost to Fiona Marsh in the Norhaven Open semi-final.",
      "Ilse Brandt has lost to Fiona Marsh three times.",
    ],
  },
  "Did the city council of Alder ban cars from the old town?": {
    YES: ["Alder's city council has approved a ban on cars in the old town."],
    NO: ["The city council of Alder rejected a ban on cars in the old town."],
    "": [
      "The city council of Alder approved a ban on scooters in the old town.",
      "A committee of the city council of Alder approved a ban on cars in the old town.",
      "The city council of Alder rejected a ban on bicycles in the old town.",
      "The city council of Denby approved a ban on cars in the old town.",
    ],
    "YES?": ["The city council of Alder adopted a ban on diesel cars in the old town."],
  },
  "Was the ferry Skua withdrawn from service in 2026?": {
    YES: ["The ferry Skua was taken out of service on 4 May 2026."],
  },
  "Did Ruben Castell finish first in the 2026 Alma Marathon?": {
    YES: [
      "Ruben Castell finished first in the 2026 Alma Marathon.",
      "Ruben Castell came first in the 2026 Alma Marathon in 2:08:11.",
      "Ruben Castell took first place in the 2026 Alma Marathon.",
    ],
    NO: [
      "Ruben Castell finished second in the 2026 Alma Marathon.",
      "Ruben Castell came third in the 2026 Alma Marathon.",
    ],
    "": [
      "Ruben Castell came first in the 2026 Alma Half Marathon.",
      "Ruben Castell came first in the age group in the 2026 Alma Marathon.",
      "Ruben Castell finished first in the 2025 Alma Marathon.",
      "Ruben Castell finished second in the 2025 Alma Marathon.",
      "Ruben Castell took first place in the wheelchair race of the 2026 Alma Marathon.",
    ],
  },
  "Was Tomas Reyes released from prison?": {
    YES: ["Tomas Reyes walked free from prison on Friday.", "Tomas Reyes left prison on Friday."],
    "YES?": [
      "Tomas Reyes left prison for a hospital appointment on Friday.",
      "Tomas Reyes left prison reform to others.",
    ],
    "": ["Tomas Reyes's brother walked free from prison on Friday."],
  },
  "Did Pavel Orlov become president of the Ice Hockey Union?": {
    YES: ["Pavel Orlov is the new president of the Ice Hockey Union."],
    "": [
      "Pavel Orlov is the new president of the Curling Union.",
      "Pavel Orlov is the new president of the Ice Hockey Union in a video game.",
      "Pavel Orlov is the new president of the Ice Hockey Union's fan club.",
    ],
  },
  "Did the Ardenia government survive the confidence vote?": {
    YES: ["The Ardenia government won the confidence vote on Monday."],
    "": [
      "The Ardenia government won the confidence vote date it had asked for.",
      "The Belmar government won the confidence vote on Monday.",
    ],
  },
  "Did Orbix release its Halo 3 headset before 1 September 2026?": {
    "": [
      "Orbix began selling Halo 3 headset cases on 14 August 2026.",
      "A fake Halo 3 headset hit stores on 14 August 2026.",
      "Orbix began selling the Halo 3 headset to developers on 14 August 2026.",
    ],
  },
  "Will the Central Bank of Marvia raise its key interest rate in September 2026?": {
    "": [
      "The Central Bank of Marvia lifted its interest rate forecast in September 2026.",
      "Marvia's central bank kept its deposit rate at 2 percent in September 2026.",
      "A former governor lifted the key interest rate of the Central Bank of Marvia in a simulation in September 2026.",
      "Corvane's central bank lifted its key interest rate in September 2026.",
    ],
  },
  "Will the drug Zelvora be approved by the Medicines Agency of Corvane?": {
    "": [
      "Zelvora won approval from the Medicines Agency of Belmar on Tuesday.",
      "The Medicines Agency of Corvane granted approval to Zelvora's packaging.",
      "Zelvora's rival Pexa received approval from the Medicines Agency of Corvane.",
      "Shares rose as if Zelvora had won approval from the Medicines Agency of Corvane.",
      "The Medicines Agency of Corvane refused approval for Pexa.",
    ],
  },
  "Was the Harrow dam completed in 2026?": {
    "": [
      "Construction of the Harrow dam road was completed on 2 August 2026.",
      "Construction of the Harrow dam's fish ladder was completed on 2 August 2026.",
      "Construction of the first stage of the Harrow dam was completed on 2 August 2026.",
      "Work on the Harrow dam study was completed on 2 August 2026.",
    ],
  },
  "Will Bridge Street be open by 1 September 2026?": {
    "": ["A stand on Bridge Street has been open since 4 August 2026."],
  },
};

describe.each(Object.entries(QUESTIONS))("%s", (question, sides) => {
  describe.each(Object.entries(sides))("%p:", (side, sentences) => {
    test.each(sentences)("%s", async (sentence) => expect(await sideOf(question, sentence)).toBe(side));
  });
});
