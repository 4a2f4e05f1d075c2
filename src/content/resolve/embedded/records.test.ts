import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

const WINNERS = "Winners of the Lantern Cup";
const RESULTS = "Results of the Lantern Cup 2026";
const RECORDS = "Marathon in Marl";

describe.each<[question: string, entries: readonly (readonly [side: string, ...lines: string[]])[]]>([
  [
    "Did Samuel Kessel win the Lantern Cup in 2026?",
    [
      ["YES", WINNERS, "2026: Samuel Kessel"],
      ["NO", WINNERS, "2026: Ana Vukic"],
      ["", WINNERS, "2025: Samuel Kessel"],
      ["NO?", WINNERS, "2026: Ana Vukic; 2025: Samuel Kessel."],
      ["YES", RESULTS, "1. Samuel Kessel 14"],
      ["NO", RESULTS, "2. Samuel Kessel 12"],
      ["NO", RESULTS, "12. Samuel Kessel 3"],
      ["YES", "Lantern Cup 2026. Winner: Samuel Kessel."],
      ["NO", "Lantern Cup 2026. Winner: Ana Vukic."],
      ["", "Lantern Cup 2026. Winner: to be announced."],
      ["", "Lantern Cup 2026. Winner: none."],
      ["", "Lantern Cup 2026. Winner: 14 points."],
    ],
  ],
  [
    "Did the Heron probe launch in May 2026?",
    [
      ["YES", "Heron probe: launched 6 May 2026."],
      ["YES?", "Heron probe: launched."],
      ["NO", "Heron probe: not launched."],
      ["YES?", "Heron probe. Status: launched."],
      ["NO", "Heron probe. Status: scrapped."],
      ["", "Heron probe. Status: launched or scrapped."],
      ["", "Heron probe. Status: launch planned."],
      ["YES", "Heron probe. Launched: 6 May 2026."],
      ["", "Heron probe. Launch: 6 July 2026."],
      ["", "Heron probe. Launch (planned): 6 May 2026."],
      ["", "Heron probe: launch planned for 6 May 2026."],
      ["", "Swan probe: launched 6 May 2026."],
    ],
  ],
  [
    "Did the Ostrow tunnel open by 1 July 2026?",
    [
      ["YES", "Ostrow tunnel. Opened: 12 May 2026."],
      ["YES", "Ostrow tunnel. Opening: 12 May 2026."],
      ["YES", "Ostrow tunnel: opened 12 May 2026."],
      ["YES?", "Ostrow tunnel: opened by the mayor with a parade of old buses and three bands."],
      ["NO", "Ostrow tunnel. Closed: 12 May 2026."],
      ["NO", "Ostrow tunnel. Status: closed."],
      ["", "Ostrow tunnel. Planned opening: 12 May 2026."],
      ["", "Ostrow tunnel. Opening (expected): 12 May 2026."],
      ["", "Ostrow tunnel. Opening (planned): 12 May 2026."],
    ],
  ],
  [
    "Did Sami Oduya break the national record in the marathon?",
    [
      ["YES", RECORDS, "National record: Sami Oduya, 2:03:11."],
      ["NO", RECORDS, "National record: Jon Vale, 2:03:11."],
      ["", RECORDS, "Course record: Sami Oduya, 2:03:11."],
    ],
  ],
])("%s", (question, entries) => {
  test.each(entries)("%p for %j %j", async (side, ...lines) => {
    expect(await sideOf(question, lines.join("\n\n"))).toBe(side);
  });
});
