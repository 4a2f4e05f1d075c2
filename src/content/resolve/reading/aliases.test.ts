import { expect, test } from "bun:test";
import { aliasesIn } from "./aliases.ts";

test.each([
  ["Will the FDA approve it?", "The U.S. Food and Drug Administration (FDA) met.", "The FDA met."],
  ["Will the FDA approve it?", "The Federal Aviation Authority met.", "The Federal Aviation Authority met."],
  ["Will the ECB cut rates?", "The European Central Bank met.", "The ECB met."],
  ["Will the European Central Bank cut rates?", "The ECB met.", "The European Central Bank met."],
  ["Will the Fed cut rates?", "The Federal Reserve Board met.", "The Fed met."],
  ["Will the Fed cut rates?", "The Federal Reserve Bank of Denby met.", "The Federal Reserve Bank of Denby met."],
  ["Will the Federal Reserve cut rates?", "The Fed met.", "The Federal Reserve met."],
  [
    "Will US exports fall?",
    "Exports of the United States fell, U.S. officials said.",
    "Exports of the US fell, US officials said.",
  ],
  ["Will the United States join?", "The US joined.", "The United States joined."],
  // Two initials are those of too many names.
  ["Will the EU act?", "Eva Ulm acted.", "Eva Ulm acted."],
  ["Will Harvest Cup tickets sell?", "HC tickets sold.", "HC tickets sold."],
])("for %j, %j is read as %j", (statement, text, plain) => {
  expect(aliasesIn(statement)(text)).toBe(plain);
});
