import { PageReader, type SourcePage } from "../read-page.ts";
import { type Run } from "../shapes.ts";
import { UnreadableFonts } from "../unreadable.ts";

/** The number of pdf.js's operator for paths. */
const PATH = 91;
const LINE = Float32Array.of(0, 10, 20, 1, 90, 20);

type Matrix = readonly [number, number, number, number, number, number];

interface Source {
  readonly items: readonly object[];
  readonly annotations?: readonly object[];
  readonly viewport?: Matrix;
  readonly vertical?: readonly string[];
  /** The names of fonts by pdf.js's names. */
  readonly fonts?: Readonly<Record<string, object>>;
}

/** Pages of one document, read one after the other while one measure grows. */
export interface PageMeasure {
  readonly name: string;
  readonly values: readonly number[];
  readonly pages: (value: number) => readonly Source[];
  readonly isTagged?: boolean;
  /** Milliseconds that each drawing takes. */
  readonly drawingMs?: number;
}

/** Values of a measure. */
export function steps(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_none, at) => from + at * step);
}

/** The usual transform of a page, whose origin is in its lower left corner. */
export const UPRIGHT: Matrix = [1, 0, 0, -1, 0, 800];

function sourceOf({ items, annotations = [], viewport = UPRIGHT, vertical = [], fonts = {} }: Source): SourcePage {
  return {
    commonObjs: { has: (name) => name in fonts, get: (name) => fonts[name] },
    getTextContent: async () => ({
      items,
      styles: Object.fromEntries(vertical.map((font) => [font, { vertical: true }])),
    }),
    getAnnotations: async () => annotations,
    getStructTree: async () => null,
    getOperatorList: async () => ({ fnArray: [PATH], argsArray: [[20, [LINE]]] }),
    getViewport: () => ({ transform: viewport, width: 600, height: 800 }),
    cleanup: () => undefined,
  };
}

/** The place, the size and the look of a run. */
function written({ text, x, y, width, size, starts = [], ...look }: Run): string {
  const places = [x, y, width, size, ...starts.map(({ at }) => at)]
    .map((value) => Math.round(value * 100) / 100 + 0)
    .join(" ");
  const flags = Object.entries(look).filter(([, value]) => value !== false && value !== "");
  return `${text} (${[places, ...flags.map(([key, value]) => (value === true ? key : `${key}=${value}`))].join(" ")})`;
}

/** The pages for a value, in one line. */
export async function pagesRead(
  { pages, isTagged = false, drawingMs = 1 }: PageMeasure,
  value: number,
): Promise<string> {
  let now = 0;
  const clock = (): number => (now += drawingMs);
  const reader = new PageReader(
    new Map([[PATH, "constructPath"]]),
    { isTagged, isVisible: () => true },
    new UnreadableFonts(),
    clock,
  );
  const found: string[] = [];
  for (const source of pages(value)) {
    const { width, height, runs, aside, rules, addresses } = await reader.read(sourceOf(source));
    const parts = [runs, aside].map((part) => part.map(written).join(", "));
    const links = [...addresses].map(([id, url]) => `${id}=${url}`).join(" ");
    found.push(
      `${width}×${height} ${parts.join(" ‖ ")}${rules.length > 0 ? ` ${rules.length} lines` : ""} ${links}`.trim(),
    );
  }
  return found.join(" / ");
}

/** A text of 5 points a letter, from its lower left corner. */
export function item(str: string, x: number, y: number, more: object = {}): object {
  return {
    str,
    dir: "ltr",
    transform: [10, 0, 0, 10, x, y],
    width: str.length * 5,
    height: 10,
    fontName: "f",
    ...more,
  };
}

/** The transform of a text that is turned by an angle. */
export function turned(degrees: number): readonly number[] {
  const [c, s] = [Math.cos((degrees * Math.PI) / 180) * 10, Math.sin((degrees * Math.PI) / 180) * 10];
  return [c, s, -s, c, 100, 500];
}
