import { DATA, SCRIPTS } from "./assets.ts";
import { BEHAVIOUR } from "./behaviour.ts";
import { DOCS_AND_SHOPS } from "./docs-and-shops.ts";
import { DOCUMENTS } from "./documents.ts";
import { FRAMEWORKS } from "./frameworks.ts";
import { type CorpusPage } from "./page.ts";
import { NEWS_AND_BLOGS } from "./news-and-blogs.ts";
import { SHELLS } from "./shells.ts";

/** Pages of many kinds, each with the engine that it needs. */
export const CORPUS: readonly CorpusPage[] = [
  ...NEWS_AND_BLOGS,
  ...DOCS_AND_SHOPS,
  ...FRAMEWORKS,
  ...SHELLS,
  ...BEHAVIOUR,
  ...DOCUMENTS,
];

export interface CorpusSite {
  readonly url: string;
  close(): Promise<void>;
}

/** A placeholder for all pictures of the corpus. */
const PIXEL = Uint8Array.fromBase64("R0lGODlhAQABAAAAACw=");

/** Serves the corpus on a loopback address. */
export function startCorpus(): CorpusSite {
  const pages = new Map(CORPUS.map((page) => [page.path, page]));
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      const page = pages.get(pathname);
      if (page !== undefined) return page.respond(request);
      const script = SCRIPTS.get(pathname);
      if (script !== undefined) return new Response(script, { headers: { "content-type": "text/javascript" } });
      const data = DATA.get(pathname);
      if (data !== undefined) return new Response(data[1], { headers: { "content-type": data[0] } });
      if (/\.(?:jpg|png|gif)$/.test(pathname)) return new Response(PIXEL, { headers: { "content-type": "image/gif" } });
      return new Response("Not found", { status: 404 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) };
}
