/** The files that the prose check covers. Both lists change in one direction, so that plain English stays. */

/**
 * Documents that are still to be rewritten. Entries are only removed. The bounds are the docstrings of the source: they are checked
 * with the folders.
 */
export const UNCHECKED_DOCUMENTS: readonly string[] = ["docs/architecture.md", "docs/reference/bounds.md"];

/** Folders whose TypeScript comments and error texts follow the rules. Entries are only added. */
export const CHECKED_FOLDERS: readonly string[] = ["scripts"];

/** Its sentences break the rules on purpose. */
export const EXAMPLES_OF_BAD_ENGLISH = "scripts/prose/check.test.ts";
