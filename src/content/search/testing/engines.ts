import { type ProviderName } from "../providers.ts";

/** The behaviour of a test search engine. */
export type Mode =
  | "answers"
  | "nothing"
  | "limited"
  | "challenge"
  | "garbage"
  | "huge"
  | "redirects"
  | "hangs"
  | "drops"
  | "strange";

export interface MadeEngine {
  /** The address to which a provider sends its requests. */
  readonly endpoint: string;
  mode: Mode;
  /** Requests so far, each with its parameters and fields. */
  readonly asked: { readonly parameters: URLSearchParams; readonly headers: Headers }[];
  close(): Promise<void>;
}

export type EngineKind = Exclude<ProviderName, "local">;

/** Number of results of a test engine. */
export const RESULTS = 45;

const HTML = { "content-type": "text/html; charset=utf-8" };

function address(kind: string, n: number): string {
  return `https://example-${kind}.test/page/${n}`;
}

interface Page {
  readonly query: string;
  readonly from: number;
  readonly to: number;
}

const PAGE_SIZES = { searxng: 10, brave: 20, duckduckgo: 10, mojeek: 10 } as const;

/** The first result of the requested page, in the format of each engine. */
function pageOf(kind: EngineKind, parameters: URLSearchParams): Page {
  const size = kind === "brave" ? Number(parameters.get("count")) : PAGE_SIZES[kind];
  const number = (name: string) => Number(parameters.get(name) ?? 0);
  const from = {
    searxng: (Math.max(1, number("pageno")) - 1) * size,
    brave: number("offset") * size,
    duckduckgo: number("s"),
    mojeek: Math.max(0, number("s") - 1),
  }[kind];
  return { query: parameters.get("q") ?? "", from, to: Math.min(from + size, RESULTS) };
}

function each<T>({ from, to }: Page, make: (n: number) => T): T[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => make(from + at));
}

const RESPONSES: Readonly<Record<EngineKind, (page: Page, origin: string) => Response>> = {
  searxng: (page) =>
    Response.json({
      query: page.query,
      number_of_results: 0,
      results: each(page, (n) => ({
        url: address("searxng", n),
        title: `${page.query} &amp; <b>${n}</b>`,
        content: `About ${page.query},\n number ${n}`,
        engine: "made",
      })),
      responses: [],
      unresponsive_engines: [],
    }),
  brave: (page) =>
    Response.json({
      type: "search",
      query: { original: page.query, more_results_available: page.to < RESULTS },
      web: {
        type: "search",
        results: each(page, (n) => ({
          title: `${page.query} &amp; ${n}`,
          url: address("brave", n),
          description: `About <strong>${page.query}</strong>, number ${n}`,
        })),
      },
    }),
  duckduckgo: (page) =>
    new Response(
      `<!DOCTYPE html><html><head><title>${page.query} at DuckDuckGo</title></head><body>
      <div id="links" class="results">
      <div class="result results_links results_links_deep result--ad "><h2 class="result__title"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=x">An advertisement</a></h2></div>
      ${each(
        page,
        (n) => `<div class="result results_links results_links_deep web-result ">
        <div class="links_main links_deep result__body"><h2 class="result__title">
        <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=${encodeURIComponent(address("duckduckgo", n))}&amp;rut=0a1b">${page.query} &amp; <b>${n}</b></a></h2>
        <a class="result__snippet" href="#">About <b>${page.query}</b>,\n number ${n}</a></div></div>`,
      ).join("\n")}
      ${page.from > 0 ? navigation("Previous", page.query, page.from - 10) : ""}
      ${page.to < RESULTS ? navigation("Next", page.query, page.to) : ""}
      </div></body></html>`,
      { headers: HTML },
    ),
  mojeek: (page, origin) =>
    new Response(
      `<!DOCTYPE html><html><head><title>${page.query} - Mojeek Search</title></head><body>
      <div class="results"><ul class="results-standard">
      ${each(
        page,
        (n) => `<li class="r${n}"><a title="t" class="ob" href="${address("mojeek", n)}"><p class="i">example</p></a>
        <h2><a class="title" href="${address("mojeek", n)}">${page.query} &amp; ${n}</a></h2>
        <p class="s">About <strong>${page.query}</strong>,\n number ${n}</p></li>`,
      ).join("\n")}
      </ul></div><div class="pagination"><ul>
      ${page.from > 0 ? `<li><a href="/search?q=${page.query}&amp;s=1">Previous</a></li>` : ""}
      ${page.to < RESULTS ? `<li><a href="${origin}/search?q=${page.query}&amp;s=${page.to + 1}">Next</a></li>` : ""}
      </ul></div></body></html>`,
      { headers: HTML },
    ),
};

function navigation(words: string, query: string, from: number): string {
  return `<div class="nav-link"><form action="/html/" method="post"><input type="submit" class="btn" value="${words}" />
    <input type="hidden" name="q" value="${query}"><input type="hidden" name="s" value="${from}">
    <input type="hidden" name="vqd" value="4-123"></form></div>`;
}

const NOTHING: Readonly<Record<EngineKind, () => Response>> = {
  searxng: () => Response.json({ query: "q", results: [], unresponsive_engines: [] }),
  brave: () => Response.json({ type: "search", query: { original: "q", more_results_available: false } }),
  duckduckgo: () =>
    new Response(
      `<div id="links"><div class="result results_links web-result result--no-result"><div class="no-results">No results.</div></div></div>`,
      { headers: HTML },
    ),
  mojeek: () =>
    new Response(`<div class="results"><p>No pages found matching: <strong>q</strong></p></div>`, { headers: HTML }),
};

const CHALLENGES: Readonly<Record<EngineKind, () => Response>> = {
  searxng: () => Response.json({ query: "q", results: [], unresponsive_engines: [["made", "CAPTCHA"]] }),
  brave: () => new Response("forbidden", { status: 403 }),
  duckduckgo: () =>
    new Response(
      `<form id="challenge-form"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>`,
      { headers: HTML },
    ),
  mojeek: () => new Response(`<form action="/captcha"><p>Are you a robot?</p></form>`, { headers: HTML }),
};

/** Results with texts and addresses that must not be returned unchanged. */
const STRANGE: Readonly<Record<EngineKind, () => Response>> = {
  searxng: () =>
    Response.json({
      results: [
        null,
        "text",
        { url: "javascript:alert(1)", title: "script" },
        { url: 5, title: {} },
        { url: "https://user:secret@strange.test/?utm_source=x&a=1", title: "", content: null },
        { url: `https://strange.test/${"x".repeat(5000)}`, title: "long" },
      ],
    }),
  brave: () =>
    Response.json({
      query: {},
      web: {
        results: [
          [],
          { url: "file:///etc/passwd", title: "file" },
          { url: "https://strange.test/?a=1&gclid=2", title: "\u202eevil\u0000", description: ["x"] },
        ],
      },
    }),
  duckduckgo: () =>
    new Response(
      `<div class="result web-result"><a class="result__a" href="data:text/html,x">data</a></div>
       <div class="result web-result"><a class="result__a" href="//duckduckgo.com/l/?uddg=javascript%3Aalert(1)">wrapped</a></div>
       <div class="result web-result"><a class="result__a" href="https://strange.test/?a=1">${"<i>".repeat(2000)}deep</a></div>`,
      { headers: HTML },
    ),
  mojeek: () =>
    new Response(
      `<ul class="results-standard"><li><h2><a class="title" href="ftp://strange.test/">ftp</a></h2></li>
       <li><h2><a class="title" href="https://strange.test/?a=1"></a></h2></li></ul>`,
      { headers: HTML },
    ),
};

/** A test search engine on a loopback address, which uses the protocol of the real one. */
export function startEngine(kind: EngineKind): MadeEngine {
  const asked: MadeEngine["asked"] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request, running) {
      const url = new URL(request.url);
      const parameters = request.method === "POST" ? new URLSearchParams(await request.text()) : url.searchParams;
      asked.push({ parameters, headers: request.headers });
      const { mode } = engine;
      if (mode === "nothing") return NOTHING[kind]();
      if (mode === "limited") return new Response("slow down", { status: 429 });
      if (mode === "challenge") return CHALLENGES[kind]();
      if (mode === "garbage") return new Response("\u0000<<<{]{]", { headers: { "content-type": "text/html" } });
      if (mode === "huge") return new Response(" ".repeat(1024 * 1024 + 1), { headers: HTML });
      if (mode === "redirects") return Response.redirect("http://127.0.0.2:1/latest/meta-data", 302);
      if (mode === "hangs") return await new Promise<Response>(() => undefined);
      if (mode === "strange") return STRANGE[kind]();
      if (mode === "drops") {
        await running.stop(true);
        return new Response();
      }
      return RESPONSES[kind](pageOf(kind, parameters), url.origin);
    },
  });
  const path = { searxng: "/", brave: "/res/v1/web/search", duckduckgo: "/html/", mojeek: "/search" }[kind];
  const engine: MadeEngine = {
    endpoint: `http://127.0.0.1:${server.port}${path}`,
    mode: "answers",
    asked,
    async close() {
      await server.stop(true);
    },
  };
  return engine;
}
