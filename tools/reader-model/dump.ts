/** `node scripts/bun.mjs tools/reader-model/dump.ts DATA OUT`: features, labels and log-odds for train.py; see README.md. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type DataPage } from "../../bench/reader-data.ts";
import { type Block, type Box, FLAGS } from "../../src/content/extraction/reader/outline.ts";
import { FEATURES, WIDTH } from "../../src/content/extraction/reader/feature-names.ts";
import { featuresOf } from "../../src/content/extraction/reader/features.ts";
import {
  firstHash,
  keyOf,
  Lexicon,
  MAX_PHRASE_WORDS,
  nameHashes,
  namesOf,
} from "../../src/content/extraction/reader/lexicon.ts";
import { hashOf } from "../../src/content/extraction/reader/text-count.ts";
import { align } from "./align.ts";
import { allPages, outlined, OWN } from "./pages.ts";

const FOLDS = 5;
/** Sites that must have a name or phrase for it to be learned. */
const MIN_DOMAINS = 4;
/** The same for single words of any text. */
const MIN_DOMAINS_OF_A_WORD = 12;
/**
 * Strength of the prior: the log-odds of a name or phrase are drawn towards the mean as by this number of words of an
 * average site.
 */
const PRIOR = 3;
/**
 * The fold of the project's own pages, and the fold of the domains that are held back until the end: one domain of
 * eight.
 */
const OWN_FOLD = FOLDS;
const HELD_FOLD = FOLDS + 1;
const HELD_OF = 8;
const [, , data = "", out = "", mode = "all"] = process.argv;

const wordKeys = new Set<number>();

interface Sum {
  content: number;
  other: number;
  domains: Set<number>;
}

interface Read {
  readonly fold: number;
  readonly domain: number;
  readonly blocks: readonly Block[];
  readonly labels: Float32Array;
  readonly words: Float32Array;
  readonly missing: number;
  readonly truthWords: number;
}

/**
 * The project's own pages are used for training and never for tests. Held-back domains are tested once, with a model of
 * all others.
 */
function foldOf(domain: string): number {
  if (domain.endsWith(OWN)) return OWN_FOLD;
  if (mode === "held" && hashOf(`held ${domain}`) % HELD_OF === 0) return HELD_FOLD;
  return hashOf(`fold ${domain}`) % FOLDS;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}

function readPage(page: DataPage): Read {
  const { outline } = outlined(page);
  const { blocks } = outline;
  const ids = new Map<string, number>();
  const idOf = (word: string): number => {
    const known = ids.get(word);
    if (known !== undefined) return known;
    ids.set(word, ids.size);
    return ids.size - 1;
  };
  const all: number[] = [];
  const seen: number[] = [];
  const counts = blocks.map((block) => {
    const own = wordsOf(block.text).map(idOf);
    const isHidden = (block.box.flags & FLAGS.hidden) !== 0;
    for (const id of own) {
      all.push(id);
      seen.push(isHidden ? 0 : 1);
    }
    return own.length;
  });
  const truth = wordsOf(page.wanted).map(idOf);
  const matched = align(all, truth, Uint8Array.from(seen));
  const labels = new Float32Array(blocks.length);
  let at = 0;
  let sum = 0;
  for (const [index, count] of counts.entries()) {
    let same = 0;
    const end = at + count;
    for (; at < end; at += 1) same += matched[at] ?? 0;
    labels[index] = count === 0 ? 0 : same / count;
    sum += same;
  }
  return {
    fold: foldOf(page.domain),
    domain: hashOf(page.domain),
    blocks,
    labels,
    words: Float32Array.from(counts),
    missing: truth.length - sum,
    truthWords: truth.length,
  };
}

/**
 * The statistics of names and phrases: for each of them, the words of content and of other text, scaled to one vote per
 * page.
 */
function things({ blocks, labels, words, domain }: Read, sums: Map<number, Sum>): void {
  const total = Math.max(
    words.reduce((sum, own) => sum + own, 0),
    1,
  );
  const own = new Map<number, [content: number, other: number]>();
  const see = (key: number, weight: number, label: number): void => {
    const sum = own.get(key) ?? [0, 0];
    sum[0] += weight * label;
    sum[1] += weight * (1 - label);
    own.set(key, sum);
  };
  const boxes = new Map<Box, [number, number]>();
  let heading: number | undefined;
  for (const [at, block] of blocks.entries()) {
    const label = labels[at] ?? 0;
    const weight = Math.sqrt(words[at] ?? 0) / Math.sqrt(total);
    for (let box: Box | undefined = block.box; box !== undefined; box = box.parent) {
      const sum = boxes.get(box) ?? [0, 0];
      sum[0] += weight * label;
      sum[1] += weight * (1 - label);
      boxes.set(box, sum);
    }
    const { count } = block;
    if (count.words <= MAX_PHRASE_WORDS) see(keyOf("phrase", count.hash), 1, label);
    see(keyOf("first", firstHash(count)), 1, label);
    see(keyOf("last", count.last), 1, label);
    for (const hash of new Set(count.hashes)) {
      const key = keyOf("word", hash);
      wordKeys.add(key);
      see(key, weight, label);
    }
    if (block.heading > 0) heading = count.words <= MAX_PHRASE_WORDS ? count.hash : undefined;
    else if (heading !== undefined) see(keyOf("heading", heading), weight, label);
  }
  for (const [box, [content, other]] of boxes) {
    if (box.element === undefined) continue;
    for (const hash of nameHashes(namesOf(box.element))) {
      const key = keyOf("name", hash);
      const sum = own.get(key) ?? [0, 0];
      sum[0] += content;
      sum[1] += other;
      own.set(key, sum);
    }
  }
  for (const [key, [content, other]] of own) {
    const share = content / Math.max(content + other, 1e-9);
    const sum = sums.get(key) ?? { content: 0, other: 0, domains: new Set() };
    // Each page has one vote, however often it has the name or phrase.
    const voice = Math.min(1, (content + other) * 4);
    sum.content += voice * share;
    sum.other += voice * (1 - share);
    sum.domains.add(domain);
    sums.set(key, sum);
  }
}

/** Log-odds of the names and phrases that enough sites have, over the sums of some folds. */
function lexiconOf(folds: readonly Map<number, Sum>[]): Map<number, number> {
  const sums = new Map<number, Sum>();
  let [content, other] = [0, 0];
  for (const fold of folds) {
    for (const [key, own] of fold) {
      const sum = sums.get(key) ?? { content: 0, other: 0, domains: new Set() };
      sum.content += own.content;
      sum.other += own.other;
      for (const domain of own.domains) sum.domains.add(domain);
      sums.set(key, sum);
      content += own.content;
      other += own.other;
    }
  }
  const prior = content / (content + other);
  const odds = new Map<number, number>();
  for (const [key, sum] of sums) {
    if (sum.domains.size < (wordKeys.has(key) ? MIN_DOMAINS_OF_A_WORD : MIN_DOMAINS)) continue;
    const value =
      Math.log((sum.content + PRIOR * prior) / (sum.other + PRIOR * (1 - prior))) - Math.log(prior / (1 - prior));
    // In sixteenths, as in the model's file.
    const sixteenths = Math.max(-127, Math.min(127, Math.round(value * 16)));
    if (Math.abs(sixteenths) >= 3) odds.set(key, sixteenths / 16);
  }
  return odds;
}

mkdirSync(out, { recursive: true });
const folds = Array.from({ length: FOLDS + 2 }, () => new Map<number, Sum>());
const known: {
  readonly labels: Float32Array;
  readonly words: Float32Array;
  readonly missing: number;
  readonly truth: number;
}[] = [];
const pages = allPages(data);
for (const page of pages) {
  const read = readPage(page);
  const { labels, words, missing, truthWords } = read;
  things(read, folds[read.fold] ?? new Map());
  known.push({ labels, words, missing, truth: truthWords });
}
console.error(`read ${pages.length} pages`);
const final = lexiconOf(folds);
const unsigned = [...final].map(([key, odds]): [number, number] => [key >>> 0, odds]);
writeFileSync(`${out}/lexicon.json`, JSON.stringify(unsigned.toSorted(([a], [b]) => a - b)));
// Held-back pages must not influence the features of the others.
const lexicons = folds.map(
  (own) => new Lexicon(lexiconOf(folds.filter((fold, at) => fold !== own && at !== HELD_FOLD))),
);
rmSync(`${out}/features.f32`, { force: true });
const file = Bun.file(`${out}/features.f32`).writer();
const rows: string[] = [];
let start = 0;
for (const [at, page] of pages.entries()) {
  const { labels, words, missing, truth } = known[at] ?? { labels: [], words: [], missing: 0, truth: 0 };
  const { outline, hints } = outlined(page);
  const fold = foldOf(page.domain);
  const { values } = featuresOf(outline, hints, lexicons[fold] ?? new Lexicon(final));
  void file.write(new Uint8Array(values.buffer));
  if (at % 50 === 0) await file.flush();
  const { id, type, domain } = page;
  const rounded = [...labels].map((label) => Math.round(label * 1000) / 1000);
  rows.push(
    JSON.stringify({
      id,
      type,
      domain,
      fold,
      start,
      rows: labels.length,
      missing,
      truth,
      labels: rounded,
      words: [...words],
    }),
  );
  start += labels.length;
}
await file.end();
writeFileSync(`${out}/pages.jsonl`, `${rows.join("\n")}\n`);
writeFileSync(`${out}/features.json`, JSON.stringify({ width: WIDTH, features: FEATURES }));
console.error(`wrote ${start} rows of ${WIDTH} features; the lexicon has ${final.size} things`);
