/** `node scripts/bun.mjs tools/reader-model/second.ts DATA DIR`: features of the second stage for train.py; see README.md. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { SECOND_FEATURES, SECOND_WIDTH } from "../../src/content/extraction/reader/feature-names.ts";
import { groupAlike } from "../../src/content/extraction/reader/page-parts.ts";
import { secondFeatures } from "../../src/content/extraction/reader/second-stage.ts";
import { groupByTemplate } from "../../src/content/extraction/reader/templates.ts";
import { allPages, outlined } from "./pages.ts";

const [, , data = "", folder = ""] = process.argv;
// A file that train.py wrote.
const scores = JSON.parse(readFileSync(`${folder}/scores.json`, "utf8")) as Record<string, readonly number[]>;
rmSync(`${folder}/second.f32`, { force: true });
const file = Bun.file(`${folder}/second.f32`).writer();
for (const [at, page] of allPages(data).entries()) {
  const { outline } = outlined(page);
  groupAlike(outline.root);
  groupByTemplate(outline.blocks);
  const own = Float32Array.from(scores[page.id] ?? outline.blocks.map(() => 0));
  void file.write(new Uint8Array(secondFeatures(outline, own).values.buffer));
  if (at % 50 === 0) await file.flush();
}
await file.end();
writeFileSync(`${folder}/second.json`, JSON.stringify({ width: SECOND_WIDTH, features: SECOND_FEATURES }));
