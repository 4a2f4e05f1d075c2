import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

/** A page of paragraphs, each of which is a row of its table. */
function pageOf(about: string, rows: readonly string[]): string {
  return `${[about, ...rows].join("\n\n")}\n\n`;
}

const RESULT = "Certified result of the election in Drumlin";
const REPORT = "Vantor annual report 2025";
const MONTHLY = "Vantor monthly figures";

describe.each<[question: string, tables: readonly (readonly [side: string, about: string, ...rows: string[]])[]]>([
  [
    "Was Naomi Telford elected in Drumlin?",
    [
      ["YES", RESULT, "Candidate\tVotes", "Naomi Telford\t5,210", "Mark Hale\t4,790"],
      ["NO", RESULT, "Candidate\tVotes", "Naomi Telford\t4,790", "Mark Hale\t5,210"],
      ["", RESULT, "Candidate\tVotes", "Naomi Telford\t5,000", "Mark Hale\t5,000"],
      ["YES", RESULT, "Candidate\tVotes", "Naomi Telford\t5,210", "Mark Hale\t4,790", "Total\t10,000"],
      ["", RESULT, "Candidate\tVotes\tSeats", "Naomi Telford\t5,210\t3", "Mark Hale\t4,790\t4"],
      ["YES?", "Votes in Drumlin", "Candidate\tShare", "Naomi Telford\t52.1", "Mark Hale\t47.9"],
      ["YES?", RESULT, "Party\tVotes", "Naomi Telford\t5,210", "Mark Hale\t4,790"],
      ["", RESULT, "Candidate\tVotes", "Naomi Telford\t5,210"],
    ],
  ],
  [
    "Did Naomi Telford win more than 50 percent of the vote in Drumlin?",
    [
      ["YES", RESULT, "Candidate\tShare of the vote", "Naomi Telford\t52.1", "Mark Hale\t47.9"],
      ["YES", RESULT, "Candidate\tVotes\tPercent", "Naomi Telford\t5,210\t52.1", "Mark Hale\t4,790\t47.9"],
      ["NO", RESULT, "Candidate\tVotes\tPercent", "Naomi Telford\t4,790\t47.9", "Mark Hale\t5,210\t52.1"],
    ],
  ],
  [
    "Did Vantor have revenue of more than 3 billion dollars in 2025?",
    [
      ["YES", REPORT, "Item ($ million)\t2024\t2025", "Revenue\t2,900\t3,100"],
      ["NO", REPORT, "Item\t2024\t2025", "Revenue (million dollars)\t2,900\t2,950"],
      ["", REPORT, "Item\t2024 (€ billion)\t2025 (€ billion)", "Revenue\t2.9\t3.1"],
      ["", `${REPORT} in million dollars`, "Item\t2024\t2025", "Revenue\t2,900\t3,100"],
    ],
  ],
  [
    "Did Vantor make more than 4,000 cars in June 2026?",
    [
      ["YES", MONTHLY, "Month\tCars", "May\t3,900", "June\t4,100"],
      ["NO", MONTHLY, "Month\tCars", "May\t4,100", "June\t3,900"],
      ["YES", MONTHLY, "Month\tCars", "June 2025\t3,900", "June 2026\t4,100"],
      ["", MONTHLY, "Month\tCars", "May\t4,900", "July\t4,100"],
    ],
  ],
  [
    "Will Arvanne win the 2026 Youth Games?",
    [
      ["YES", "Results of the 2026 Youth Games", "Rank\tNation", "1\tArvanne"],
      ["YES?", "Results of the 2026 Youth Games so far", "Rank\tNation", "1\tArvanne"],
    ],
  ],
])("%s", (question, tables) => {
  test.each(tables)("%p by %j, %j, %j", async (side, about, ...rows) => {
    expect(await sideOf(question, pageOf(about, rows))).toBe(side);
  });
});
