import { expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

const TITLE = "Did Velmoor Athletic win the 2026 Meridian League title?";
const MAYOR = "Was Odalys Prewitt elected mayor of Tarnbrook?";
const CUP = "Did Ashcombe win the Copper Cup?";

test.each([
  [TITLE, "Velmoor Athletic are champions of the Meridian League.", "YES"],
  [TITLE, "Ashcombe Rovers are champions of the Meridian League.", "NO"],
  [TITLE, "Velmoor Athletic are not champions of the Meridian League.", "NO"],
  [TITLE, "Velmoor Athletic will be champions of the Meridian League.", "UNCERTAIN"],
  [TITLE, "Ashcombe Rovers are champions of the Meridian League women's section.", "UNCERTAIN"],
  [TITLE, "Dele Marchbanks won the Meridian League golden boot.", "UNCERTAIN"],
  [CUP, "Ashcombe is the winner of the Copper Cup.", "YES"],
  [CUP, "Ashcombe could be the winner of the Copper Cup.", "UNCERTAIN"],
  [CUP, "Ashcombe is not the winner of the Copper Cup.", "NO"],
  [CUP, "Ashcombe have carried off the Copper Cup.", "YES"],
  [MAYOR, "Odalys Prewitt was accordingly declared duly elected mayor of Tarnbrook.", "YES"],
  [MAYOR, "Odalys Prewitt was not declared elected mayor of Tarnbrook.", "NO"],
] as const)("winners: %s %s", async (question, text, verdict) => {
  const read = await verdictOf(question, [text, `On Sunday it was clear: ${text}`]);
  expect(read.replace("LIKELY_", "")).toBe(verdict);
});
