import { type Document, isTag } from "domhandler";
import { type PageSource } from "../../page/page.ts";
import { type NotContent } from "../tree/extraction.ts";
import { challengeOf } from "./challenge.ts";
import { isConsentWall } from "./consent-wall.ts";
import { walkNodes } from "../tree/walk.ts";
import { MANY_WORDS, type PageFacts, pageFacts } from "./page-facts.ts";

/** An obstacle to a page's content, described in the words of the error. */
export interface Obstacle {
  readonly reason: NotContent;
  readonly detail: string;
}

/** Elements that show something without text. */
const SHOWS = new Set(
  "img picture svg canvas video audio iframe frame object embed input select textarea math".split(" "),
);

/** The whole text of a page that is still loading. */
const STILL_LOADING =
  /^(?:loading|please wait|one moment|laden|bitte warten|chargement|cargando|caricamento|загрузка|加载中|読み込み中)[\s.…]*$/iu;

/** Recognises a bot challenge, a consent wall and a page without content. Undefined if the page has content. */
export function notContent(tree: Document, html: string, source: PageSource): Obstacle | undefined {
  const facts = pageFacts(tree, html, source);
  const by = challengeOf(facts);
  if (by !== undefined) return { reason: "challenge", detail: `${by} requires proof that the visitor is a person` };
  if (isConsentWall(tree, facts)) return { reason: "consent-wall", detail: "its site shows a consent dialog instead" };
  if (isEmpty(tree, facts)) return { reason: "empty", detail: emptyDetail(facts) };
  return undefined;
}

function isEmpty(tree: Document, facts: PageFacts): boolean {
  if (facts.words > MANY_WORDS) return false;
  if (facts.words > 0) return STILL_LOADING.test(facts.text);
  let shows = false;
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      if (node.name === "template") return node.attribs["shadowrootmode"] !== undefined;
      if (node.name === "script" || node.name === "noscript") return false;
      shows = SHOWS.has(node.name);
      return shows ? "stop" : true;
    },
  });
  return !shows;
}

function emptyDetail({ source: { statusCode } }: PageFacts): string {
  const status = statusCode === undefined || statusCode < 300 ? "" : `; its server responded with ${statusCode}`;
  return `it has no content${status}`;
}
