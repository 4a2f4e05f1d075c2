import { describe, expect, test } from "bun:test";
import { voiceOf } from "../testing/verdict-of.ts";

type Case = readonly [question: string, yes: readonly string[], open: readonly string[]];

/** Questions, sentences that state the outcome in other words, and sentences that leave it open. */
const CASES: readonly Case[] = [
  [
    "Did Mayor Denis Quill of Haverford resign?",
    [
      "The City Council received the resignation of Mayor Denis Quill of Haverford with immediate effect.",
      "The council of Haverford accepted the resignation of Mayor Denis Quill.",
      "Haverford's council took note of the resignation of Mayor Denis Quill.",
    ],
    [
      "The council of Haverford demanded the resignation of Mayor Denis Quill.",
      "The council of Haverford did not take note of the resignation of Mayor Denis Quill.",
      "The council of Haverford received the resignation of Mayor Denis Quill's deputy.",
      "The council of Haverford received a letter about the resignation of Mayor Denis Quill.",
    ],
  ],
  [
    "Did Vic Palmer take over as head coach of Tarn City in 2026?",
    ["Tarn City is pleased to announce the appointment of Vic Palmer as head coach until 2028."],
    [
      "Tarn City hopes to announce the appointment of Vic Palmer as head coach.",
      "Tarn City is ready to announce the appointment of Vic Palmer as head coach.",
      "Tarn City is pleased to announce the appointment of Dag Lund as head coach until 2028.",
    ],
  ],
  [
    "Did Corvane Air complete its takeover of Sillo Airlines?",
    [
      "Corvane Air completed its acquisition of Sillo Airlines.",
      "Corvane Air has completed the purchase of Sillo Airlines.",
      "Corvane Air announced the completion of its acquisition of Sillo Airlines.",
      "Corvane Air closed its acquisition of Sillo Airlines.",
    ],
    [
      "Corvane Air completed its merger with Sillo Airlines.",
      "Corvane Air completed its acquisition of Merle Airlines.",
      "Corvane Air announced the acquisition of Sillo Airlines.",
      "Corvane Air expects the completion of its acquisition of Sillo Airlines.",
    ],
  ],
  [
    "Did the Maritime Safety Bill become law in Estmark?",
    [
      "In Estmark, President Jonas Wieland signed the Maritime Safety Bill into law.",
      "The Maritime Safety Bill was signed by Estmark's president.",
      "The Maritime Safety Bill became law in Estmark.",
    ],
    [
      "The parliament of Estmark passed the Maritime Safety Bill.",
      "The president of Estmark refused to sign the Maritime Safety Bill.",
      "In Estmark, President Jonas Wieland signed the Harbour Safety Bill into law.",
    ],
  ],
  [
    "Did Lumenta Health go public?",
    ["Lumenta Health went public.", "Lumenta Health made its stock market debut.", "Lumenta Health began trading."],
    ["Lumenta Health went to court.", "Merle Health went public.", "Lumenta Health plans to go public."],
  ],
  [
    "Did the Union lift its sanctions on Karvia?",
    ["The Union lifted its sanctions on Karvia.", "Sanctions on Karvia were lifted by the Union."],
    ["The Union imposed new sanctions on Merle.", "The Union wants to lift its sanctions on Karvia."],
  ],
  [
    "Did Prime Minister Hugo Lantz win the vote of confidence?",
    ["Prime Minister Hugo Lantz won the vote of confidence."],
    ["Prime Minister Hugo Lantz lost the vote of confidence.", "Anna Holm survived the vote of confidence."],
  ],
  [
    "Did Nimbus release the Halo 7 phone?",
    ["Nimbus launched the Halo 7 phone."],
    ["Nimbus launched the Halo 6 phone.", "Nimbus will launch the Halo 7 phone."],
  ],
  [
    "Did Judge Ellen Cray sentence Boris Tand to prison?",
    ["Judge Ellen Cray jailed Boris Tand.", "Judge Ellen Cray sentenced Boris Tand to prison."],
    ["Judge Ellen Cray heard Boris Tand.", "Judge Ellen Cray sentenced Anna Lund to prison."],
  ],
  [
    "Was the result of the mayoral election in Port Ansel annulled?",
    [
      "The mayoral election in Port Ansel was declared null.",
      "The mayoral election in Port Ansel was annulled by the court.",
      "The result of the mayoral election in Port Ansel was annulled.",
    ],
    [
      "The result of the council election in Port Ansel was annulled.",
      "The result of the mayoral election in West Ansel was annulled.",
    ],
  ],
];

describe.each(CASES)("%s", (question, yes, open) => {
  test.each(yes)("%s", async (sentence) => expect(await voiceOf(question, sentence)).toBe("YES"));
  test.each(open)("%s says nothing", async (sentence) => expect(await voiceOf(question, sentence)).not.toBe("YES"));
});
