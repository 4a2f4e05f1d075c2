import { createRequire } from "node:module";
import { prepare } from "../prune.ts";
import { parseTree } from "../tree.ts";
import { type Article, orNothing, type TreeWeight } from "./article-extractor.ts";
import { type LinkedomDocument, linkedomDocument } from "./linkedom-document.ts";
import { isHeavier } from "./readability.ts";

/** It is ten times as dear as Readability: a page above one of these takes a second and more. */
const DEFUDDLE_MAX: TreeWeight = { elements: 4_000, characters: 500_000, nesting: 300_000 };

interface DefuddleResult {
  readonly content: string;
  readonly author: string;
}

type DefuddleClass = new (
  document: LinkedomDocument,
  options: { readonly url: string; readonly useAsync: false; fetch(): Promise<never> },
) => { parse(): DefuddleResult };

// The package's own types bring the browser's global ones into the whole project.
const Defuddle = createRequire(import.meta.url)("defuddle") as DefuddleClass;

/** What the library would take in place of the global one; only its asynchronous part, which is never called, has it. */
const refuseFetch = (): Promise<never> => Promise.reject(new Error("Cannot fetch: extraction has no network"));

/** defuddle's choice, without what it would fetch from third parties: only its synchronous part runs. */
export const defuddle = orNothing((page): Article | undefined => {
  if (isHeavier(page.weight, DEFUDDLE_MAX)) return undefined;
  const document = linkedomDocument(page.tree, page.url);
  const result = quietly(() => new Defuddle(document, { url: page.url, useAsync: false, fetch: refuseFetch }).parse());
  if (result === undefined || result.content === "") return undefined;
  const tree = parseTree(result.content);
  prepare(tree, page.url);
  return { tree, byline: result.author === "" ? undefined : result.author };
});

/** The library writes what fails, with parts of the page, to standard error, and answers with the whole body then. */
function quietly<T>(run: () => T): T | undefined {
  const { error } = console;
  let failed = false;
  console.error = () => {
    failed = true;
  };
  try {
    const result = run();
    return failed ? undefined : result;
  } finally {
    console.error = error;
  }
}
