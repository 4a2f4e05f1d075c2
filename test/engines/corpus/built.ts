import { brotliDecompressSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { HAND_MADE } from "./hand-made.ts";
import { type EngineName } from "../../../src/content/page/page.ts";

/** A page built with a framework's own tools, and the expected content of a reading. */
export interface BuiltPage {
  readonly path: string;
  readonly engine: EngineName;
  /** Words that must be in it, and words that must not. */
  readonly must: readonly string[];
  readonly mustNot: readonly string[];
}

/** The files of the built pages by their paths; `test/engines/frameworks/build.mts` writes them. */
export function builtFiles(): ReadonlyMap<string, string> {
  const packed = readFileSync(new URL("../frameworks/built.json.br", import.meta.url));
  // A program of this project wrote the file: paths and texts.
  return new Map(Object.entries(JSON.parse(brotliDecompressSync(packed).toString()) as Record<string, string>));
}

const WORDS = ["The ferry between the mill and the harbour", "to greet the captain by her first name"];

/** The result of each scene: the engine that it needs, and its own words. */
const SCENES: Readonly<Record<string, Omit<BuiltPage, "path">>> = {
  plain: { engine: "static", must: WORDS, mustNot: [] },
  toggle: { engine: "static", must: [...WORDS, "Menu"], mustNot: ["galley"] },
  menu: { engine: "static", must: WORDS, mustNot: [] },
  theme: { engine: "static", must: WORDS, mustNot: [] },
  accordion: { engine: "static", must: [...WORDS, "How is the weather?", "Fog stands on the river"], mustNot: [] },
  login: { engine: "static", must: ["Log in to read the captain"], mustNot: ["not right"] },
  like: { engine: "static", must: [...WORDS, "12 likes"], mustNot: [] },
  price: { engine: "browser", must: [...WORDS, "3.40 crowns"], mustNot: ["today: --"] },
  rows: { engine: "browser", must: [...WORDS, "Granary pier", "08:15"], mustNot: [] },
  appended: { engine: "browser", must: [...WORDS, "The first notice", "A notice that came late"], mustNot: [] },
  nothing: { engine: "browser", must: [...WORDS, "The captain is on leave"], mustNot: [] },
  note: { engine: "browser", must: [...WORDS, "The captain is on leave"], mustNot: [] },
  data: { engine: "browser", must: [...WORDS, "The captain is on leave"], mustNot: ["Loading"] },
  late: { engine: "browser", must: WORDS, mustNot: [] },
  slow: { engine: "browser", must: [...WORDS, "The captain is on leave"], mustNot: ["Loading"] },
  store: { engine: "browser", must: [...WORDS, "Tickets: fourteen left"], mustNot: [] },
  timer: { engine: "browser", must: [...WORDS, "The bell was rung at last."], mustNot: [] },
  closed: { engine: "browser", must: WORDS, mustNot: [] },
  only: { engine: "browser", must: WORDS, mustNot: [] },
  client: { engine: "browser", must: WORDS, mustNot: [] },
  script: { engine: "browser", must: [...WORDS, "A notice that came late"], mustNot: [] },
};

/** Applications that render only in the browser, whatever they show. */
const ALONE = /-alone$|^\/(?:angular|lit|mithril|petite-vue)\/|^\/alpine\/plain$/;

/** The pages among the built files. */
export function builtPages(files: ReadonlyMap<string, string>): BuiltPage[] {
  return [...files.keys()].flatMap((path) => {
    if (/\.(?:js|css)$/.test(path)) return [];
    const scene =
      SCENES[
        path
          .split("/")
          .at(-1)
          ?.replace(/-alone$/, "") ?? ""
      ];
    if (scene === undefined) throw new Error(`Cannot tell what the page ${path} must hold`);
    return [{ path, ...scene, ...(ALONE.test(path) ? { engine: "browser" as const } : {}) }];
  });
}

const NOTE = JSON.stringify({ note: "The captain is on leave until the swallows come back." });

/** The data that the built pages request, with its delay. */
export const BUILT_DATA: ReadonlyMap<string, readonly [body: string, afterMs: number]> = new Map([
  ["/api/price", [JSON.stringify({ price: "3.40 crowns" }), 50]],
  [
    "/api/rows",
    [
      JSON.stringify([
        ["Granary pier", "08:15"],
        ["Mill pier", "08:40"],
      ]),
      200,
    ],
  ],
  ["/api/items", [JSON.stringify(["A notice that came late", "Another late notice"]), 100]],
  ["/api/note", [NOTE, 50]],
  ["/api/slow", [NOTE, 1_200]],
  ["/api/auth/session", ["{}", 10]],
  ["/tides/rows", [JSON.stringify(["High tide at six", "Low tide past noon"]), 100]],
  ["/tides/stream", [`data: ${JSON.stringify({ tide: "high", time: "18:04" })}\n\n`, 100]],
]);

export interface BuiltSite {
  readonly url: string;
  readonly pages: readonly BuiltPage[];
  close(): Promise<void>;
}

/** Serves the built pages and those made by hand on a loopback address. */
export function startBuiltSite(): BuiltSite {
  const files = new Map(builtFiles());
  const pages = builtPages(files);
  for (const { path, html, script, ...page } of HAND_MADE) {
    files.set(path, html);
    if (script !== undefined) files.set(`${path}.js`, script);
    const { engine } = page;
    if (engine !== undefined) pages.push({ path, ...page, engine });
  }
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const data = BUILT_DATA.get(pathname);
      if (data !== undefined) {
        await Bun.sleep(data[1]);
        const type = pathname.endsWith("/stream") ? "text/event-stream" : "application/json";
        return new Response(data[0], { headers: { "content-type": type } });
      }
      const file = files.get(pathname);
      if (file === undefined) return new Response("Not found", { status: 404 });
      const type = pathname.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8";
      return new Response(file, { headers: { "content-type": type } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, pages, close: () => server.stop(true) };
}
