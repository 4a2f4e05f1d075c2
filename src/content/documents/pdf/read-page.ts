import { bulletRuns } from "./bullets.ts";
import { fieldRuns } from "./fields.ts";
import { Ligatures, withCodes } from "./ligatures.ts";
import { boundary, indexAt, partOf, plain } from "./pieces.ts";
import { boxOf, GraphicsWalk, type OperatorList, type OperatorNames } from "./graphics.ts";
import { HiddenText } from "./hidden.ts";
import { type UnreadableFonts } from "./unreadable.ts";
import { type Box, type PdfPage, type Placed, type Run, type TreeNode } from "./shapes.ts";

/** Maximum number of runs of text on one page of a PDF. The rest is ignored. */
const MAX_PAGE_RUNS = 40_000;
/** Points. Smaller letters are not seen. */
const MIN_SIZE = 1;
/** The distance of a text from the same one that is drawn again, in heights of its letters. */
const SAME_PLACE = 0.1;
/** Link annotations of one page of a PDF. The rest is ignored. */
const MAX_PAGE_LINKS = 1_000;
/**
 * Milliseconds for the drawings on the pages of a PDF. After that, tables are recognised by their text alone, and hidden
 * text is read.
 */
const MAX_DRAWING_MS = 1_500;

/** The visible part of a page, its crop box. */
interface Viewport {
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
}

/** The part of pdf.js's page type that is used. */
export interface SourcePage {
  readonly commonObjs: { has(name: string): boolean; get(name: string): unknown };
  getTextContent(options: { includeMarkedContent: boolean }): Promise<{
    readonly items: readonly object[];
    readonly styles: Readonly<Record<string, { readonly vertical?: boolean }>>;
  }>;
  getAnnotations(): Promise<readonly object[]>;
  getStructTree(): Promise<TreeNode | null>;
  getOperatorList(): Promise<OperatorList>;
  getViewport(options: { scale: number }): Viewport;
  cleanup(): unknown;
}

interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
}

/** A run in the coordinates of the page, before the page is rotated so that its text is upright. */
interface Placement {
  readonly item: TextItem;
  readonly text: string;
  readonly mark: string;
  readonly isSpaced: boolean;
  readonly x: number;
  readonly y: number;
  readonly length: number;
  readonly size: number;
  /** Quarter turns clockwise. -1 if the text is at an angle. */
  readonly turn: number;
}

interface LinkBox extends Box {
  readonly url: string;
}

export interface DocumentFacts {
  readonly isTagged: boolean;
  /** Whether the document shows an optional content group. */
  readonly isVisible: (group: unknown) => boolean;
}

/** Reads pages. It keeps the fonts of a document and the time that is left for drawings. */
export class PageReader {
  readonly #operators: OperatorNames;
  readonly #facts: DocumentFacts;
  readonly #clock: () => number;
  readonly #fonts = new Map<string, Font>();
  readonly #ligatures = new Ligatures();
  /** The text in fonts whose characters are not known. */
  readonly unreadable: UnreadableFonts;
  #drawingMs = 0;

  /** `clock` returns monotonic milliseconds. */
  constructor(
    operators: OperatorNames,
    facts: DocumentFacts,
    unreadable: UnreadableFonts,
    clock: () => number = () => performance.now(),
  ) {
    this.#operators = operators;
    this.#facts = facts;
    this.#clock = clock;
    this.unreadable = unreadable;
  }

  async read(page: SourcePage): Promise<PdfPage> {
    const viewport = page.getViewport({ scale: 1 });
    // The fonts come with the drawings, before the text is read.
    const list = await this.#operatorsOf(page);
    const { items: given, styles } = await page.getTextContent({ includeMarkedContent: true });
    const items = given.map((item) => (isTextItem(item) ? { ...item, str: withCodes(item.str) } : item));
    const isVertical = (font: string) => styles[font]?.vertical === true;
    const placementsWith = (textOf: (item: TextItem) => string) => placementsOf(items, viewport, isVertical, textOf);
    let placements = placementsWith(({ str }) => str);
    const turn = mostlyTurned(placements);
    const turned = turnOf(turn, viewport);
    const placed: Placed = (x, y) => turned(...transformed(viewport.transform, x, y));
    const tree = this.#facts.isTagged ? ((await page.getStructTree()) ?? undefined) : undefined;
    const hidden = this.#drawn(page, items.filter(isTextItem), placed, list);
    const { rules, dots } = hidden.shapes.drawn;
    const remaining = hidden.remover();
    const isType3 = (font: string) => this.#fonts.get(font)?.isType3 === true;
    if (this.#ligatures.learn(items.filter(isTextItem), isType3)) {
      placements = placementsWith((item) => this.#ligatures.read(item));
    }
    const annotations = await page.getAnnotations();
    const { boxes, addresses } = linksOf(annotations, placed);
    const runsOf = (placement: Placement) => remaining(this.#run(placement, turned));
    const letters = new Map<string, number>();
    for (const item of items.filter(isTextItem)) {
      this.unreadable.add(item.fontName, this.#ligatures.read(item), letters);
    }
    const upright = placements.filter((placement) => placement.turn === turn).flatMap(runsOf);
    const isTurned = turn % 2 === 1;
    return {
      width: isTurned ? viewport.height : viewport.width,
      height: isTurned ? viewport.width : viewport.height,
      runs: [
        ...upright.flatMap((run) => linkedRuns(run, boxes)),
        ...fieldRuns(annotations, upright, placed),
        // The tags name the items of lists.
        ...(this.#facts.isTagged ? [] : bulletRuns(dots, upright)),
      ],
      aside: placements.filter((placement) => placement.turn !== turn && placement.turn !== -1).flatMap(runsOf),
      rules,
      letters,
      tree,
      addresses,
    };
  }

  #run({ item, text, mark, isSpaced, x, y, length, size }: Placement, turned: Placed): Run {
    const name = this.#fonts.get(item.fontName)?.name ?? "";
    const [left, base] = turned(x, y);
    return {
      text,
      x: left,
      y: base,
      width: length,
      size,
      isBold: /bold|black|heavy|demi|(?:^|\+)(?:cm|sf|ec|lm)(?:ss)?bx|-medi$|nimbus.*medi/i.test(name),
      isMono: /mono|courier|consol|typewriter|cousine|menlo|(?:^|\+)(?:cm|sf|ec)tt|lmtt|teletype|inconsolata/i.test(
        name,
      ),
      isRtl: item.dir === "rtl",
      isSpaced,
      href: "",
      font: item.fontName,
      mark,
    };
  }

  /** Reads what a page paints. This takes as long as reading the text. */
  async #operatorsOf(page: SourcePage): Promise<OperatorList | undefined> {
    if (this.#drawingMs > MAX_DRAWING_MS) return undefined;
    const startedAt = this.#clock();
    const list = await page.getOperatorList();
    this.#drawingMs += this.#clock() - startedAt;
    return list;
  }

  #drawn(page: SourcePage, items: readonly TextItem[], placed: Placed, list: OperatorList | undefined): HiddenText {
    const hidden = new HiddenText(this.#facts.isVisible);
    if (list === undefined) return hidden;
    for (const { fontName } of items) {
      if (!this.#fonts.has(fontName)) this.#fonts.set(fontName, fontOf(page, fontName));
    }
    new GraphicsWalk(hidden, placed, (font) => this.#fonts.get(font)?.unit ?? 0.001).run(list, this.#operators);
    return hidden;
  }
}

interface Font {
  readonly name: string;
  /** Whether its characters are drawings, mostly bitmaps. */
  readonly isType3: boolean;
  /** The size of a unit of its glyphs. */
  readonly unit: number;
}

function fontOf({ commonObjs }: SourcePage, key: string): Font {
  const font = commonObjs.has(key) ? commonObjs.get(key) : undefined;
  if (typeof font !== "object" || font === null) return { name: "", isType3: false, unit: 0.001 };
  // With the extra properties, pdf.js keeps the program of each font.
  if ("clearData" in font && typeof font.clearData === "function") font.clearData();
  return {
    name: "name" in font && typeof font.name === "string" ? font.name : "",
    isType3: "isType3Font" in font && font.isType3Font === true,
    unit: "fontMatrix" in font && Array.isArray(font.fontMatrix) ? Number(font.fontMatrix[0]) : 0.001,
  };
}

function isTextItem(item: object): item is TextItem {
  return "str" in item;
}

function placementsOf(
  items: readonly object[],
  page: Viewport,
  isVertical: (font: string) => boolean,
  textOf: (item: TextItem) => string,
): Placement[] {
  const placements: Placement[] = [];
  const marks: { id: string; isArtifact: boolean }[] = [];
  /** The last place of each text. Some programs draw letters twice to make them bold. */
  const drawn = new Map<string, Placement>();
  let isSpaced = false;
  for (const item of items) {
    if (!isTextItem(item)) {
      if ("type" in item && item.type === "endMarkedContent") marks.pop();
      else marks.push(markOf(item, marks.at(-1)));
      continue;
    }
    const text = plain(textOf(item));
    if (text.trim() !== "" && marks.at(-1)?.isArtifact !== true) {
      const isParted = isSpaced || text.startsWith(" ");
      const place = placementOf(item, page.transform, isVertical(item.fontName));
      const placed = { ...place, text: text.trim(), mark: marks.at(-1)?.id ?? "", isSpaced: isParted };
      const before = drawn.get(placed.text);
      const isAgain =
        before !== undefined && Math.hypot(before.x - place.x, before.y - place.y) < place.size * SAME_PLACE;
      if (place.size > MIN_SIZE && isOnPage(place, page) && !isAgain) pushAccented(placements, placed);
      drawn.set(placed.text, placed);
      if (placements.length >= MAX_PAGE_RUNS) break;
      isSpaced = text.endsWith(" ");
    } else if (text !== "") isSpaced = true;
  }
  return placements;
}

/** Whether a part of a text is on the page. */
function isOnPage({ x, y, length, size, turn }: ReturnType<typeof placementOf>, { width, height }: Viewport): boolean {
  const [endX, endY] = [x + (STEPS[turn] ?? 0) * length, y + (STEPS[(turn + 3) % 4] ?? 0) * length];
  const isBeside = Math.max(x, endX) < 0 || Math.min(x, endX) > width;
  return !isBeside && Math.max(y, endY) > 0 && Math.min(y, endY) - size / 2 < height;
}

/** The direction of a text to the right, by its quarter turns. */
const STEPS = [1, 0, -1, 0];

/** The combining forms of accents that Unicode does not derive from a space with them. */
const ACCENTS = new Map([
  ["`", "\u0300"],
  ["^", "\u0302"],
  ["\u02C6", "\u0302"],
  ["\u02C7", "\u030C"],
]);

/** Adds a text. If it begins below an accent that ends the text before it, as TeX writes them, both are one letter. */
function pushAccented(placements: Placement[], placed: Placement): void {
  const last = placements.at(-1);
  const accent = last?.text.at(-1) ?? "";
  const combining = ACCENTS.get(accent) ?? /^ (\p{M})$/u.exec(accent.normalize("NFKD"))?.[1];
  const end = last === undefined ? 0 : last.x + last.length;
  const isBelow = placed.turn === 0 && last?.turn === 0 && Math.abs(placed.y - last.y) < placed.size * 0.5;
  const isOver = isBelow && placed.x < end - placed.size * 0.15 && placed.x > end - placed.size * 1.2;
  const letter = placed.text.at(0)?.replace("\u0131", "i").replace("\u0237", "j") ?? "";
  const composed = combining === undefined ? "" : `${letter}${combining}`.normalize("NFC");
  if (last === undefined || !isOver || composed.length !== 1) {
    placements.push(placed);
    return;
  }
  const text = last.text.slice(0, -1).trimEnd();
  const isSpaced = text === "" ? last.isSpaced : last.text.length - text.length > 1;
  if (text === "") placements.pop();
  else placements[placements.length - 1] = { ...last, text, length: Math.max(0, placed.x - last.x) };
  placements.push({ ...placed, text: composed + placed.text.slice(1), isSpaced });
}

/** Text in an artifact, at any depth, is not content. Text without an identifier belongs to the element around it. */
function markOf(
  item: object,
  around: { id: string; isArtifact: boolean } | undefined,
): { id: string; isArtifact: boolean } {
  const isArtifact = ("tag" in item && item.tag === "Artifact") || around?.isArtifact === true;
  const id = "id" in item && typeof item.id === "string" && item.id !== "" ? item.id : (around?.id ?? "");
  return { id, isArtifact };
}

function placementOf(item: TextItem, viewport: readonly number[], isVertical: boolean) {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = item.transform;
  const [va = 1, vb = 0, vc = 0, vd = 1] = viewport;
  const [x, y] = transformed(viewport, e, f);
  const angle = Math.atan2(vb * a + vd * b, va * a + vc * b) / (Math.PI / 2);
  const turn = Math.round(angle);
  const isAslant = Math.abs(angle - turn) > 0.1;
  const size = Math.hypot(c, d);
  // Letters below one another are lines of a rotated page.
  const quarter = (((turn + (isVertical ? 1 : 0)) % 4) + 4) % 4;
  return {
    item,
    x: isVertical ? x - size / 2 : x,
    y,
    length: isVertical ? item.height : item.width,
    size,
    turn: isAslant ? -1 : quarter,
  };
}

function transformed(matrix: readonly number[], x: number, y: number): readonly [number, number] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = matrix;
  return [a * x + c * y + e, b * x + d * y + f];
}

/** The direction of most letters. */
function mostlyTurned(placements: readonly Placement[]): number {
  const letters = [0, 0, 0, 0];
  for (const { turn, text } of placements) if (turn >= 0) letters[turn] = (letters[turn] ?? 0) + text.length;
  return letters.indexOf(Math.max(...letters));
}

function turnOf(turn: number, { width, height }: { width: number; height: number }): Placed {
  if (turn === 1) return (x, y) => [y, width - x];
  if (turn === 2) return (x, y) => [width - x, height - y];
  if (turn === 3) return (x, y) => [height - y, x];
  return (x, y) => [x, y];
}

function linksOf(annotations: readonly object[], placed: Placed): { boxes: LinkBox[]; addresses: Map<string, string> } {
  const boxes: LinkBox[] = [];
  const addresses = new Map<string, string>();
  for (const annotation of annotations) {
    const url = "url" in annotation && typeof annotation.url === "string" ? URL.parse(annotation.url) : null;
    if (url === null || !/^(?:https?|mailto):$/.test(url.protocol)) continue;
    if ("id" in annotation && typeof annotation.id === "string") addresses.set(annotation.id, url.href);
    const box = "rect" in annotation ? boxOf(annotation.rect, placed) : undefined;
    if (box !== undefined) boxes.push({ url: url.href, ...box });
    if (boxes.length >= MAX_PAGE_LINKS) break;
  }
  return { boxes, addresses };
}

/** Splits a run into up to three parts if a link covers one of them. */
function linkedRuns(run: Run, boxes: readonly LinkBox[]): Run[] {
  const middle = run.y - run.size * 0.3;
  const box = boxes.find(({ left, right, top, bottom }) => {
    return (
      middle > top && middle < bottom && Math.min(right, run.x + run.width) - Math.max(left, run.x) > run.size * 0.3
    );
  });
  if (box === undefined) return [run];
  const start = boundary(run.text, indexAt(run, box.left));
  const end = boundary(run.text, indexAt(run, box.right));
  if (run.isRtl || end <= start) return [{ ...run, href: box.url }];
  const linked = partOf(run, start, end).map((part) => ({ ...part, href: box.url }));
  return [...partOf(run, 0, start), ...linked, ...partOf(run, end, run.text.length)];
}
