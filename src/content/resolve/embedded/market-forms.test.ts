import { expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

const CPI = "Tarsenia CPI: will annual inflation for April 2026 come in below 3.0%?";
const CUP = "Who will win the 2026 Halden Cup? – Westmere Athletic";
const TOUR = "Team Dorval: will they win the 2026 Tour of Aldermark?";
const TURNOUT = "Will turnout in Corvane's presidential election exceed 70%?";
const BOUGHT = "Will Corrigan Holdings be acquired by Astrid Capital?";
const MINE = "Will copper production at Kessler Ridge restart by the end of February 2026?";

test.each([
  [CPI, "Annual inflation in Tarsenia was 2.8% in April 2026.", "YES"],
  [CPI, "Annual inflation in Tarsenia was 3.8% in April 2026.", "NO"],
  [CUP, "Westmere Athletic won the Halden Cup on Saturday.", "YES"],
  [CUP, "Dock City won the Halden Cup on Saturday.", "NO"],
  [TOUR, "Team Dorval won the Tour of Aldermark on Sunday.", "YES"],
  [TOUR, "Matteo Sarti won the Tour of Aldermark on Sunday.", "NO"],
  [TURNOUT, "Turnout in Corvane's presidential election was 66.2%, the final result shows.", "NO"],
  [TURNOUT, "Turnout in Corvane's presidential election was 46% at noon.", ""],
  [BOUGHT, "Astrid Capital acquired all of the shares in Corrigan Holdings on Monday.", "YES"],
  [BOUGHT, "Astrid Capital has acquired a third of the shares of Corrigan Holdings.", ""],
  [MINE, "Copper production at Kessler Ridge resumed on 14 February 2026.", "YES"],
  [MINE, "Copper production at Kessler Ridge did not resume in February 2026.", "NO"],
] as const)("%s %s", async (question, sentence, side) => {
  expect(await sideOf(question, sentence)).toBe(side);
});
