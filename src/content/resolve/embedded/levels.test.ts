import { describe, expect, test } from "bun:test";
import { planOf } from "../evidence/plan.ts";
import { isExact } from "../evidence/voices.ts";
import { createEmbeddedAnalyst } from "./analyst.ts";

const NOW = Date.UTC(2026, 11, 1);
const PUBLISHED = Date.UTC(2026, 9, 6);

/** The side that a page supports with its only sentence, with a question mark if it supports no verdict alone. */
async function sideOf(question: string, [sentence, title = "", host = "news.example"]: Page): Promise<string> {
  const source = { url: `https://${host}/`, title, text: sentence, published: PUBLISHED, language: "", isHint: false };
  const plan = planOf(question, "", NOW);
  const signal = new AbortController().signal;
  const [found] = (await createEmbeddedAnalyst().analyse(plan, [source], { now: NOW, signal })).statements;
  if (found === undefined || found.supports === "NEUTRAL") return "";
  return isExact(found) && found.strength >= 0.5 ? found.supports : `${found.supports}?`;
}

type Page = readonly [sentence: string, title?: string, host?: string];

/** Questions about a level or a number, and pages by the side that they support. */
const QUESTIONS: Readonly<Record<string, Readonly<Record<string, readonly Page[]>>>> = {
  "Will Corland's unemployment rate for August 2026 be below 5.0%?": {
    NO: [
      [
        "The unemployment rate stood at 5.3 per cent in August, up one tenth from July.",
        "Labour market, August 2026",
        "stats.corland.example",
      ],
      ["Corland's jobless rate was 5.3% in August, the statistics office said."],
    ],
    YES: [["Unemployment in Corland fell to 4.8% in August, the statistics office said."]],
    "": [
      ["Unemployment in neighbouring Marvia was 5.3% in August."],
      ["The unemployment rate stood at 5.3 per cent in July.", "Labour market, July 2026", "stats.corland.example"],
    ],
  },
  "Did the Marl Derby at Fenwick Park attract at least 40,000 people in 2025?": {
    YES: [
      ["The Marl Derby drew 43,118 spectators to Fenwick Park in 2025."],
      ["Attendance at the Marl Derby at Fenwick Park was 43,118."],
      ["A crowd of 43,118 watched the Marl Derby at Fenwick Park."],
    ],
    NO: [["The Marl Derby at Fenwick Park was watched by 31,204 spectators."]],
    "": [
      ["43,118 people applied for tickets to the Marl Derby at Fenwick Park."],
      ["Attendance at the Marl Derby and the Denby Derby at Fenwick Park was 43,118."],
    ],
  },
  "Did the Tarn Festival draw more than 50,000 visitors in 2025?": {
    YES: [
      ["Attendance at the Tarn Festival in 2025 was 61,200."],
      ["61,200 people came to the Tarn Festival in 2025, organisers said."],
    ],
    NO: [["Only 43,100 people came to the Tarn Festival in 2025."]],
    "YES?": [["61,200 people came to the Tarn Festival website in 2025."]],
    "": [
      ["Attendance at the Tarn Festival fringe in 2025 was 61,200."],
      ["61,200 people came to the Tarn Festival in 2024."],
    ],
  },
  "Did the Arsenal Museum welcome more than 500,000 visitors in 2025?": {
    YES: [["The museum counted 537,000 visitors in 2025, against 468,000 in 2024.", "", "arsenalmuseum.example"]],
    NO: [["Attendance at the Arsenal Museum fell to 468,000 in 2025."]],
  },
  "Le musée de l'Arsenal a-t-il accueilli plus de 500 000 visiteurs en 2025 ?": {
    YES: [["Le musée de l'Arsenal a reçu 537 000 visiteurs en 2025."]],
    "": [["L'exposition du musée de l'Arsenal a perdu 537 000 visiteurs en 2025."]],
  },
  "L'inflazione nella Marca Occidentale ad agosto 2026 ha superato il 3 per cento?": {
    YES: [["L'inflazione nella Marca Occidentale è salita al 3,4 per cento ad agosto."]],
    NO: [["Ad agosto 2026 l'inflazione nella Marca Occidentale è stata del 2,4 per cento."]],
    "": [["L'inflazione nella Marca Orientale è salita al 3,4 per cento ad agosto."]],
  },
  "¿Bajó la tasa de paro de Olmeda del 8 % en el primer trimestre de 2026?": {
    NO: [
      [
        "La tasa de paro se situó en el 9,4 %, tres décimas más que en el trimestre anterior.",
        "Encuesta de población activa, primer trimestre de 2026",
        "estadistica.olmeda.example",
      ],
    ],
    YES: [["La tasa de paro de Olmeda bajó al 7,6 % en el primer trimestre de 2026."]],
    "": [["La tasa de paro de Olmeda bajó al 7,6 % en el segundo trimestre de 2026."]],
  },
  "Lag die Arbeitslosenquote in Norland im Mai 2026 unter 6 Prozent?": {
    YES: [["Im Mai 2026 lag die Arbeitslosenquote in Norland bei 5,7 Prozent."]],
    NO: [["Die Arbeitslosenquote lag bei 6,3 Prozent.", "Arbeitsmarkt im Mai 2026", "statistik.norland.example"]],
    "": [["Die Arbeitslosenquote in Südmark sank im Mai auf 5,7 Prozent."]],
  },
  "Did more than 60 percent of voters approve the Trellick Water Act in the vote on 4 October 2026?": {
    YES: [["The Trellick Water Act was approved by 66.3 percent of voters on 4 October 2026."]],
    NO: [["Some 52.1 percent of voters approved the Trellick Water Act on Sunday."]],
    "": [["Turnout in the vote on the Trellick Water Act was 66.3 percent."]],
  },
  "Did the Dunmere mayoral election of 3 May 2026 have a turnout of at least 50 percent?": {
    YES: [["Turnout in the Dunmere mayoral election was 55.3 percent."]],
    NO: [["Turnout in Dunmere's mayoral election reached just 43 percent."]],
    "": [["Sorcha Menzies won 55.3 percent of the vote in the Dunmere mayoral election."]],
  },
  "Will Jonah Tisdale score 30 or more league goals for Lowmere City in the 2025/26 season?": {
    YES: [["Jonah Tisdale finished the season with 31 league goals for Lowmere City."]],
    "": [["Jonah Tisdale finished the season with 31 yellow cards for Lowmere City."]],
  },
  "Did the price of Corland wheat close above 300 crowns a tonne on 3 March 2026?": {
    YES: [["The price of Corland wheat ended the day at 312 crowns a tonne on 3 March 2026."]],
    NO: [["Corland wheat settled at 288 crowns a tonne on 3 March 2026."]],
    "": [["Corland wheat traded at 312 crowns a tonne in the morning of 3 March 2026."]],
  },
  "Will the River Rhode rise above 7 metres at the Castleton gauge between 20 and 26 January 2026?": {
    YES: [["The River Rhode reached 7.31 metres at the Castleton gauge on 24 January 2026."]],
    NO: [["The Rhode peaked at 6.42 metres at the Castleton gauge on 24 January 2026."]],
  },
};

for (const [question, sides] of Object.entries(QUESTIONS)) {
  describe(question, () => {
    const cases = Object.entries(sides).flatMap(([side, pages]) => pages.map((page) => ({ side, page })));
    test.each(cases)("$side: $page", async ({ side, page }) => {
      expect(await sideOf(question, page)).toBe(side);
    });
  });
}
