import { type EngineName } from "../../../src/content/page/page.ts";
import { paragraphs } from "./prose.ts";

/**
 * A page written by hand; its external script has the same path with ".js". Without an engine it is a part of another
 * page.
 */
export interface HandMadePage {
  readonly path: string;
  readonly html: string;
  readonly script?: string;
  readonly engine?: EngineName;
  readonly must: readonly string[];
  readonly mustNot: readonly string[];
}

const page = (path: string, body: string, script: boolean): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${path}</title></head><body><header><a href="/">Valley</a><span id="year"></span></header>${body}<footer>Written in the valley</footer>${script ? `<script src="${path}.js"></script>` : ""}</body></html>`;

interface Made {
  readonly body: string;
  readonly script?: string;
  readonly must?: readonly string[];
  readonly mustNot?: readonly string[];
}

let seed = 200;

export function made(engine: EngineName, path: string, { body, script, must = [], mustNot = [] }: Made): HandMadePage {
  seed += 1;
  const html = page(path, body.replace("ARTICLE", paragraphs(6, seed)), script !== undefined);
  return { path, engine, html, must, mustNot, ...(script === undefined ? {} : { script }) };
}
