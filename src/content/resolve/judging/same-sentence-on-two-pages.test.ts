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

/** Questions, and the verdict if two pages have the sentence. */
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
    YES: ["Sillo went bankrupt on 3 May 2026.", "Halden Air filed for bankruptcy on 3 May 2026."],
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
  "Hat die Regierung von Estmark sowohl das Rentengesetz als auch das Steuergesetz verabschiedet?": {
    UNCERTAIN: ["Die Regierung von Estmark hat das Rentengesetz verabschiedet."],
  },
  "Did Corland and Norland sign the Meridian treaty in 2026?": {
    LIKELY_YES: ["Corland and Norland signed the Meridian treaty on 3 May 2026."],
    UNCERTAIN: [
      "Corland signed the Meridian treaty on 3 May 2026.",
      "Corland and Westland signed the Meridian treaty on 3 May 2026.",
      "Corland and Norland signed a trade treaty on 3 May 2026.",
    ],
  },
  "Did Halden Air merge with Tern Air by 30 June 2026?": {
    YES: ["Halden Air merged with Tern Air on 12 June 2026.", "Halden Air and Tern Air merged on 12 June 2026."],
    LIKELY_YES: ["Halden Air and Tern Air completed their merger on 12 June 2026."],
    UNCERTAIN: [
      "Halden Air agreed to merge with Tern Air on 12 June 2026.",
      "Halden Air merged with Kestrel Air on 12 June 2026.",
      "Halden Air merged its cargo arm with Tern Air on 12 June 2026.",
      "Shareholders of Halden Air approved a merger with Tern Air on 12 June 2026.",
      "Halden Air's parent merged with Tern Air on 12 June 2026.",
      "Halden Air and Tern Air merged their loyalty programmes on 12 June 2026.",
    ],
  },
  "Will the volcano Skarn erupt before 1 September 2026?": {
    YES: ["The volcano Skarn erupted on 12 August 2026.", "Skarn, a volcano in the north, erupted on 12 August 2026."],
    NO: ["The volcano Skarn erupted on 12 September 2026."],
    UNCERTAIN: [
      "The volcano Hekt erupted on 12 August 2026.",
      "The volcano Skarn could erupt on 12 August 2026.",
      "A row over the volcano Skarn erupted on 12 August 2026.",
      "The volcano Skarn last erupted in 1912.",
      "Violence erupted near the volcano Skarn on 12 August 2026.",
      "The volcano Skarn did not erupt on 12 August 2026.",
      "Officials raised the alert for the volcano Skarn on 12 August 2026.",
    ],
  },
  "Did Dock City get promoted to the First League in 2026?": {
    YES: [
      "Dock City was promoted to the First League on 12 May 2026.",
      "Dock City won promotion to the First League on 12 May 2026.",
    ],
    UNCERTAIN: [
      "Dock City was promoted to the Second League on 12 May 2026.",
      "Dock City's women were promoted to the First League on 12 May 2026.",
      "Dock City can be promoted to the First League on 12 May 2026.",
      "Dock City promoted its assistant coach on 12 May 2026.",
      "Marl City was promoted to the First League on 12 May 2026.",
    ],
    LIKELY_YES: ["Dock City was relegated from the First League on 12 May 2026."],
  },
  "Did the Tarn film festival award its main prize to a documentary in 2026?": {
    LIKELY_YES: [
      "The Tarn film festival awarded its main prize to a documentary in May 2026.",
      "A documentary won the main prize of the Tarn film festival in May 2026.",
    ],
    UNCERTAIN: [
      "The Tarn film festival opened with a documentary in May 2026.",
      "The Tarn film festival awarded its audience prize to a documentary in May 2026.",
      "A documentary competed for the main prize of the Tarn film festival in May 2026.",
      "The Dorn film festival awarded its main prize to a documentary in May 2026.",
    ],
  },
  "Will Orla Kemp run for president of Corland in 2026?": {
    LIKELY_YES: [
      "Orla Kemp announced on 3 May 2026 a run for president of Corland.",
      "Orla Kemp declared a candidacy for president of Corland on 3 May 2026.",
      "Orla Kemp entered the race for president of Corland on 3 May 2026.",
    ],
    UNCERTAIN: [
      "Orla Kemp is considering running for president of Corland.",
      "Orla Kemp backed Jon Lindqvist, who is running for president of Corland.",
      "Orla Kemp ran for president of Corland in 2022.",
      "Orla Kemp was urged to run for president of Corland on 3 May 2026.",
      "Orla Kemp is running for mayor of Denby.",
      "Jon Lindqvist is running for president of Corland.",
    ],
  },
  "Did fewer than 40 percent of voters turn out in the Denby election on 3 May 2026?": {
    YES: ["Turnout in the Denby election on 3 May 2026 was 37 percent."],
    LIKELY_YES: ["Only 37 percent of voters turned out in the Denby election on 3 May 2026."],
    NO: ["Turnout in the Denby election on 3 May 2026 was 52 percent."],
    LIKELY_NO: ["52 percent of voters turned out in the Denby election on 3 May 2026."],
    UNCERTAIN: [
      "Turnout in the Denby election on 3 May 2026 was 37 percent by noon.",
      "Turnout in the Marl election on 3 May 2026 was 37 percent.",
      "The winner got 37 percent of the votes in the Denby election on 3 May 2026.",
      "Turnout in the Denby election on 3 May 2022 was 37 percent.",
      "Turnout fell by 37 percent in the Denby election on 3 May 2026.",
      "Turnout among young voters in the Denby election on 3 May 2026 was 37 percent.",
    ],
  },
  "Will Kestrel's Q3 2026 revenue exceed 4 billion dollars?": {
    LIKELY_YES: [
      "Kestrel's revenue was 4.3 billion dollars in the third quarter of 2026.",
      "Kestrel reported third-quarter revenue of 4.3 billion dollars.",
      "Kestrel's revenue was 4.3 billion dollars in the first three quarters of 2026.",
    ],
    LIKELY_NO: [
      "Kestrel's revenue was 3.7 billion dollars in the third quarter of 2026.",
      "Kestrel reported third-quarter revenue of 3.7 billion dollars.",
    ],
    UNCERTAIN: [
      "Kestrel's revenue was 4.3 billion dollars in the second quarter of 2026.",
      "Kestrel's profit was 4.3 billion dollars in the third quarter of 2026.",
      "Kestrel forecast revenue of 4.3 billion dollars for the third quarter of 2026.",
      "Heron's revenue was 4.3 billion dollars in the third quarter of 2026.",
      "Analysts expected Kestrel's revenue to be 4.3 billion dollars in the third quarter of 2026.",
      "Kestrel's revenue was 4.3 billion dollars in the third quarter of 2025.",
      "Kestrel's revenue rose by 4.3 billion dollars in the third quarter of 2026.",
      "Kestrel's cloud revenue was 4.3 billion dollars in the third quarter of 2026.",
      "Kestrel's order book was 4.3 billion dollars in the third quarter of 2026.",
    ],
  },
  "Will Halden win the 2026 Nordic Prize for Physics?": {
    YES: ["Ada Halden won the 2026 Nordic Prize for Physics.", "The 2026 Nordic Prize for Physics went to Ada Halden."],
    NO: ["The 2026 Nordic Prize for Physics went to Jon Lindqvist."],
    UNCERTAIN: [
      "Ada Halden won the 2026 Nordic Prize for Chemistry.",
      "Ada Halden won the 2025 Nordic Prize for Physics.",
      "Ada Halden is tipped to win the 2026 Nordic Prize for Physics.",
      "Ada Halden presented the 2026 Nordic Prize for Physics.",
      "Ada Halden's student won the 2026 Nordic Prize for Physics.",
    ],
  },
  "Will the ECB raise rates at its meeting on 10 September 2026?": {
    LIKELY_YES: ["The ECB raised rates by 25 basis points at its meeting on 10 September 2026."],
    NO: ["The ECB cut rates on 10 September 2026."],
    LIKELY_NO: ["The ECB did not raise rates at its meeting on 10 September 2026."],
    UNCERTAIN: [
      "The ECB raised rates on 23 July 2026.",
      "The ECB raised its inflation forecast on 10 September 2026.",
      "The ECB is expected to raise rates on 10 September 2026.",
      "The Bank of England raised rates on 10 September 2026.",
      "The ECB signalled that it would raise rates on 10 September 2026.",
      "Banks raised rates after the meeting of the ECB on 10 September 2026.",
      "The ECB raised concerns about rates on 10 September 2026.",
    ],
  },
  "Did Norda lay off at least 1,000 employees in 2026?": {
    YES: ["Norda laid off 1,400 employees in March 2026."],
    UNCERTAIN: [
      "Norda hired 1,400 employees in March 2026.",
      "Norda plans to lay off 1,400 employees.",
      "Norda laid off 1,400 employees in March 2023.",
      "Tecnova laid off 1,400 employees in March 2026.",
      "Norda's supplier laid off 1,400 employees in March 2026.",
      "Norda offered 1,400 employees a severance package in March 2026.",
      "Norda denied that it laid off 1,400 employees in March 2026.",
    ],
  },
  "Will Corland recognise Marvia as a state before 2027?": {
    YES: ["Corland recognised Marvia as a state on 3 June 2026."],
    UNCERTAIN: [
      "Corland recognised Marvia's government on 3 June 2026.",
      "Corland's parliament called for recognising Marvia as a state on 3 June 2026.",
      "Marvia recognised Corland as a state on 3 June 2026.",
      "Norland recognised Marvia as a state on 3 June 2026.",
      "Corland recognised Marvia's passports on 3 June 2026.",
      "Corland will recognise Marvia as a state in 2027.",
      "Corland recognised Westland as a state on 3 June 2026.",
      "Corland recognised that Marvia is not a state on 3 June 2026.",
    ],
  },
  "Did a strike close the port of Tarn in May 2026?": {
    YES: [
      "A strike closed the port of Tarn on 12 May 2026.",
      "The port of Tarn was closed by a strike on 12 May 2026.",
    ],
    UNCERTAIN: [
      "A storm closed the port of Tarn on 12 May 2026.",
      "A strike closed the port of Marl on 12 May 2026.",
      "The port of Tarn was closed on 12 May 2026.",
      "A strike delayed ships at the port of Tarn on 12 May 2026.",
      "Dockers at the port of Tarn went on strike on 12 May 2026.",
      "A strike closed the museum at the port of Tarn on 12 May 2026.",
      "The port of Tarn stayed open despite a strike on 12 May 2026.",
    ],
  },
  "Was Tern's satellite Lyra-2 lost in 2026?": {
    YES: ["Tern's satellite Lyra-2 was lost on 3 June 2026.", "Tern lost its satellite Lyra-2 on 3 June 2026."],
    UNCERTAIN: [
      "Tern's satellite Lyra-1 was lost on 3 June 2026.",
      "Tern lost contact with Lyra-2 for an hour on 3 June 2026.",
      "Tern lost a contract for Lyra-2 on 3 June 2026.",
      "Heron's satellite Lyra-2 was lost on 3 June 2026.",
      "Lyra-2 lost one of its antennas on 3 June 2026.",
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
