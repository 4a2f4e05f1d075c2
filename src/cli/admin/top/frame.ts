import { type OverviewSnapshot } from "../../../gateway/admin/shapes/overview.ts";
import { counted } from "../../common/counted.ts";
import { amountText } from "../../common/ledger-record.ts";
import { visibleText } from "../../../lib/text/visible-text.ts";
import { ageText } from "../../../lib/time/age-text.ts";
import { bytesText, countText, timeText } from "../../common/units.ts";
import { narrowTable } from "./narrow-table.ts";
import { type Window } from "../../../gateway/admin/figures/rates.ts";
import {
  BUYER_COLUMNS,
  buyerRows,
  EVENT_COLUMNS,
  milliseconds,
  perSecond,
  routeColumns,
  SERVER_COLUMNS,
  serverRows,
  sortedRoutes,
} from "./sections.ts";
import { type Paint, paintLine, type Span, span, type Style } from "./spans.ts";
import { type Section, type TopState } from "./top-state.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Terminals with fewer rows than LOW_ROWS show only the first LOW_HEAD lines of the head. */
const LOW_ROWS = 16;
const LOW_HEAD = 3;
/** With fewer rows, one section has all the space. */
const ONE_SECTION_ROWS = 12;
/** The titles of a section and two rows. */
const MIN_SECTION_ROWS = 3;

const HELP: readonly string[] = [
  "q, Ctrl-C   quit",
  "s, S        sort routes by the next or last column",
  "r           reverse the order",
  "Tab         select routes, buyers, servers or events",
  "Up, Down    scroll the selected part; also j, k",
  "PgUp, PgDn  scroll faster",
  "p, Space    pause, or continue",
  "Ctrl-Z      suspend; fg resumes",
  "h, ?        open or close this page",
];

/** The lines of one frame: at most the rows and columns of the terminal. */
export function frameOf(state: TopState, { columns, rows }: Size, paint: Paint): string[] {
  const head = headLines(state).slice(0, rows < LOW_ROWS ? LOW_HEAD : undefined);
  const room = Math.max(rows - head.length - 1, 0);
  const body = state.showsHelp ? HELP.map((line) => [span(line)]) : bodyLines(state, room, columns);
  const lines = [...head, ...body.slice(0, room)];
  while (lines.length < rows - 1) lines.push([]);
  return [...lines, footLine(state)].slice(0, rows).map((line) => paintLine(line, columns, paint));
}

function headLines(state: TopState): Span[][] {
  const { snapshot, rates, version } = state;
  const name = span(`turnpike${version === "" ? "" : ` ${visibleText(version)}`}`, "title");
  const where = span(`  ${state.origin}`);
  if (snapshot === undefined) return [[stateSpan(state), name, where]];
  const up = span(`  up ${ageText(snapshot.time_ms - snapshot.started_at_ms)}`, "dim");
  const first = [stateSpan(state), name, where, up];
  if (rates === undefined) return [first, [span("the first figures appear in a second", "dim")]];
  const { p50, p95, p99, seconds } = rates;
  const errors = (text: string, value: number, style: Style): Span =>
    span(`  ${text} ${rate(value)}`, value > 0 ? style : "plain");
  return [
    first,
    [
      label("requests"),
      span(rate(rates.perSecond), "title"),
      errors("4xx", rates.clientErrors / seconds, "warn"),
      errors("5xx", rates.serverErrors / seconds, "bad"),
      span(`  in flight ${countText(snapshot.requests_in_flight)}`),
      span(`  ${sparkline(state.history)}`, "dim"),
    ],
    [label("latency"), span(`p50 ${milliseconds(p50)}  p95 ${milliseconds(p95)}  p99 ${milliseconds(p99)}`)],
    [
      label("traffic"),
      span(`in ${bytesText(rates.bytesIn)}/s  out ${bytesText(rates.bytesOut)}/s`),
      span(`  connections ${countText(snapshot.connections_open)}`),
      span(`  cache ${rates.cacheHits === undefined ? "-" : `${Math.round(rates.cacheHits * 100)} %`} hits`),
    ],
    [
      label("workers"),
      span(`${snapshot.workers.length}`),
      span(`  restarts ${snapshot.worker_restarts}`, snapshot.worker_restarts > 0 ? "warn" : "plain"),
      span(`  reloads ${snapshot.reloads}`),
      span(`  refused ${snapshot.reload_failures}`, snapshot.reload_failures > 0 ? "warn" : "plain"),
    ],
    ...filterLine(snapshot, rates),
    [label("money"), ...moneySpans(state, snapshot)],
    [],
  ];
}

function stateSpan({ trouble, isPaused }: TopState): Span {
  if (trouble !== undefined) return span(`reconnecting (${visibleText(trouble)})  `, "bad");
  return isPaused ? span("paused  ", "warn") : span("live  ", "good");
}

/** Columns of the labels at the start of the lines of the head. */
const LABEL_WIDTH = 10;

function label(text: string): Span {
  return span(text.padEnd(LABEL_WIDTH), "dim");
}

/** Absent if there are no filters. */
function filterLine({ wasm, filters }: OverviewSnapshot, { filters: rates, seconds }: Window): Span[][] {
  if (wasm.pool_instances === 0 && filters.entries.length === 0 && !wasm.control_configured) return [];
  const control = !wasm.control_configured
    ? []
    : [span(`  sandbox ${wasm.control_ready ? "ready" : "away"}`, wasm.control_ready ? "plain" : "bad")];
  const all = [...rates.values()];
  const failed = all.reduce((sum, one) => sum + one.failed, 0) / seconds;
  return [
    [
      label("filters"),
      span(rate(all.reduce((sum, { perSecond: own }) => sum + own, 0))),
      span(`  rejected ${rate(all.reduce((sum, { rejected }) => sum + rejected, 0) / seconds)}`),
      span(`  failed ${rate(failed)}`, failed > 0 ? "bad" : "plain"),
      span(`  parked ${wasm.park_active} of ${wasm.park_capacity}`),
      ...control,
      span(`  tenants ${wasm.tenants_active}`),
    ],
  ];
}

function moneySpans({ money }: TopState, { payments, time_ms: now }: OverviewSnapshot): Span[] {
  const breakers = payments.breakers_open;
  const away = breakers > 0 ? [span(`  facilitators: ${counted(breakers, "open breaker")}`, "bad")] : [];
  if (money?.available !== true) return [span(`open ${payments.open}  settled ${payments.settled}`), ...away];
  const today = timeText(now).slice(0, 10);
  const sold = Map.groupBy(
    money.days.filter(({ day }) => day === today),
    ({ network, asset }) => `${network} ${asset}`,
  );
  const sums = [...sold.values()].map((rows) => {
    const [first] = rows;
    const amount = rows.reduce((sum, row) => sum + (/^\d+$/.test(row.amount) ? BigInt(row.amount) : 0n), 0n);
    return amountText({ amount: String(amount), network: first?.network ?? "", token: first?.asset ?? "" });
  });
  return [
    span(`sold today ${sums.length === 0 ? "nothing" : visibleText(sums.join(", "))}`),
    span(`  open ${money.open}`, money.open > 0 ? "warn" : "plain"),
    span(`  unknown ${money.unknown}`, money.unknown > 0 ? "bad" : "plain"),
    span(`  owed ${money.owed}`, money.owed > 0 ? "warn" : "plain"),
    ...away,
  ];
}

function bodyLines(state: TopState, room: number, width: number): Span[][] {
  const sizes: Record<Section, number> = {
    routes: state.rates?.routes.size ?? 0,
    buyers: buyerRows(state).length,
    servers: serverRows(state).length,
    events: state.events.length,
  };
  const shown = room < ONE_SECTION_ROWS ? [state.focus] : state.sections;
  const shares = sharesOf(shown, sizes, { room, focus: state.focus });
  return shown.flatMap((section, i) => {
    const share = shares[section];
    const blank = i < shown.length - 1 ? [[]] : [];
    // A blank last row separates a section from the next.
    return [...sectionLines(state, section, { rows: share - blank.length, width }), ...blank];
  });
}

/** The rows of each section, including its titles and a blank row. */
function sharesOf(
  shown: readonly Section[],
  sizes: Readonly<Record<Section, number>>,
  { room, focus }: { readonly room: number; readonly focus: Section },
): Record<Section, number> {
  const shares: Record<Section, number> = { routes: 0, buyers: 0, servers: 0, events: 0 };
  const order = [focus, ...shown.filter((section) => section !== focus)];
  let left = room;
  for (const section of order) {
    shares[section] = Math.min(MIN_SECTION_ROWS + 1, left);
    left -= shares[section];
  }
  // Distributes the remaining rows one at a time among the sections that need more. The focused section gets the rest.
  while (left > 0) {
    const needy = order.filter((section) => shares[section] < sizes[section] + 2);
    for (const section of needy.length === 0 ? [focus] : needy.slice(0, left)) {
      shares[section] += 1;
      left -= 1;
    }
  }
  return shares;
}

function sectionLines(
  state: TopState,
  section: Section,
  { rows, width }: { readonly rows: number; readonly width: number },
): Span[][] {
  const view = { width, isFocused: state.focus === section };
  const part = <T>(items: readonly T[]): readonly T[] => {
    const most = Math.max(items.length - (rows - 1), 0);
    state.offsets[section] = Math.min(state.offsets[section], most);
    return items.slice(state.offsets[section], state.offsets[section] + Math.max(rows - 1, 0));
  };
  if (section === "events") return padded(narrowTable(EVENT_COLUMNS, part(state.events), view), rows, "no events yet");
  if (section === "buyers") return padded(narrowTable(BUYER_COLUMNS, part(buyerRows(state)), view), rows, "no buyers");
  if (section === "servers") {
    return padded(narrowTable(SERVER_COLUMNS, part(serverRows(state)), view), rows, "no upstreams");
  }
  return padded(narrowTable(routeColumns(state), part(sortedRoutes(state)), view), rows, "no requests yet");
}

function padded(lines: Span[][], rows: number, none: string): Span[][] {
  const all = lines.length === 1 ? [...lines, [span(none, "dim")]] : lines;
  return [...all, ...Array.from({ length: Math.max(rows - all.length, 0) }, () => [])].slice(0, Math.max(rows, 0));
}

function footLine(state: TopState): Span[] {
  const { focus, sort } = state;
  return [
    span("q quit  h help", "title"),
    span(
      `  s sort by ${sort}  Tab ${focus} from ${state.offsets[focus] + 1}  p ${state.isPaused ? "go on" : "pause"}`,
      "dim",
    ),
  ];
}

const BARS = "▁▂▃▄▅▆▇█";
/** Seconds in the small chart beside the figures. */
const SPARKS = 20;

function sparkline(history: readonly number[]): string {
  const last = history.slice(-SPARKS);
  const most = Math.max(...last, 0);
  if (most === 0) return "";
  return last.map((value) => BARS[Math.min(Math.floor((value / most) * BARS.length), BARS.length - 1)] ?? "").join("");
}

function rate(value: number): string {
  return `${perSecond(value)}/s`;
}
