/** `cors` in Chromium: a page sends requests to a gateway of another origin. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { browserPrograms } from "../../src/content/browser/program/find.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawOrigin, summary } from "../support/raw-origin.ts";
import { type ProtocolGateway, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

/** A request of the page, and what its script saw of the response. */
interface Case {
  readonly about: string;
  readonly path: string;
  readonly init?: Readonly<Record<string, unknown>>;
  /** Status, body and `X-Total` or "hidden"; or that the browser blocked the response. */
  readonly seen: string;
}

const WITH_CREDENTIALS = { credentials: "include" };
const CASES: readonly Case[] = [
  { about: "a simple request", path: "/app/a", seen: "200 GET /app/a 7" },
  { about: "one with credentials", path: "/app/b", init: WITH_CREDENTIALS, seen: "200 GET /app/b 7" },
  {
    about: "one that takes a preflight",
    path: "/app/c",
    init: { method: "PUT", headers: { "X-Own": "1", Authorization: "Bearer a" }, ...WITH_CREDENTIALS },
    seen: "200 PUT /app/c 7",
  },
  { about: "a method that is not allowed", path: "/app/d", init: { method: "PURGE" }, seen: "kept back" },
  { about: "an error of the gateway's own", path: "/guarded/a", init: { headers: { "X-API-Key": "no" } }, seen: "401" },
  { about: "another origin's route", path: "/others/a", seen: "kept back" },
  { about: "a preflight of that", path: "/others/b", init: { method: "PUT" }, seen: "kept back" },
  { about: "a route for all", path: "/all/a", seen: "200 GET /all/a hidden" },
  { about: "a route for all, with credentials", path: "/all/b", init: WITH_CREDENTIALS, seen: "kept back" },
  {
    about: "a route for all, with a header that a star leaves out",
    path: "/all/c",
    init: { method: "DELETE", headers: { Authorization: "Bearer a" } },
    seen: "200 DELETE /all/c hidden",
  },
  { about: "what no route takes", path: "/absent", seen: "404" },
];

let origin: RawOrigin;
let gateway: ProtocolGateway;
let folder: Folder;
let page: Bun.Server<undefined>;
const results = Promise.withResolvers<string[]>();

beforeAll(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
  page = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      // The results that the page's script sends.
      if (request.method === "POST") results.resolve((await request.json()) as string[]);
      return new Response(pageOf(), { headers: { "content-type": "text/html" } });
    },
  });
  const own = page.url.origin;
  const route = { upstream: "origin" };
  gateway = await startProtocols({
    cors: { allow_origins: [own], allow_credentials: true, expose_headers: ["X-Total"] },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [
      { ...route, path_prefix: "/app/" },
      { ...route, path_prefix: "/guarded/", auth: { type: "api_key", keys: [{ key: "k", name: "n" }] } },
      { ...route, path_prefix: "/others/", cors: { allow_origins: ["https://app.example.com"] } },
      {
        ...route,
        path_prefix: "/all/",
        cors: { allow_origins: ["*"], allow_credentials: false, expose_headers: [] },
      },
    ],
  });
  origin.response = (request, connection) => {
    const body = summary(request);
    connection.send(
      // The upstream sends its own field too, which alone would make the browser block every response.
      `HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: https://evil.test\r\nX-Total: 7\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  };
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  await page.stop(true);
  folder.remove();
});

function pageOf(): string {
  const asked = CASES.map(({ path, init = {} }) => [`http://127.0.0.1:${gateway.plainPort}${path}`, init]);
  return `<!doctype html><title>cors</title><script>
    (async () => {
      const seen = [];
      for (const [url, init] of ${JSON.stringify(asked)}) {
        try {
          const answer = await fetch(url, init);
          const text = await answer.text();
          seen.push(answer.ok ? [answer.status, text, answer.headers.get("x-total") ?? "hidden"].join(" ") : String(answer.status));
        } catch {
          seen.push("kept back");
        }
      }
      await fetch("/", { method: "POST", body: JSON.stringify(seen) });
    })();
  </script>`;
}

test("Chromium lets a page's script do and read only what is allowed", async () => {
  const [program] = await Array.fromAsync(browserPrograms(undefined, join(withBrowser(folder.path), "browser")));
  if (program === undefined) throw new Error("Cannot test with Chromium: it is not installed");
  const flags = ["--headless=new", "--no-first-run", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  const child = spawn(program.path, [...flags, `--user-data-dir=${folder.file("profile")}`, page.url.href], {
    env: { PATH: "/usr/bin:/bin", HOME: folder.path, ...program.environment },
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const gone = ended.then(() => Promise.reject(new Error("Cannot test with Chromium: it ended")));
    const seen = await Promise.race([results.promise, gone]);
    expect(CASES.map(({ about }, i) => [about, seen[i]])).toEqual(CASES.map(({ about, seen: due }) => [about, due]));
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
  // Requests whose preflight is refused never reached the upstream.
  expect(origin.summaries).not.toContain("PURGE /app/d");
  expect(origin.summaries.filter((line) => line.startsWith("OPTIONS"))).toEqual([]);
});
