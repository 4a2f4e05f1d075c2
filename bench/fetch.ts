/**
 * The cost of one document in the static engine: its fetch compared with other clients, and parsing it while it arrives
 * or afterwards.
 */
import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Parser } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { pageRequestOf, visiting } from "../src/content/testing/visit.ts";
import { fetchDocument } from "../src/content/static/fetch-document.ts";

const ORIGIN = fileURLToPath(new URL("./fetch/origin.ts", import.meta.url));
const SIZES = [30_000, 300_000];
const CODINGS = ["identity", "gzip", "br"];

/** Loads the page once and returns its bytes. */
type Client = (port: number) => Promise<number>;

const CLIENTS: Readonly<Record<string, Client>> = {
  turnpike: (port) =>
    visiting(pageRequestOf(`http://127.0.0.1:${port}/`), (visit) => fetchDocument(visit)).then(
      ({ body }) => body.length,
    ),
  fetch: async (port) =>
    (await (await fetch(`http://127.0.0.1:${port}/`, { keepalive: false })).arrayBuffer()).byteLength,
  "node:http": nodeHttp,
};

function nodeHttp(port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = request({ host: "127.0.0.1", port, agent: false }, (incoming) => {
    let length = 0;
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.length;
    });
    incoming.on("end", () => resolve(length));
  });
  outgoing.on("error", reject);
  outgoing.end();
  return promise;
}

/** CPU milliseconds of this process per run, with eight runs at the same time. */
async function cpuOf(run: () => unknown, runs: number): Promise<number> {
  for (let n = 0; n < runs / 10; n += 1) await run();
  const before = process.cpuUsage();
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < runs) {
      begun += 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs;
}

function parseInPieces(html: string, length: number): unknown {
  const parser = new Parser({ treeAdapter: adapter });
  for (let at = 0; at < html.length; at += length) {
    parser.tokenizer.write(html.slice(at, at + length), at + length >= html.length);
  }
  return parser.document;
}

/** `npm run bench -- fetch`; `--runs N` documents for each figure. */
export async function runFetchBench(args: readonly string[]): Promise<number> {
  const options = { runs: { type: "string", default: "1000" }, help: { type: "boolean", default: false } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) {
    console.log("usage: npm run bench -- fetch [--runs N]");
    return 0;
  }
  const runs = Number(values.runs);
  console.log("CPU ms for each document\n");
  for (const size of SIZES) {
    for (const coding of CODINGS) {
      const origin = Bun.spawn([process.execPath, ORIGIN, String(size), coding], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const { value } = await origin.stdout.getReader().read();
      const port = Number(Buffer.from(value ?? []).toString());
      const figures: string[] = [];
      for (const [name, client] of Object.entries(CLIENTS)) {
        // node:http does not decode content codings.
        if (name === "node:http" && coding !== "identity") continue;
        figures.push(`${name} ${(await cpuOf(() => client(port), runs)).toFixed(3)}`);
      }
      console.log(`fetch ${size / 1000} kB ${coding}: ${figures.join(", ")}`);
      origin.kill();
      await origin.exited;
    }
    const html = `<!doctype html><body>${"<div><p>Some <b>bold</b> words and <a href='/x'>a link</a>.</p></div>\n".repeat(size / 70)}`;
    const whole = await cpuOf(() => Parser.parse(html, { treeAdapter: adapter }), runs / 10);
    const pieces = await cpuOf(() => parseInPieces(html, 16_384), runs / 10);
    console.log(`parse ${size / 1000} kB: at its end ${whole.toFixed(2)}, as it comes ${pieces.toFixed(2)}\n`);
  }
  return 0;
}
