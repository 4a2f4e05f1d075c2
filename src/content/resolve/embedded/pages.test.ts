import { expect, test } from "bun:test";
import { type Page, sideOfPage } from "../testing/verdict-of.ts";

const RATES = "Will the Central Bank of Ostmark cut its policy rate at its October 2026 meeting?";
const LEAGUE = "Will the Calder Kites win the 2026 National Netball League?";
const FIRE = "Did the Ridge Fire burn more than 20,000 hectares?";
const MAYOR = "Will Anders Pruitt be elected mayor of Veldt in 2026?";
const CHIEF = "Will Rolf Ekdahl resign by 30 November 2026?";

/** The same sentence on pages of other sites and days, and by other speakers. */
test.each<[side: string, question: string, page: Partial<Page>]>([
  [
    "YES",
    RATES,
    { sentence: "The Executive Board decided to lower the policy rate.", site: "Central Bank of Ostmark" },
  ],
  ["", RATES, { sentence: "The Executive Board decided to lower the policy rate.", site: "Central Bank of Tarsia" }],
  [
    "",
    RATES,
    { sentence: "Ostmark Steel's executive board decided to lower its prices.", site: "Central Bank of Ostmark" },
  ],
  ["YES", LEAGUE, { sentence: "The Calder Kites are the champions of the National Netball League." }],
  [
    "",
    LEAGUE,
    {
      sentence: "The Calder Kites are the champions of the National Netball League.",
      published: Date.UTC(2025, 6, 13),
    },
  ],
  ["NO", FIRE, { sentence: "The Ridge Fire burned nineteen thousand hectares." }],
  ["", FIRE, { sentence: "Some say the Ridge Fire burned nineteen thousand hectares." }],
  ["NO", MAYOR, { sentence: "Corinne Bellamy was elected mayor of Veldt." }],
  ["NO?", MAYOR, { sentence: "Corinne Bellamy was elected mayor.", site: "Veldt Courier" }],
  ["", MAYOR, { sentence: "Durne elected Corinne Bellamy mayor.", site: "Veldt Courier" }],
  ["", MAYOR, { sentence: "Corinne Bellamy was elected mayor in Durne.", site: "Veldt Courier" }],
  [
    "",
    RATES,
    {
      sentence: "The Executive Board decided to lower the policy rate.",
      title: "Bank of Tarsia",
      site: "Ostmark Financial",
    },
  ],
  ["YES", CHIEF, { sentence: "Rolf Ekdahl resigned on Monday." }],
  ["", CHIEF, { sentence: "Rolf Ekdahl resigned on Monday. All our articles are invented." }],
])("%j: %s %j", async (side, question, page) => {
  const whole = { sentence: "", title: "", host: "news.example", published: Date.UTC(2026, 9, 6), ...page };
  expect(await sideOfPage(question, whole, Date.UTC(2026, 11, 1))).toBe(side);
});
