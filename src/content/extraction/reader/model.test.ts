import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { readerCorpus } from "../../testing/reader-corpus.ts";
import { showLateText } from "../late-text.ts";
import { parseTree } from "../tree/tree.ts";
import { FEATURES, WIDTH } from "./feature-names.ts";
import { featuresOf } from "./features.ts";
import { hintsOf } from "./hints.ts";
import { metadataOf } from "./metadata.ts";
import { readerModel, ReaderModel } from "./model.ts";
import { outlineOf } from "./outline.ts";
import { bodyOf } from "./words.ts";

const bytes = new Uint8Array(readFileSync(new URL("./model.bin", import.meta.url)));

test("the model's file is small, and matches the program's features", () => {
  expect(bytes.length).toBeLessThan(1_000_000);
  expect(new Set(FEATURES.map(([, name], at) => `${name} ${at}`)).size).toBe(WIDTH);
  expect(WIDTH).toBeLessThanOrEqual(256);
  const score = new ReaderModel(bytes).score({ rows: 2, width: WIDTH, values: new Float32Array(2 * WIDTH) });
  expect([...score].every((share) => share > 0 && share < 1)).toBe(true);
});

test("a file for other features is rejected", () => {
  const other = Uint8Array.from(bytes);
  other[4] = WIDTH - 1;
  expect(() => new ReaderModel(other)).toThrow(/Cannot load the reader's model/);
  other[0] = 0;
  expect(() => new ReaderModel(other)).toThrow(/Cannot load the reader's model/);
});

const ACCORDION = `<main><h1>Lamps</h1><h2><button aria-expanded="false">Care</button></h2><div hidden>Wipe it dry.</div>
<details><summary>Parts</summary><p>A shade and a foot.</p></details><div role="tabpanel" hidden>Two years of warranty.</div>
<div hidden>Do not read this.</div></main>`;
/**
 * SHA-256 of the features of the project's pages. If they change, the model's file can no longer be made from the data,
 * and the model reads other features than it has learned: train it again (tools/reader-model/README.md).
 */
const TRAINED_FEATURES = "cfb3f5b010ed2d42a1f74b16d5e29e667848ebf7198acbb9f7a05883040807fe";

test("the program computes the features that the model was trained on", () => {
  const { lexicon } = readerModel();
  const digest = new Bun.CryptoHasher("sha256");
  for (const { html, url } of [...readerCorpus(), { html: ACCORDION, url: "https://www.site.test/lamps" }]) {
    const tree = parseTree(html);
    showLateText(tree, html, "static");
    const hints = hintsOf(metadataOf(tree), url);
    digest.update(featuresOf(outlineOf(bodyOf(tree)), hints, lexicon).values);
  }
  expect(digest.digest("hex")).toBe(TRAINED_FEATURES);
});
