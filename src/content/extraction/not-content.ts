import { type Document } from "domhandler";
import { type PageSource } from "../page/page.ts";
import { type NotContent } from "./extraction.ts";

/** What stands in the place of a page's content, in the words of the error; undefined where the page is content. */
export interface Obstacle {
  readonly reason: NotContent;
  readonly detail: string;
}

/** Looks for a bot challenge, a consent wall, and nothing at all. */
export function notContent(_tree: Document, source: PageSource): Obstacle | undefined {
  const mitigated = source.headers.some(
    ([name, value]) => name.toLowerCase() === "cf-mitigated" && value === "challenge",
  );
  if (mitigated) return { reason: "challenge", detail: "its site asks for proof that a person reads it" };
  return undefined;
}
