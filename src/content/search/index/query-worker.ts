import { messageOf } from "../../../lib/caught.ts";
import { type FoundPage, type IndexQuery, PageIndex } from "./page-index.ts";

/** The worker's own side of its message channel. Bun's types describe the main thread's side. */
declare const self: Worker;

export interface QueryMessage {
  readonly id: number;
  readonly path: string;
  readonly query: IndexQuery;
}

/** The result of the query with the same `id`: the pages, or the reason of its failure. */
export type QueryResponse = { readonly id: number } & (
  | { readonly pages: readonly FoundPage[] }
  | { readonly reason: string }
);

let index: PageIndex | undefined;

function response({ id, path, query }: QueryMessage): QueryResponse {
  try {
    index ??= PageIndex.open(path);
    return { id, pages: index.search(query) };
  } catch (error) {
    return { id, reason: messageOf(error) };
  }
}

self.addEventListener("message", (event: MessageEvent<QueryMessage>) => self.postMessage(response(event.data)));
