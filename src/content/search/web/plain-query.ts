/** Operators of search engines that have a name: `site:example.com`. Their parameters are those of the search. */
const FIELDS =
  /(?<![\p{L}\p{N}_])(?:(?:all)?in(?:url|title|text|anchor|body|page)|site|domain|host|url|ip|link|links|related|cache|info|define|filetype|ext|mime|format|hasfeed|feed|contains|prefer|lang|language|loc|location|region|country|before|after|since|until|date|daterange|around|source|title|body|text|tag|bang)(?=:)/giu;
/**
 * Beginnings and ends of words that are commands: bangs (`!g`, `!!g`, `g!`), languages (`:fr`) and categories (`?news`) of
 * SearXNG, its timeouts (`<5`), and DuckDuckGo's direct jump (`\word`).
 */
const COMMANDS = /(?<![^\s"'(])(?:[!?:\\]+|<(?=\p{N}))+|!+(?![^\s"')])/gu;
/** Everything that some engine may treat as the end of a word. */
const BREAKS = /[\s\p{Cc}\p{Z}]+/gu;

/**
 * A query as plain words and phrases, so that no provider reads a command in it: a command could redirect the request,
 * change the engine or the language, or lift the filters of the search. Empty if the query is only commands.
 */
export function plainQuery(query: string): string {
  const words = query.toWellFormed().replace(BREAKS, " ");
  return words.replace(FIELDS, "$& ").replace(COMMANDS, "").replace(/ {2,}/g, " ").trim();
}
