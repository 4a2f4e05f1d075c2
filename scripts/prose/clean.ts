/** The files that the prose check covers. */

/** Generated from the docstrings of the source, which are checked with their folders. */
export const UNCHECKED_DOCUMENTS: readonly string[] = ["docs/reference/bounds.md"];

/** Folders whose TypeScript comments and error texts follow the rules. Entries are only added. */
export const CHECKED_FOLDERS: readonly string[] = ["bench", "examples", "scripts", "src", "test", "tools"];

/** Sources whose sentences are test data in natural language, or break the rules on purpose; one repeats a word as EIP-712 requires. */
export const UNCHECKED_SOURCES: readonly string[] = [
  "scripts/prose/check.test.ts",
  "src/content/extraction/reader/languages.test.ts",
  "src/content/operations/resolve.test.ts",
  "src/content/resolve/judging/judging-threads.test.ts",
  "src/content/resolve/judging/checked-analysis.test.ts",
  "src/content/resolve/reading/dates.test.ts",
  "src/content/resolve/reading/words.ts",
  "src/content/resolve/testing/made-questions/injections.ts",
  "src/content/resolve/testing/made-questions/made-questions.test.ts",
  "src/content/resolve/testing/made-questions/sentences.ts",
  "src/content/resolve/testing/made-questions/voices.ts",
  "src/content/resolve/testing/made-questions/wording.ts",
  "src/content/resolve/evidence/weigh.test.ts",
  "src/gateway/filters/visible-head.test.ts",
  "src/payments/signatures/permit2-typed-data.ts",
  "test/engines/corpus/built.ts",
];
