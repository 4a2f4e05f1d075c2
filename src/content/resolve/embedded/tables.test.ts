import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

const MEDALS = ["Rank\tNation\tGold\tSilver\tMedals", "1\tCastelmar\t21\t14\t52", "7\tArvanne\t4\t6\t15"];
const GOLD = ["Rank\tNation\tGold\tSilver\tTotal", "1\tCastelmar\t21\t14\t52", "7\tArvanne\t4\t6\t15"];
const MÉDAILLES = ["Rang\tDélégation\tOr\tArgent\tTotal", "1\tCastelmar\t21\t14\t52", "7\tArvanne\t4\t6\t15"];

/** The side on which the analyst counts a row of a page. */
const sideIn = async (question: string, rows: readonly string[]): Promise<string> =>
  await sideOf(question, `${rows.join("\n\n")}\n\n`);

test.each([
  ["Will Arvanne win at least 12 medals at the 2026 Youth Games?", MEDALS, "YES"],
  ["Will Arvanne win at least 5 gold medals at the 2026 Youth Games?", GOLD, "NO"],
  ["Will Arvanne win at least 3 gold medals at the 2026 Youth Games?", GOLD, "YES"],
  ["L'Arvanne remportera-t-elle au moins 12 médailles aux Jeux de la Jeunesse 2026 ?", MÉDAILLES, ""],
])("%s", async (question, rows, side) => {
  const about = question.startsWith("L'") ? "Jeux de la Jeunesse 2026" : "The 2026 Youth Games";
  expect(await sideIn(question, [about, ...rows])).toBe(side);
});

const VOLPE = "Did Elio Brandi win the Coppa Volpe in 2026?";
const ARVANNE = "Will Arvanne win the 2026 Youth Games?";
const TELFORD = "Was Naomi Telford elected in Drumlin by 1 July 2026?";
const OSTROW = "Did the Ostrow bridge open by 1 July 2026?";
const MARVIA = "Was unemployment in Marvia below 5 percent in May 2026?";
const HARROW = "Did the winner of the Harrow Marathon 2026 finish in under 2 hours 10 minutes?";
const ELECTED = "Candidate\tElected";
const EVENTS = "Event\tDate";
const TIMES = "Rank\tRunner\tTime";

describe.each<[question: string, about: string, rows: readonly (readonly [side: string, head: string, row: string])[]]>(
  [
    [
      VOLPE,
      "Coppa Volpe",
      [
        ["YES", "Year\tWinner", "2026\tElio Brandi"],
        ["", "Year\tWinner", "2025\tElio Brandi"],
        ["", "Year\tWinner", "2026\t–"],
        ["", "Year\tWinner", "2026\tMarco Brandi"],
      ],
    ],
    [
      ARVANNE,
      "The 2026 Youth Games",
      [
        ["YES?", "Rank\tNation", "1\tArvanne"],
        ["YES?", "Rank\tNation", "1\tArvanne (host)"],
        ["NO?", "Rank\tNation", "2\tArvanne"],
        ["NO?", "Rank\tNation", "2.\tArvanne"],
        ["", "Rank\tNation", "DNF\tArvanne"],
        ["", "Rank\tNation", "1\tArvanne Bay"],
      ],
    ],
    [
      ARVANNE,
      "Results of the 2026 Youth Games",
      [
        ["YES", "Rank\tNation", "1\tArvanne"],
        ["NO", "Rank\tNation", "2\tArvanne"],
      ],
    ],
    [
      TELFORD,
      "Election in Drumlin",
      [
        ["YES", "Candidate\tParty", "Naomi Telford (elected)\tGreen"],
        ["YES", ELECTED, "Naomi Telford\t12 May 2026"],
        ["", ELECTED, "Naomi Telford\t–"],
        ["", ELECTED, "Naomi Telford\t12 May 2026 (expected)"],
        ["", ELECTED, "Naomi Telford\t12 August 2026"],
      ],
    ],
    [
      OSTROW,
      "The Ostrow bridge",
      [
        ["YES", EVENTS, "Opening to traffic\t18 April 2026"],
        ["", EVENTS, "Opening to traffic\t18 August 2026"],
        ["", EVENTS, "Opening to traffic (planned)\t18 April 2026"],
        ["", EVENTS, "Opening to traffic\tApril 2026"],
        ["", `${EVENTS}\tBy`, "Opening to traffic\t18 April 2026\tMayor"],
      ],
    ],
    [OSTROW, "The Lindau bridge", [["", EVENTS, "Opening to traffic\t18 April 2026"]]],
    [
      MARVIA,
      "Unemployment in Marvia",
      [
        ["YES", "Month\tUnemployment (percent)", "May 2026\t4.6"],
        ["NO", "Month\tUnemployment (percent)", "May 2026\t5.4"],
        ["NO", "Month\tUnemployment (percent)", "May\t5.4"],
        ["", "Month\tUnemployment (percent)", "June\t5.4"],
      ],
    ],
    [
      HARROW,
      "Harrow Marathon 2026",
      [
        ["YES", TIMES, "1\tA. Bekele\t2:08:11"],
        ["NO", TIMES, "1\tA. Bekele\t2:12:11"],
        ["", TIMES, "2\tB. Kosgei\t2:08:11"],
      ],
    ],
  ],
)("%s on a page about %s", (question, about, rows) => {
  test.each(rows)("%p by %j, %j", async (side, head, row) => {
    expect(await sideIn(question, [about, head, row])).toBe(side);
  });
});
