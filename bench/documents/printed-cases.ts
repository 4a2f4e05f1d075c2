/** Documents of the bench that the browser prints from HTML, with and without the tags of their structure. */
import { startTestService } from "../../src/content/testing/service.ts";
import { pick, type Random, randomFrom, sentences, type Table, TABLES, textsOf, words } from "./model.ts";
import { type Case, type Kind } from "./written-cases.ts";

const STYLES: Readonly<Record<string, { readonly kind: Kind; readonly css: string }>> = {
  grid: { kind: "ruled", css: "td, th { border: 1px solid #333 }" },
  double: {
    kind: "ruled",
    css: "table { border-collapse: separate; border-spacing: 2px } td, th { border: 1px solid #555 }",
  },
  rows: { kind: "partly", css: "tr { border-bottom: 1px solid #bbb }" },
  zebra: { kind: "partly", css: "tr:nth-child(even) td { background: #eee }" },
  book: {
    kind: "partly",
    css: "table { border-bottom: 2px solid; border-top: 2px solid } thead { border-bottom: 1px solid }",
  },
  plain: { kind: "unruled", css: "" },
  wide: { kind: "unruled", css: "table { width: 100% }" },
};

function htmlOf({ rows, heads }: Table): string {
  const written = rows.map((cells, at) => {
    const name = at < heads ? "th" : "td";
    const html = cells.map(({ text, across, down, align, isBold }) => {
      const style = `text-align: ${align}; font-weight: ${isBold ? "bold" : "normal"}`;
      return `<${name} colspan=${across} rowspan=${down} style="${style}">${text}</${name}>`;
    });
    return `<tr>${html.join("")}</tr>`;
  });
  return `<table><thead>${written.slice(0, heads).join("")}</thead><tbody>${written.slice(heads).join("")}</tbody></table>`;
}

interface Page {
  readonly name: string;
  readonly kind: Kind;
  readonly html: string;
  readonly tables: string[][][];
}

function pageOf(
  name: string,
  { kind, css }: { kind: Kind; css: string },
  body: string,
  tables: readonly Table[],
): Page {
  const style = `body { font: 13px/1.35 sans-serif } table { border-collapse: collapse; margin: 12px 0 } td, th { padding: 3px 8px; vertical-align: top } ${css}`;
  const html = `<!doctype html><title>${name}</title><style>${style}</style>${body}`;
  return { name, kind, html, tables: tables.map(textsOf) };
}

const TEXTS: Readonly<Record<string, (random: Random) => string>> = {
  columns: (random) =>
    `<div style="columns: 2">${[1, 2, 3, 4, 5, 6, 7, 8].map(() => `<p>${sentences(random, 4)}</p>`).join("")}</div>`,
  cards: (random) =>
    `<div style="display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 20px">${[1, 2, 3, 4, 5, 6].map(() => `<div style="border: 1px solid #aaa; padding: 10px"><b>${words(random, 1, 2)}</b><p>${sentences(random, 2)}</p></div>`).join("")}</div>`,
  definitions: (random) =>
    `<dl style="display: grid; grid-template-columns: 120px 1fr">${[1, 2, 3, 4, 5, 6].map(() => `<dt>${words(random, 1, 2)}</dt><dd>${sentences(random, 2)}</dd>`).join("")}</dl>`,
  menu: (random) =>
    `<div style="display: flex; gap: 30px">${[1, 2, 3, 4].map(() => `<ul>${[1, 2, 3, 4, 5].map(() => `<li>${words(random, 1, 3)}</li>`).join("")}</ul>`).join("")}</div><p>${sentences(random, 6)}</p>`,
};

function pages(): Page[] {
  const found: Page[] = [];
  const styles = Object.entries(STYLES);
  for (const [at, [name, make]] of Object.entries(TABLES).entries()) {
    for (const step of [0, 3]) {
      const random = randomFrom(2000 + at * 17 + step);
      const [style, look] = pick(() => ((at + step) % styles.length) / styles.length, styles);
      const table = make(random, 5 + Math.floor(random() * 10));
      const body = `<h1>${words(random, 2, 4)}</h1><p>${sentences(random, 3)}</p>${htmlOf(table)}<p>${sentences(random, 3)}</p>`;
      found.push(pageOf(`${name}-${style}`, look, body, [table]));
    }
  }
  for (const style of ["grid", "plain"]) {
    const random = randomFrom(2500 + style.length);
    const look = STYLES[style] ?? { kind: "unruled", css: "" };
    const [pair, people] = [TABLES["pairs"]?.(random, 8), TABLES["stock"]?.(random, 45)];
    if (pair === undefined || people === undefined) continue;
    const body = `<div style="display: flex; gap: 30px">${htmlOf(pair)}<p>${sentences(random, 9)}</p></div>`;
    found.push(pageOf(`beside-${style}`, look, body, [pair]));
    found.push(pageOf(`long-${style}`, look, `<p>${sentences(random, 3)}</p>${htmlOf(people)}`, [people]));
  }
  for (const [at, [name, make]] of Object.entries(TEXTS).entries()) {
    found.push(pageOf(`text-${name}`, { kind: "text", css: "" }, make(randomFrom(2900 + at)), []));
  }
  return found;
}

/** Documents that the browser of the service prints. Each is there with its tags, and without them. */
export async function printedCases(): Promise<Case[]> {
  const site = new Map(pages().map((page) => [page.name, page]));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const html = site.get(decodeURIComponent(new URL(url).pathname.slice(1)))?.html;
      return new Response(html ?? "", {
        status: html === undefined ? 404 : 200,
        headers: { "content-type": "text/html" },
      });
    },
  });
  const { service, close } = await startTestService();
  try {
    if ("unix" in service.address) throw new Error("Cannot ask the service: it has no port");
    const cases: Case[] = [];
    for (const { name, kind, tables } of site.values()) {
      const response = await fetch(`http://127.0.0.1:${service.address.port}/pdf`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url: `http://127.0.0.1:${server.port}/${encodeURIComponent(name)}` }),
      });
      if (!response.ok) throw new Error(`Cannot print '${name}': ${await response.text()}`);
      const tagged = Buffer.from(await response.arrayBuffer());
      const untagged = Buffer.from(tagged.toString("latin1").replace("/Marked true", "/Marked null"), "latin1");
      cases.push({ name: `tagged-${name}`, kind, tables, bytes: tagged });
      cases.push({ name: `printed-${name}`, kind, tables, bytes: untagged });
    }
    return cases;
  } finally {
    await close();
    await server.stop(true);
  }
}
