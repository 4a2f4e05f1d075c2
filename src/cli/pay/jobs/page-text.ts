/** The text of a delivered page. With `formats`, `content` is empty: the text is then the JSON of all `results`. */
export function pageText<Content>({
  content,
  results,
}: {
  readonly content?: Content;
  readonly results?: unknown;
}): Content | string | undefined {
  return typeof results === "object" ? JSON.stringify(results, undefined, 2) : content;
}
