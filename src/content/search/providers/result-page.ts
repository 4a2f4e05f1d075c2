import { type FieldValue, type TableShape } from "../../extraction/tree/extraction.ts";
import { type Extractor } from "../../extractor/extractor.ts";
import { ProviderError } from "../web/provider.ts";
import { type RawResult } from "../web/result.ts";
import { type WebResponse } from "../../sites/web-get.ts";

/** The layout of a provider's result page. Each selector finds the element that its name describes. */
export interface ResultPageShape {
  /** Columns `title`, `url` and `snippet`. */
  readonly results: TableShape;
  /** Matches if the provider shows a CAPTCHA. */
  readonly challenge: string;
  /** Matches if the search found nothing. */
  readonly nothing: string;
  /** The control for the next page: columns `name` and `value` of a form's fields, or of a link. */
  readonly next: TableShape;
}

/** The results of one page. `next` has the control for the next page and is empty on the last page. */
export interface ResultPage {
  readonly results: readonly RawResult[];
  readonly next: readonly { readonly name: string; readonly value: string }[];
}

/** Reads a provider's HTML in a worker. Fails with a ProviderError if it is not a page of results. */
export async function readResultPage(
  extractor: Extractor,
  response: WebResponse,
  shape: ResultPageShape,
): Promise<ResultPage> {
  const { results, next, challenge, nothing } = shape;
  const signs = { challenge: { row: challenge, columns: { is: "" } }, nothing: { row: nothing, columns: { is: "" } } };
  const fields = await fieldsOf(extractor, response, { results, next, ...signs });
  const titles = column(fields, "results.title");
  // A challenge may be shown over blurred results.
  if (column(fields, "challenge.is").length > 0) throw new ProviderError("challenge", "it shows a CAPTCHA");
  if (titles.length === 0 && column(fields, "nothing.is").length === 0) {
    throw new ProviderError("unreadable", "its response is not a page of results");
  }
  const urls = column(fields, "results.url");
  const snippets = column(fields, "results.snippet");
  const names = column(fields, "next.name");
  const values = column(fields, "next.value");
  return {
    results: titles.map((title, at) => ({ title, url: urls[at], snippet: snippets[at] })),
    next: names.map((name, at) => ({ name, value: values[at] ?? "" })),
  };
}

type Fields = Readonly<Record<string, FieldValue>>;

async function fieldsOf(
  extractor: Extractor,
  response: WebResponse,
  tables: Readonly<Record<string, TableShape>>,
): Promise<Fields> {
  const source = {
    engine: "static",
    body: response.body,
    contentType: response.headers.get("content-type") ?? "text/html",
    finalUrl: response.url,
    statusCode: response.status,
    headers: [],
    complete: true,
  } as const;
  const job = { source, task: { kind: "tables", tables }, mayNeedBrowser: false } as const;
  const outcome = await extractor.extract(job).catch(() => undefined);
  if (outcome?.outcome !== "content" || outcome.extraction.fields === undefined) {
    throw new ProviderError("unreadable", "its response cannot be read");
  }
  return outcome.extraction.fields;
}

function column(fields: Fields, name: string): readonly string[] {
  const values = fields[name];
  return Array.isArray(values) ? values : [];
}
