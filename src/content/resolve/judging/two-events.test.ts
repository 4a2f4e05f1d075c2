import { describe, expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { type Verdict } from "../reading/analysis.ts";
import { judge } from "./judge.ts";

const NOW = Date.UTC(2026, 11, 1);
const PUBLISHED = Date.UTC(2026, 9, 6);
const OTHERS = [
  "Visitors came from the whole region that week, the organisers said.",
  "Rain fell until the evening, and the shops closed early.",
];

/** Questions of two events, and the verdict if two pages have the sentence. */
const QUESTIONS: Readonly<Record<string, Readonly<Partial<Record<Verdict, readonly string[]>>>>> = {
  "Did Tecnova both launch the Aster phone and cut its prices in August 2026?": {
    LIKELY_YES: [
      "Tecnova launched the Aster phone on 4 August 2026 and cut its prices on 20 August 2026.",
      "In August 2026, Tecnova launched the Aster phone and cut its prices.",
    ],
    UNCERTAIN: [
      "Tecnova launched the Aster phone on 4 August 2026.",
      "Tecnova cut its prices on 20 August 2026.",
      "Tecnova launched the Aster phone on 4 August 2026, and its rival cut its prices on 20 August 2026.",
      "Tecnova launched the Aster phone on 4 August 2026 and plans to cut its prices.",
      "Tecnova launched the Aster tablet on 4 August 2026 and cut its prices on 20 August 2026.",
      "Tecnova launched the Aster phone on 4 August 2026 and cut its workforce on 20 August 2026.",
    ],
  },
  "Did the tunnel at Marl open before the bridge at Denby?": {
    LIKELY_YES: [
      "The tunnel at Marl opened on 3 May 2026. The bridge at Denby opened on 9 July 2026.",
      "The tunnel at Marl opened on 3 May 2026. The bridge at Denby will open on 9 July 2027.",
    ],
    LIKELY_NO: [
      "The bridge at Denby opened on 3 May 2026. The tunnel at Marl opened on 9 July 2026.",
      "The tunnel at Marl opened two months after the bridge at Denby.",
    ],
    UNCERTAIN: [
      "The tunnel at Marl opened on 3 May 2026.",
      "The bridge at Denby opened on 9 July 2026.",
      "The tunnel at Marl closed on 3 May 2026. The bridge at Denby opened on 9 July 2026.",
      "The tunnel at Dorn opened on 3 May 2026. The bridge at Denby opened on 9 July 2026.",
      "The tunnel at Marl opened on 3 May 2026. The bridge at Dorn opened on 9 July 2026.",
    ],
  },
  "Did Mayor Orla Kemp resign after the audit was published?": {
    LIKELY_YES: [
      "The audit was published on 3 May 2026. Mayor Orla Kemp resigned on 9 May 2026.",
      "Mayor Orla Kemp resigned six days after the audit was published.",
    ],
    LIKELY_NO: [
      "Mayor Orla Kemp resigned on 3 May 2026. The audit was published on 9 May 2026.",
      "Mayor Orla Kemp resigned six days before the audit was published.",
    ],
    UNCERTAIN: [
      "Mayor Orla Kemp resigned on 9 May 2026.",
      "The audit was published on 3 May 2026. Mayor Orla Kemp was asked to resign on 9 May 2026.",
      "The audit was announced on 3 May 2026. Mayor Orla Kemp resigned on 9 May 2026.",
      "The audit was published on 3 May 2026. Deputy mayor Jon Kemp resigned on 9 May 2026.",
    ],
  },
  "Will both the Senate and the Assembly of Corland pass the water bill in 2026?": {
    LIKELY_YES: [
      "The Senate of Corland passed the water bill on 3 May 2026. The Assembly of Corland passed the water bill on 9 May 2026.",
    ],
    LIKELY_NO: [
      "The Senate of Corland passed the water bill on 3 May 2026. The Assembly of Corland rejected the water bill on 9 May 2026.",
    ],
    UNCERTAIN: [
      "The Senate of Corland passed the water bill on 3 May 2026.",
      "The Senate of Corland passed the water bill on 3 May 2026. The Assembly of Corland passed the budget on 9 May 2026.",
      "The Senate of Corland passed the water bill on 3 May 2026. The Assembly of Norland passed the water bill on 9 May 2026.",
    ],
  },
  "If the referendum passes, will Corland leave the Meridian alliance in 2026?": {
    UNCERTAIN: [
      "The referendum passed on 3 May 2026.",
      "The referendum failed on 3 May 2026.",
      "Corland left the Meridian alliance on 9 September 2026.",
    ],
  },
  "Did Vera Sandoval win the Tarn Open and the Marl Open in 2026?": {
    LIKELY_YES: ["Vera Sandoval won the Tarn Open on 3 May 2026 and the Marl Open on 9 July 2026."],
    YES: ["Vera Sandoval won the Tarn Open and the Marl Open in 2026."],
    LIKELY_NO: [
      "Vera Sandoval won the Tarn Open on 3 May 2026. Vera Sandoval lost the final of the Marl Open on 9 July 2026.",
    ],
    UNCERTAIN: [
      "Vera Sandoval won the Tarn Open on 3 May 2026.",
      "Vera Sandoval won the Marl Open on 9 July 2026.",
      "Vera Sandoval won the Tarn Open on 3 May 2026 and entered the Marl Open.",
      "Vera Sandoval won the Tarn Open and the Dorn Open in 2026.",
      "Vera Sandoval won the Tarn Open in 2026 and the Marl Open in 2025.",
    ],
  },
  "Will Sillo or Halden Air go bankrupt in 2026?": {
    YES: ["Sillo went bankrupt on 3 May 2026."],
    LIKELY_YES: ["Halden Air filed for bankruptcy on 3 May 2026."],
    UNCERTAIN: [
      "Sillo's supplier went bankrupt on 3 May 2026.",
      "Sillo avoided bankruptcy on 3 May 2026.",
      "Tern Air went bankrupt on 3 May 2026.",
      "Sillo said that Tern Air had gone bankrupt.",
      "A creditor asked a court to declare Halden Air bankrupt on 3 May 2026.",
    ],
  },
  "Did the council approve the stadium but reject the casino?": {
    YES: ["The council approved the stadium and rejected the casino."],
    NO: [
      "The council approved the stadium and the casino.",
      "The council rejected the stadium and approved the casino.",
    ],
    UNCERTAIN: ["The council approved the stadium.", "The council approved the stadium and postponed the casino."],
  },
  "Did Mira Halden resign before Jon Lindqvist did?": {
    LIKELY_YES: ["Mira Halden resigned on 3 May 2026, two months before Jon Lindqvist resigned."],
    YES: ["Mira Halden resigned on 3 May 2026. Jon Lindqvist resigned on 9 July 2026."],
    NO: ["Jon Lindqvist resigned on 3 May 2026. Mira Halden resigned on 9 July 2026."],
    UNCERTAIN: [
      "Mira Halden resigned on 3 May 2026.",
      "Mira Halden was appointed on 3 May 2026. Jon Lindqvist resigned on 9 July 2026.",
    ],
  },
};

describe.each(Object.entries(QUESTIONS))("%s", (question, verdicts) => {
  const cases = Object.entries(verdicts).flatMap(([verdict, all]) =>
    all.map((text): [string, string] => [verdict, text]),
  );
  test.each(cases)("%s: %s", async (verdict, text) => {
    const sources = OTHERS.map((other, index) => ({
      url: `https://site-${index}.test/`,
      title: "",
      text: `${text} ${other}`,
      published: PUBLISHED,
      language: "",
      isHint: false,
    }));
    const { judgement } = await judge({ plan: planOf(question, "", NOW), sources, analysis: undefined, now: NOW });
    expect(judgement.verdict as string).toBe(verdict);
  });
});
