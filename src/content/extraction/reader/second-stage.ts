import { type Choice, choose } from "./choice.ts";
import { type Features } from "./features.ts";
import { SECOND_LEVELS, SECOND_NEIGHBOURS, SECOND_WIDTH } from "./feature-names.ts";
import { type Block, type Box, type Outline, type Template } from "./outline.ts";
import { coreOf, MIN_ALIKE } from "./page-parts.ts";

/** Number of blocks on each side whose mean score is a feature. */
const AROUND = 8;
/** Added to the number of words of each block, so that blocks without words have a weight too. */
const LEAST_WEIGHT = 0.3;
/** Number of groups around a block that are examined, and number of levels up in which they are searched. */
const MAX_GROUPS = 2;
const MAX_LEVELS = 10;

/**
 * The weight of the first score relative to the second, and the lowest score. tools/reader-model/train.py has the same
 * values.
 */
const FIRST_SHARE = 0.3;
const LEAST_SCORE = 1e-4;

interface TemplateSum extends Sum {
  low: number;
  high: number;
}

interface Sum {
  score: number;
  weight: number;
}

/**
 * The first scores in the surroundings of each block. `groupAlike` and `groupByTemplate` must have run. Linear in boxes
 * and blocks.
 */
export function secondFeatures(outline: Outline, scores: Float32Array): Features {
  return new SecondStage(outline, scores).write();
}

/** Combines both scores of each block: a weighted mean of their log-odds. */
export function blended(first: Float32Array, second: Float32Array): Float32Array {
  return first.map((score, at) => {
    const odds = FIRST_SHARE * logOdds(score) + (1 - FIRST_SHARE) * logOdds(second[at] ?? score);
    return 1 / (1 + Math.exp(-odds));
  });
}

function logOdds(score: number): number {
  const share = Math.min(Math.max(score, LEAST_SCORE), 1 - LEAST_SCORE);
  return Math.log(share / (1 - share));
}

class SecondStage {
  readonly #blocks: readonly Block[];
  readonly #scores: Float32Array;
  /** The sums of scores and of weights of the blocks in each box, by its index. */
  readonly #scoreIn: Float64Array;
  readonly #weightIn: Float64Array;
  /** The mean score of each group, by the index of its first box. NaN if it was not computed. */
  readonly #groups: Float64Array;
  readonly #choice: Choice;
  readonly #values: Float32Array;
  readonly #core: number;
  /** The sums of scores and of weights over all blocks before each block. */
  readonly #scoresBefore: Float64Array;
  readonly #weightsBefore: Float64Array;
  readonly #ofTemplates = new Map<Template, TemplateSum>();
  #at = 0;

  constructor({ root, boxes, blocks }: Outline, scores: Float32Array) {
    this.#scoreIn = new Float64Array(boxes);
    this.#weightIn = new Float64Array(boxes);
    this.#groups = new Float64Array(boxes).fill(Number.NaN);
    this.#blocks = blocks;
    this.#scores = scores;
    this.#choice = choose(blocks, scores);
    this.#values = new Float32Array(blocks.length * SECOND_WIDTH);
    this.#scoresBefore = new Float64Array(blocks.length + 1);
    this.#weightsBefore = new Float64Array(blocks.length + 1);
    for (const [at, { box, count }] of blocks.entries()) {
      const weight = count.words + LEAST_WEIGHT;
      const score = weight * (scores[at] ?? 0);
      this.#addTo(box, score, weight);
      this.#scoresBefore[at + 1] = (this.#scoresBefore[at] ?? 0) + score;
      this.#weightsBefore[at + 1] = (this.#weightsBefore[at] ?? 0) + weight;
    }
    this.#addUp(root);
    for (const [at, { count, template }] of blocks.entries()) {
      if (template === undefined) continue;
      const score = scores[at] ?? 0;
      const sum = this.#ofTemplates.get(template) ?? { score: 0, weight: 0, low: 1, high: 0 };
      addTo(sum, { score: (count.words + LEAST_WEIGHT) * score, weight: count.words + LEAST_WEIGHT });
      sum.low = Math.min(sum.low, score);
      sum.high = Math.max(sum.high, score);
      this.#ofTemplates.set(template, sum);
    }
    const core = coreOf(blocks);
    this.#core = core === undefined ? 0 : this.#mean(core);
  }

  write(): Features {
    const blocks = this.#blocks;
    const scores = this.#scores;
    let [content, all, highest, before] = [0, 0, 0, 0];
    for (const [at, { count }] of blocks.entries()) {
      content += count.words * (scores[at] ?? 0);
      all += count.words;
      highest = Math.max(highest, scores[at] ?? 0);
    }
    const ranks = ranksOf(scores);
    const { threshold, expected } = this.#choice;
    for (const [at, block] of blocks.entries()) {
      this.#at = at * SECOND_WIDTH;
      const score = scores[at] ?? 0;
      before += block.count.words * score;
      this.#put(
        score,
        score - threshold,
        threshold,
        expected,
        content,
        content / Math.max(all, 1),
        this.#core,
        highest,
      );
      this.#put((ranks[at] ?? 0) / blocks.length, before / Math.max(content, 1e-6));
      this.#boxes(block, score, content);
      for (let far = 1; far <= SECOND_NEIGHBOURS; far += 1) this.#put(scores[at - far] ?? -1, scores[at + far] ?? -1);
      const [from, to] = [Math.max(0, at - AROUND), Math.min(blocks.length, at + AROUND + 1)];
      const weight = (this.#weightsBefore[to] ?? 0) - (this.#weightsBefore[from] ?? 0);
      this.#put(((this.#scoresBefore[to] ?? 0) - (this.#scoresBefore[from] ?? 0)) / weight);
      this.#template(at, score, content);
    }
    return { rows: blocks.length, width: SECOND_WIDTH, values: this.#values };
  }

  #put(...values: readonly number[]): void {
    for (const value of values) {
      this.#values[this.#at] = value;
      this.#at += 1;
    }
  }

  #template(at: number, score: number, content: number): void {
    const { template, count } = this.#blocks[at] ?? {};
    const sum = template === undefined ? undefined : this.#ofTemplates.get(template);
    if (template === undefined || sum === undefined) return;
    const weight = (count?.words ?? 0) + LEAST_WEIGHT;
    const rest = sum.weight - weight;
    this.#put(sum.score / sum.weight);
    this.#put(template.count > 1 ? (sum.score - weight * score) / rest : -1);
    this.#put(template.count);
    this.#put(sum.score / Math.max(content, 1e-6));
    this.#put(template.words / template.count);
    this.#put(sum.low);
    this.#put(sum.high);
  }

  #boxes({ box: own, count }: Block, score: number, content: number): void {
    const weight = count.words + LEAST_WEIGHT;
    let box = own;
    let level = 0;
    for (const wanted of SECOND_LEVELS) {
      for (; level < wanted && box.parent !== undefined; level += 1) box = box.parent;
      const [scoreIn, weightIn] = [this.#scoreIn[box.index] ?? 0, this.#weightIn[box.index] ?? 0];
      this.#put(scoreIn / weightIn);
      if (wanted === 1 || wanted === 3) {
        const rest = weightIn - weight;
        this.#put(rest > 0.5 ? (scoreIn - weight * score) / rest : -1);
      }
      if (wanted === 3) this.#put(scoreIn / Math.max(content, 1e-6));
    }
    let groups = 0;
    level = 0;
    for (let at: Box | undefined = own; at !== undefined && level < MAX_LEVELS && groups < MAX_GROUPS; at = at.parent) {
      level += 1;
      if (at.alike < MIN_ALIKE || (at === own && at.element?.name === "p")) continue;
      this.#put(this.#meanOfGroup(at));
      groups += 1;
    }
    for (; groups < MAX_GROUPS; groups += 1) this.#put(-1);
  }

  #meanOfGroup({ group }: Box): number {
    const [first] = group;
    if (first === undefined) return -1;
    const known = this.#groups[first.index] ?? Number.NaN;
    if (!Number.isNaN(known)) return known;
    let [score, weight] = [0, 0];
    for (const { index } of group) {
      score += this.#scoreIn[index] ?? 0;
      weight += this.#weightIn[index] ?? 0;
    }
    const mean = score / Math.max(weight, LEAST_WEIGHT);
    this.#groups[first.index] = mean;
    return mean;
  }

  #mean({ index }: Box): number {
    return (this.#scoreIn[index] ?? 0) / Math.max(this.#weightIn[index] ?? 0, LEAST_WEIGHT);
  }

  #addTo({ index }: Box, score: number, weight: number): void {
    this.#scoreIn[index] = (this.#scoreIn[index] ?? 0) + score;
    this.#weightIn[index] = (this.#weightIn[index] ?? 0) + weight;
  }

  /** Adds the sums of the inner boxes to those of each box. */
  #addUp(box: Box): void {
    for (const child of box.children) {
      if (child.blocks === 0 && child.words === 0) continue;
      this.#addUp(child);
      this.#addTo(box, this.#scoreIn[child.index] ?? 0, this.#weightIn[child.index] ?? 0);
    }
  }
}

function addTo(sum: Sum, more: Sum): void {
  sum.score += more.score;
  sum.weight += more.weight;
}

/** The rank of each score, the highest score first. */
function ranksOf(scores: Float32Array): Uint32Array {
  const ranks = new Uint32Array(scores.length);
  const order = Uint32Array.from(scores.keys()).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  for (const [rank, at] of order.entries()) ranks[at] = rank;
  return ranks;
}
