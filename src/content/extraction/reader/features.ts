import { type Element } from "domhandler";
import { LEVELS, NEIGHBOURS, SHARES, WIDTH } from "./feature-names.ts";
import { LastHeading } from "./last-heading.ts";
import { type KnownNames, type Lexicon, namesOf } from "./lexicon.ts";
import { type Block, type Box, FLAG_COUNT, type Outline, type Template } from "./outline.ts";
import { type PageHints, pageValuesOf, UNKNOWN } from "./page-values.ts";
import { groupByTemplate } from "./templates.ts";
import { Topic } from "./topic.ts";
import { commonBox, coreOf, groupAlike, isProse, MIN_ALIKE, sameParent, titleAmong } from "./page-parts.ts";

export interface Features {
  readonly rows: number;
  readonly values: Float32Array;
}

const TAGS = new Map(
  "p li h1 h2 h3 h4 h5 h6 td th div span a dt dd figcaption button label pre blockquote summary section article body"
    .split(" ")
    .map((name, at) => [name, at + 1]),
);
/** Number of values of a block that are features of its neighbours too, and these features without a neighbour. */
const SHARED = 7;
const NO_NEIGHBOUR = [-1, -1, -1, -1, 0, 0, -1, -1];
/** Maximum number of levels up to a group of similar siblings. */
const MAX_GROUP_LEVELS = 10;
/** Maximum number of blocks among which the longest is searched. */
const MAX_LOOKED = 10_000;

/** Computes all features of a page's blocks. Linear in boxes and blocks, apart from bounded searches upwards. */
export function featuresOf(outline: Outline, hints: PageHints, lexicon: Lexicon): Features {
  return new FeatureWriter(outline, hints, lexicon).write();
}

class FeatureWriter {
  readonly #blocks: readonly Block[];
  readonly #root: Box;
  readonly #lexicon: Lexicon;
  readonly #values: Float32Array;
  readonly #same = new Map<number, number>();
  /** The log-odds of all names of an element, since many elements of a page have the same ones. */
  readonly #saidOfNames = new Map<string, number>();
  readonly #knownNames: KnownNames = new Map();
  /** For each block, the values that are features of its neighbours too. */
  readonly #shared: Float32Array;
  /** The log-odds of each block's text as a phrase. */
  readonly #said: Float32Array;
  readonly #title: number;
  /** Words of the longest block. */
  readonly #longest: number;
  /** The box with the most prose. */
  readonly #core: Box;
  /** 1 for this box and its ancestors, by the index of the box. */
  readonly #aroundCore: Uint8Array;
  /**
   * For each block, the indexes of the last prose block before it and of the first one after it. -1 if it does not
   * exist.
   */
  readonly #proseBefore: Int32Array;
  readonly #proseAfter: Int32Array;
  readonly #pageValues: readonly number[];
  readonly #topic: Topic;
  readonly #seenOf = new Map<Template, number>();
  #at = 0;

  constructor({ root, boxes, blocks }: Outline, hints: PageHints, lexicon: Lexicon) {
    this.#root = root;
    this.#blocks = blocks;
    this.#lexicon = lexicon;
    this.#values = new Float32Array(blocks.length * WIDTH);
    groupAlike(root);
    groupByTemplate(blocks);
    this.#topic = new Topic(blocks, hints.title);
    for (const { count } of blocks) this.#same.set(count.hash, (this.#same.get(count.hash) ?? 0) + 1);
    this.#sayNames(root);
    this.#said = Float32Array.from(blocks, ({ count }) => lexicon.phrase("phrase", count));
    this.#title = titleAmong(blocks, hints.title);
    this.#shared = this.#sharedValues();
    this.#longest = blocks.slice(0, MAX_LOOKED).reduce((most, { count }) => Math.max(most, count.words), 1);
    this.#core = coreOf(blocks) ?? root;
    this.#aroundCore = new Uint8Array(boxes);
    for (let box: Box | undefined = this.#core; box !== undefined; box = box.parent) this.#aroundCore[box.index] = 1;
    this.#pageValues = pageValuesOf({ root, blocks, title: this.#title }, hints);
    this.#proseBefore = new Int32Array(blocks.length).fill(-1);
    this.#proseAfter = new Int32Array(blocks.length).fill(-1);
    for (let at = 1, last = -1; at < blocks.length; at += 1) {
      if (isProse(blocks[at - 1])) last = at - 1;
      this.#proseBefore[at] = last;
    }
    for (let at = blocks.length - 2, next = -1; at >= 0; at -= 1) {
      if (isProse(blocks[at + 1])) next = at + 1;
      this.#proseAfter[at] = next;
    }
  }

  write(): Features {
    const seen = new Map<number, number>();
    const headings = new LastHeading(this.#lexicon);
    let wordsBefore = 0;
    for (const [index, block] of this.#blocks.entries()) {
      this.#at = index * WIDTH;
      headings.see(block, wordsBefore);
      const before = seen.get(block.count.hash) ?? 0;
      seen.set(block.count.hash, before + 1);
      this.#text(block, before);
      this.#flags(block.box.flags);
      this.#place(block, index, wordsBefore);
      this.#heading(index, wordsBefore, headings);
      this.#centre(block.box, index);
      this.#ancestors(block.box);
      this.#alike(block.box);
      this.#neighbours(block, index);
      this.#names(block.box);
      this.#phrases(block, index);
      for (const value of this.#pageValues) this.#put(value);
      for (const value of this.#topic.of(block)) this.#put(value);
      this.#template(index);
      wordsBefore += block.count.words;
    }
    return { rows: this.#blocks.length, values: this.#values };
  }

  #put(value: number): void {
    this.#values[this.#at] = value;
    this.#at += 1;
  }

  /** Sets the log-odds of the names on a box, and on all boxes inside it. */
  #sayNames(box: Box): void {
    const { parent, depth } = box;
    const says = box.element === undefined || box.words === 0 ? 0 : this.#saysOf(box.element);
    box.says = says;
    box.saysSum = says + (parent?.saysSum ?? 0);
    const [low, high] = [parent?.saysLow ?? 0, parent?.saysHigh ?? 0];
    // If two ancestors have the same log-odds, the nearer one counts.
    const isLow = says < 0 && says <= low;
    const isHigh = says > 0 && says >= high;
    box.saysLow = isLow ? says : low;
    box.saysLowDepth = isLow ? depth : (parent?.saysLowDepth ?? -1);
    box.saysHigh = isHigh ? says : high;
    box.saysHighDepth = isHigh ? depth : (parent?.saysHighDepth ?? -1);
    for (const child of box.children) this.#sayNames(child);
  }

  #saysOf(element: Element): number {
    const names = namesOf(element);
    if (names === "") return 0;
    return this.#saidOfNames.getOrInsertComputed(names, () => this.#lexicon.names(names, this.#knownNames));
  }

  #sharedValues(): Float32Array {
    const values = new Float32Array(this.#blocks.length * SHARED);
    let at = 0;
    for (const [index, { box, count, heading }] of this.#blocks.entries()) {
      values[at] = TAGS.get(box.element?.name ?? "") ?? 0;
      values[at + 1] = count.words;
      values[at + 2] = count.linkWords / Math.max(count.words, 0.5);
      values[at + 3] = count.sentences;
      values[at + 4] = box.says;
      values[at + 5] = this.#said[index] ?? 0;
      values[at + 6] = heading;
      at += SHARED;
    }
    return values;
  }

  #text({ box, count, links, heading, images, texts, placeLinks, otherLinks }: Block, before: number): void {
    const words = Math.max(count.words, 0.5);
    this.#put(TAGS.get(box.element?.name ?? "") ?? 0);
    this.#put(count.words);
    this.#put(count.characters / words);
    this.#put(count.linkWords / words);
    this.#put(links);
    this.#put(count.sentences);
    this.#put(count.commas / words);
    this.#put(count.digits / Math.max(count.letters, 1));
    this.#put(count.capitals / words);
    this.#put(images);
    this.#put(heading);
    this.#put(count.endsSentence ? 1 : 0);
    this.#put(this.#same.get(count.hash) ?? 1);
    this.#put(before);
    this.#put(texts.length);
    this.#put(placeLinks / Math.max(links, 1));
    this.#put(otherLinks / Math.max(links, 1));
    this.#put(count.words / this.#longest);
    this.#put(count.currencies);
  }

  #flags(flags: number): void {
    for (let bit = 0; bit < FLAG_COUNT; bit += 1) this.#put((flags >> bit) & 1);
  }

  #place({ box, count }: Block, index: number, wordsBefore: number): void {
    const all = Math.max(this.#root.words, 1);
    this.#put(box.depth);
    this.#put(index / this.#blocks.length);
    this.#put(wordsBefore / all);
    this.#put((all - wordsBefore - count.words) / all);
    this.#put(wordsBefore);
  }

  #heading(index: number, wordsBefore: number, headings: LastHeading): void {
    const title = this.#blocks[this.#title];
    this.#put(title === undefined ? UNKNOWN : index - this.#title);
    this.#put(title === undefined ? -1 : index > this.#title ? 1 : 0);
    const common = title === undefined ? undefined : commonBox(title.box, this.#blocks[index]?.box ?? this.#root);
    this.#put(common === undefined ? UNKNOWN : common.words / Math.max(this.#root.words, 1));
    this.#put(headings.level === 0 ? UNKNOWN : wordsBefore - headings.wordsBefore);
    this.#put(headings.level);
    this.#put(headings.isTrailer ? 1 : 0);
    this.#put(headings.says);
    this.#put(index === this.#title ? 1 : 0);
  }

  /** The distances to the box with the most prose, and to the prose before and after the block. */
  #centre(own: Box, index: number): void {
    let [up, common]: [number, Box] = [0, own];
    while (this.#aroundCore[common.index] !== 1 && common.parent !== undefined) [up, common] = [up + 1, common.parent];
    const all = Math.max(this.#root.words, 1);
    this.#put(common === this.#core ? 1 : 0);
    this.#put(this.#core.words / all);
    this.#put(up);
    this.#put(this.#core.depth - common.depth);
    this.#put(common.words / all);
    const before = this.#proseBefore[index] ?? -1;
    const after = this.#proseAfter[index] ?? -1;
    this.#put(before === -1 ? UNKNOWN : index - before);
    this.#put(after === -1 ? UNKNOWN : after - index);
    this.#put(this.#together(own, before));
    this.#put(this.#together(own, after));
  }

  /** Finds the smallest box that contains a box and another block. Returns the box's share of the page's words. */
  #together(own: Box, other: number): number {
    const block = this.#blocks[other];
    return block === undefined ? UNKNOWN : commonBox(own, block.box).words / Math.max(this.#root.words, 1);
  }

  #ancestors(own: Box): void {
    const all = Math.max(this.#root.words, 1);
    let box: Box | undefined = own;
    let level = 0;
    for (const wanted of LEVELS) {
      for (; level < wanted && box?.parent !== undefined; level += 1) box = box.parent;
      this.#box(box ?? this.#root, all);
    }
    box = own;
    level = 0;
    for (const share of SHARES) {
      for (; box.words < all * share && box.parent !== undefined; level += 1) box = box.parent;
      this.#put(box.linkWords / Math.max(box.words, 1));
      this.#put(box.proseWords / Math.max(box.words, 1));
      this.#put(box.words / Math.max(box.blocks, 1));
      this.#put(level);
    }
  }

  #box(box: Box, all: number): void {
    const words = Math.max(box.words, 1);
    this.#put(box.words / all);
    this.#put(box.linkWords / words);
    this.#put(box.proseWords / words);
    this.#put(box.words / Math.max(box.blocks, 1));
    this.#put(box.headings / Math.max(box.blocks, 1));
    this.#put(box.images / Math.max(box.blocks, 1));
    this.#put((box.sentences * 10) / words);
    this.#put(box.times);
  }

  /** Sets the features of the nearest and of the outermost ancestor with similar siblings. */
  #alike(own: Box): void {
    let near: Box | undefined;
    let [nearLevel, farLevel, level] = [-1, -1, 0];
    let far: Box | undefined;
    for (let box: Box | undefined = own; box !== undefined && level < MAX_GROUP_LEVELS; box = box.parent, level += 1) {
      if (box.alike < MIN_ALIKE || (box === own && box.element?.name === "p")) continue;
      if (near === undefined) [near, nearLevel] = [box, level];
      [far, farLevel] = [box, level];
    }
    const all = Math.max(this.#root.words, 1);
    this.#put(near?.alike ?? 0);
    this.#put((near?.alikeWords ?? 0) / all);
    this.#put(near === undefined ? 0 : near.alikeWords / near.alike);
    this.#put(near?.alikeIndex ?? -1);
    this.#put(nearLevel);
    this.#put(near === undefined ? -1 : near.linkWords / Math.max(near.words, 1));
    this.#put(far?.alike ?? 0);
    this.#put(far === undefined ? 0 : far.alikeWords / far.alike);
    this.#put(farLevel);
    this.#put(own.alike);
    this.#put(own.alikeIndex);
  }

  #neighbours(own: Block, index: number): void {
    for (let far = 1; far <= NEIGHBOURS; far += 1) {
      for (const at of [index - far, index + far]) {
        const block = this.#blocks[at];
        if (block === undefined) for (const value of NO_NEIGHBOUR) this.#put(value);
        else {
          for (let value = at * SHARED; value < (at + 1) * SHARED; value += 1) this.#put(this.#shared[value] ?? 0);
          this.#put(block.box === own.box.parent ? 1 : sameParent(block, own));
        }
      }
    }
  }

  #names(own: Box): void {
    const { parent, depth } = own;
    this.#put(own.says);
    this.#put(parent?.says ?? 0);
    this.#put(parent?.parent?.says ?? 0);
    this.#put(own.saysLow);
    this.#put(own.saysHigh);
    this.#put(own.saysSum);
    this.#put(own.saysLowDepth === -1 ? -1 : depth - own.saysLowDepth);
    this.#put(own.saysHighDepth === -1 ? -1 : depth - own.saysHighDepth);
    let near = 0;
    for (let [box, level]: [Box | undefined, number] = [own, 0]; box !== undefined && level < 4; level += 1) {
      near += box.says;
      box = box.parent;
    }
    this.#put(near);
  }

  #phrases(block: Block, index: number): void {
    this.#put(this.#said[index] ?? 0);
    const { first, last } = this.#lexicon.ends(block.count);
    this.#put(first);
    this.#put(last);
    const { mean, low } = this.#lexicon.words(block.count.hashes);
    this.#put(mean);
    this.#put(low);
  }

  #template(index: number): void {
    const all = Math.max(this.#root.words, 1);
    const own = this.#blocks[index]?.template;
    if (own === undefined) return;
    const seen = this.#seenOf.get(own) ?? 0;
    this.#seenOf.set(own, seen + 1);
    const words = Math.max(own.words, 1);
    this.#put(own.count);
    this.#put(own.words / all);
    this.#put(own.words / own.count);
    this.#put(own.linkWords / words);
    this.#put((own.sentences * 10) / words);
    this.#put(own.currencies / own.count);
    this.#put(seen);
    this.#put(own.first / this.#blocks.length);
    this.#put(own.last / this.#blocks.length);
    this.#put(own.texts.size / own.count);
    this.#put(this.#blocks[index - 1]?.template?.count ?? -1);
    this.#put(this.#blocks[index + 1]?.template?.count ?? -1);
  }
}
