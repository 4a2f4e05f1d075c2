import { isObject } from "../../lib/is-object.ts";
import { type CallRequest } from "./call-arguments.ts";
import { pageText } from "./jobs/page-text.ts";

/** A response in readable form: the text for standard output, and the notes for standard error. */
export interface Rendered {
  readonly text: string;
  readonly notes: readonly string[];
}

/** The readable part of a response. With `json`, or if the response has no such part, all of it as JSON. */
export function render({ name, json }: Pick<CallRequest, "name" | "json">, response: unknown): Rendered {
  const readable = !json && isObject(response) ? RENDERERS[name]?.(response) : undefined;
  return readable ?? { text: JSON.stringify(response, undefined, 2), notes: [] };
}

/** True for a batch response in which every page failed to load. Its status code is still 2xx. */
export function isFailedBatch({ name }: Pick<CallRequest, "name">, response: unknown): boolean {
  if (name !== "batch" || !isObject(response)) return false;
  const { results } = response;
  return isList(results) && results.length > 0 && results.every(({ error }) => error !== undefined);
}

type Fields = Readonly<Record<string, unknown>>;

const RENDERERS: Readonly<Record<string, (response: Fields) => Rendered | undefined>> = {
  scrape: (response) => plain(pageText(response)),
  parse: (response) => plain(pageText(response)),
  read: ({ title, content }) =>
    plain(
      typeof title === "string" && title !== "" && typeof content === "string" ? `# ${title}\n\n${content}` : content,
    ),
  extract: ({ data }) => (isObject(data) ? plain(JSON.stringify(data, undefined, 2)) : undefined),
  map: ({ links }) => (isList(links) ? plain(links.map(({ url }) => fieldText(url)).join("\n")) : undefined),
  search: ({ results }) => found(results),
  search_content: ({ results }) => found(results),
  batch: ({ results }) => (isList(results) ? pages(results) : undefined),
  resolve: (response) => judgement(response),
};

function plain(text: unknown): Rendered | undefined {
  return typeof text === "string" ? { text, notes: [] } : undefined;
}

function found(results: unknown): Rendered | undefined {
  return isList(results) ? plain(results.map(result).join("\n\n") || "Nothing found") : undefined;
}

function result({ title, url, snippet, content, error }: Fields, at: number): string {
  const failure = typeof error === "string" ? `failed: ${error}` : "";
  const lines = [url, snippet, failure].map(fieldText).flatMap((line) => (line === "" ? [] : [`   ${line}`]));
  const text = fieldText(content);
  return [`${at + 1}. ${fieldText(title)}`, ...lines, ...(text === "" ? [] : ["", text])].join("\n");
}

/** The verdict first, then the reasons, then the evidence, numbered as in the reasons. */
function judgement({ verdict, probability, confidence, reasoning, evidence }: Fields): Rendered | undefined {
  if (typeof verdict !== "string" || typeof probability !== "number" || !isList(evidence)) return undefined;
  const head = `${verdict}: probability ${probability}, confidence ${fieldText(confidence)}`;
  const statements = evidence.map(({ claim, source, supports, url }, at) =>
    [`${at + 1}. ${fieldText(supports)}: ${fieldText(claim)}`, `   ${fieldText(source)}`, `   ${fieldText(url)}`].join(
      "\n",
    ),
  );
  return { text: [head, fieldText(reasoning), ...statements].join("\n\n"), notes: [] };
}

/** Each page below its URL, in the format of `head` and `tail` for several files. Errors go to the notes. */
function pages(results: readonly Fields[]): Rendered {
  const failed = results.filter(({ error }) => error !== undefined);
  const texts = results
    .filter(({ error }) => error === undefined)
    .map((page) => `==> ${fieldText(page.url)} <==\n${fieldText(pageText(page))}\n`);
  const notes = failed.map(({ url, error }) => `failed ${fieldText(url)}: ${fieldText(error)}`);
  return { text: texts.join("\n"), notes: [...notes, `${texts.length} of ${results.length} pages`] };
}

function fieldText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isList(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isObject);
}
