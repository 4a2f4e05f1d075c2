import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

export interface Line {
  readonly name: string;
  /** The name of a colour in the style sheet. */
  readonly color: "--plot-1" | "--plot-2" | "--plot-3" | "--plot-4";
  readonly values: readonly (number | null)[];
  readonly isFilled?: boolean;
  /** Makes lines that lie close distinct without colour. */
  readonly dash?: readonly number[];
}

interface PlotProps {
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly isBars?: boolean;
  /** The axis of lines has days, not times of day. */
  readonly isDays?: boolean;
  /** The shortest time on the axis, in seconds. */
  readonly span?: number;
}

const HEIGHT = 180;
/** Bars are one day wide, centred on the start of their day. */
const HALF_DAY_S = 43_200;

/** Lines over time, with the values at the pointer. */
export function Plot({ label, times, lines, format, isBars = false, isDays = isBars, span = 0 }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number>();
  const [scheme, setScheme] = useState(0);
  const draw = useRef({ times, lines });
  draw.current = { times, lines };

  useEffect(() => {
    const changes = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("(forced-colors: active)")];
    const again = (): void => setScheme((count) => count + 1);
    for (const change of changes) change.addEventListener("change", again);
    return () => {
      for (const change of changes) change.removeEventListener("change", again);
    };
  }, []);

  const names = lines.map(({ name }) => name).join("\n");
  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const options = optionsFor(element, { lines: draw.current.lines, format, isBars, isDays, span, onMove: setAt });
    const made = new uPlot(options, dataOf(draw.current), element);
    plot.current = made;
    const watch = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [names, scheme, isBars]);

  useEffect(() => plot.current?.setData(dataOf(draw.current)), [times, lines]);

  return (
    <figure class="plot">
      <figcaption class="plot-legend">
        {lines.map(({ name, color, values }) => {
          const value = at === undefined ? values.findLast((one) => one !== null) : values[at];
          return (
            <span key={name} class="plot-key">
              <span class={`plot-mark ${color.slice(2)}`} aria-hidden="true" />
              {name} <span class="num plot-figure">{value === undefined || value === null ? "–" : format(value)}</span>
            </span>
          );
        })}
      </figcaption>
      <div ref={container} class="plot-place" role="img" aria-label={label} />
    </figure>
  );
}

function dataOf({ times, lines }: Pick<PlotProps, "times" | "lines">): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** The time of day, with seconds unless they are 0. */
function timeText(seconds: number): string {
  return CLOCK.format(new Date(seconds * 1000)).replace(/:00$/, "");
}

function dayText(seconds: number): string {
  return DAY.format(new Date(seconds * 1000));
}

interface Drawing {
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly isBars: boolean;
  readonly isDays: boolean;
  readonly span: number;
  readonly onMove: (at: number | undefined) => void;
}

function optionsFor(element: HTMLElement, { lines, format, isBars, isDays, span, onMove }: Drawing): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const grid = { stroke: color("--line"), width: 1 };
  const axis = { stroke: color("--soft"), font: `12px ${style.fontFamily}`, grid, ticks: { show: false } };
  const bars = isBars ? uPlot.paths.bars?.({ size: [0.6, 48], radius: 0.15 }) : undefined;
  return {
    width: Math.max(element.clientWidth, 50),
    height: HEIGHT,
    legend: { show: false },
    padding: [8, 4, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [(plot) => onMove(plot.cursor.idx ?? undefined)] },
    scales: {
      x: {
        time: true,
        range: (_plot, low, high) =>
          isBars ? [low - HALF_DAY_S, high + HALF_DAY_S] : [Math.min(low, high - span), high],
      },
      y: { range: (_plot, _low, high) => [0, Number.isFinite(high) && high > 0 ? high * 1.12 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        gap: 6,
        space: 64,
        grid: { show: false },
        values: (_plot, values) => values.map((value) => (isDays ? dayText(value) : timeText(value))),
      },
      { ...axis, size: 56, gap: 6, space: 40, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      ...lines.map(({ name, color: own, isFilled, dash }): uPlot.Series => {
        const stroke = color(own);
        return {
          label: name,
          stroke,
          width: 1.5,
          points: { show: false },
          spanGaps: false,
          ...(isFilled === true || isBars
            ? { fill: `color-mix(in srgb, ${stroke} ${isBars ? 70 : 12}%, transparent)` }
            : {}),
          ...(dash === undefined ? {} : { dash: [...dash] }),
          ...(bars === undefined ? {} : { paths: bars }),
        };
      }),
    ],
  };
}
