import { type Bin } from "./figures.ts";

const SIZE = 320;
const EDGE = 48;
const MIN_RADIUS = 3;

/**
 * A reliability diagram as SVG: predicted probability on the x axis, observed frequency on the y axis, and one dot for
 * each bin, sized by its count.
 */
export function reliabilityDiagram(title: string, bins: readonly Bin[]): string {
  const x = (value: number): string => (EDGE + value * SIZE).toFixed(1);
  const y = (value: number): string => (EDGE + (1 - value) * SIZE).toFixed(1);
  const most = Math.max(...bins.map((bin) => bin.count), 1);
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (value) =>
      `<text x="${x(value)}" y="${EDGE + SIZE + 18}" text-anchor="middle">${value}</text><text x="${EDGE - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${value}</text>`,
  );
  const dots = bins
    .filter((bin) => bin.count > 0)
    .map(
      ({ predicted, observed, count }) =>
        `<circle cx="${x(predicted)}" cy="${y(observed)}" r="${(MIN_RADIUS + 11 * Math.sqrt(count / most)).toFixed(1)}" fill="#2563eb" fill-opacity="0.7"><title>${count} claims: predicted ${predicted.toFixed(2)}, true ${observed.toFixed(2)}</title></circle>`,
    );
  const full = SIZE + 2 * EDGE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${full} ${full}" width="${full}" height="${full}" font-family="sans-serif" font-size="12">
<rect width="${full}" height="${full}" fill="#fff"/>
<text x="${full / 2}" y="24" text-anchor="middle" font-size="14">${title}</text>
<rect x="${EDGE}" y="${EDGE}" width="${SIZE}" height="${SIZE}" fill="none" stroke="#999"/>
<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#999" stroke-dasharray="4 4"/>
${ticks.join("\n")}
${dots.join("\n")}
<text x="${full / 2}" y="${full - 8}" text-anchor="middle">predicted probability</text>
<text x="14" y="${full / 2}" text-anchor="middle" transform="rotate(-90 14 ${full / 2})">share that was true</text>
</svg>
`;
}
