import { CRAWLER_TOKEN } from "./robots.ts";

export interface Directives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

/** Reads `<meta name="robots">` and X-Robots-Tag. Directives of the field that name another crawler are ignored. */
export function robotsDirectives(meta: string, field: string | readonly string[] | undefined): Directives {
  const lines = [meta, ...(typeof field === "string" ? [field] : (field ?? []))];
  const words = new Set(lines.flatMap(wordsOf));
  const none = words.has("none");
  return { noindex: none || words.has("noindex"), nofollow: none || words.has("nofollow") };
}

function wordsOf(line: string): string[] {
  const words: string[] = [];
  let forUs = true;
  for (const part of line.toLowerCase().split(/[\s,]+/)) {
    const agent = /^([a-z_-]+):(.*)$/.exec(part);
    // `unavailable_after: date` and similar rules have a value, and name no crawler.
    const named = agent !== null && !/^(?:unavailable_after|max-[a-z-]+)$/.test(agent[1] ?? "");
    if (named) forUs = agent[1] === CRAWLER_TOKEN;
    const word = named ? (agent[2] ?? "") : part;
    if (forUs && word !== "") words.push(word);
  }
  return words;
}
