/** A plot of cost over size as SVG, readable on light and on dark pages. */

export interface PlotLine {
  readonly name: string;
  /** In the order of x. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  /** The quantity on the x axis, which is logarithmic. */
  readonly x: string;
  /** The quantity on the y axis, which begins at 0. */
  readonly y: string;
  readonly lines: readonly PlotLine[];
}

const WIDTH = 560;
const HEIGHT = 300;
const LEFT = 56;
const RIGHT = 96;
const TOP = 40;
const BOTTOM = 44;
/** Distance between the names of two lines. */
const NAME_HEIGHT = 16;
/** Horizontal lines, at round values. */
const GRID_LINES = 5;

/** Colours with enough contrast on both backgrounds. Dashes distinguish the lines without colours. */
const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #333; }
  .title { font-size: 14px; font-weight: 600; }
  .grid { stroke: #ddd; }
  .line { fill: none; stroke-width: 2; }
  .line0 { stroke: #1d5fd1; } .dot0 { fill: #1d5fd1; } text.name0 { fill: #1d5fd1; }
  .line1 { stroke: #a34a00; stroke-dasharray: 6 4; } .dot1 { fill: #a34a00; } text.name1 { fill: #a34a00; }
  @media (prefers-color-scheme: dark) {
    text { fill: #ccc; }
    .grid { stroke: #444; }
    .line0 { stroke: #7fb0ff; } .dot0 { fill: #7fb0ff; } text.name0 { fill: #7fb0ff; }
    .line1 { stroke: #ffb27a; } .dot1 { fill: #ffb27a; } text.name1 { fill: #ffb27a; }
  }
`;

/** An SVG file with a plot of up to two lines. */
export function plotSvg({ title, x, y, lines }: Plot): string {
  const all = lines.flatMap(({ points }) => points);
  const sizes = [...new Set(all.map(([size]) => size))].toSorted((a, b) => a - b);
  const [first, last] = [Math.log(sizes[0] ?? 1), Math.log(sizes.at(-1) ?? 1)];
  const step = niceStep(Math.max(...all.map(([, cost]) => cost)) / GRID_LINES);
  const top = step * Math.ceil(Math.max(...all.map(([, cost]) => cost)) / step);
  const across = (size: number): string =>
    (LEFT + ((Math.log(size) - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const up = (cost: number): string => (HEIGHT - BOTTOM - (cost / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const grid = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => {
    const value = n * step;
    return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${up(value)}" y2="${up(value)}"/><text x="${LEFT - 8}" y="${up(value)}" text-anchor="end" dominant-baseline="middle">${shown(value)}</text>`;
  });
  const ticks = sizes.map(
    (size) =>
      `<text x="${across(size)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${size.toLocaleString("en-US")}</text>`,
  );
  const names = apart(lines.map(({ points }) => Number(up(points.at(-1)?.[1] ?? 0))));
  const drawn = lines.map(({ name, points }, n) => {
    const path = points.map(([size, cost], i) => `${i === 0 ? "M" : "L"}${across(size)} ${up(cost)}`).join(" ");
    const dots = points.map(
      ([size, cost]) =>
        `<circle class="dot${n}" cx="${across(size)}" cy="${up(cost)}" r="3.5"><title>${name}, ${size}: ${cost.toFixed(1)}</title></circle>`,
    );
    const label = `<text class="name${n}" x="${WIDTH - RIGHT + 10}" y="${names[n]}" dominant-baseline="middle">${name}</text>`;
    return [`<path class="line line${n}" d="${path}"/>`, ...dots, label].join("\n");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}: ${y} by ${x}">
<style>${STYLE}</style>
<text class="title" x="${LEFT}" y="20">${title}</text>
${grid.join("\n")}
${ticks.join("\n")}
${drawn.join("\n")}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${x}</text>
<text x="14" y="${HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 ${HEIGHT / 2})">${y}</text>
</svg>
`;
}

/** The heights of two names, far enough apart to be readable. */
function apart([first = 0, second]: readonly number[]): number[] {
  if (second === undefined) return [first];
  const missing = NAME_HEIGHT - Math.abs(first - second);
  if (missing <= 0) return [first, second];
  const way = first > second ? missing / 2 : -missing / 2;
  return [first + way, second - way];
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

function shown(value: number): string {
  return Number(value.toPrecision(6)).toLocaleString("en-US");
}
