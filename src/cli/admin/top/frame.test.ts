import { expect, test } from "bun:test";
import { type OverviewSnapshot } from "../../../gateway/admin/shapes/overview.ts";
import { frameOf } from "./frame.ts";
import { readKeys } from "./keys.ts";
import { filterEntry, QUIET } from "../../../gateway/admin/testing/quiet.ts";
import { COLORED, COLORLESS, widthOf } from "./spans.ts";
import { TopState } from "./top-state.ts";

const EVIL = "\u001b[2J\u202ee\r\n";

function route(
  name: string,
  requests: number,
  over: Partial<OverviewSnapshot["routes"][number]> = {},
): OverviewSnapshot["routes"][number] {
  return {
    route: name,
    requests,
    client_errors: 0,
    server_errors: 0,
    request_bytes: 0,
    response_bytes: requests * 1000,
    durations: { counts: [requests, 0] },
    ...over,
  };
}

function snapshot(seconds: number, routes: readonly OverviewSnapshot["routes"][number][]): OverviewSnapshot {
  return {
    ...QUIET,
    time_ms: 7_000_000 + seconds * 1000,
    started_at_ms: 1000,
    workers: [{ row: 1, pid: 1, started_at_ms: 1000, requests_in_flight: 1, connections: 1 }],
    requests: routes.reduce((sum, { requests }) => sum + requests, 0),
    responses: { ...QUIET.responses, "5xx": seconds },
    connections_open: 3,
    requests_in_flight: 2,
    durations: { bounds_ms: [10], counts: [seconds, 0] },
    routes: [...routes],
    upstreams: [
      {
        name: `api${EVIL}`,
        servers: Array.from({ length: 4 }, (_, i) => ({
          server: `127.0.0.1:${9000 + i}`,
          source: "configured",
          weight: 1,
          backup: false,
          health: i === 1 ? "unhealthy" : "healthy",
          in_rotation: i !== 1,
          drained: false,
          reason: i === 1 ? `refused ${EVIL}` : "",
          requests_in_flight: 0,
          connections: 1,
          failures: 0,
        })),
      },
    ],
  };
}

function busy(): TopState {
  const state = new TopState("http://127.0.0.1:9180");
  const routes = (seconds: number) =>
    Array.from({ length: 40 }, (_, i) =>
      route(`/r${String(i).padStart(2, "0")}/\u65e5\u672c${EVIL}`, seconds * (100 - i), {
        server_errors: i === 7 ? seconds : 0,
      }),
    );
  state.version = `0.1${EVIL}`;
  state.took(snapshot(1, routes(1)));
  state.took(snapshot(2, routes(2)));
  for (let id = 1; id <= 30; id++) {
    state.add({ id, time_ms: id * 1000, kind: "change", message: `change ${id} ${EVIL}`, outcome: "done" });
  }
  return state;
}

const SIZES = [1, 2, 3, 5, 8, 10, 13, 16, 17, 24, 40, 100].flatMap((rows) =>
  [1, 7, 20, 40, 79, 80, 132, 400].map((columns) => ({ rows, columns })),
);

test("a frame fits every terminal size and cannot steer the terminal", () => {
  for (const size of SIZES) {
    for (const keys of ["", "\t", "\t\t", "h", "ssssj", "\u001b[6~".repeat(9)]) {
      const state = busy();
      for (const key of readKeys(keys)) state.press(key);
      const lines = frameOf(state, size, COLORLESS);
      expect(lines.length).toBe(size.rows);
      for (const line of lines) {
        expect(widthOf(line)).toBeLessThanOrEqual(size.columns);
        expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
      }
      // Colours do not change the width, and end with their text.
      for (const [i, line] of frameOf(state, size, COLORED).entries()) {
        expect(Bun.stripANSI(line)).toBe(lines[i] ?? "");
        expect(line.match(/\u001b\[0m/g)?.length ?? 0).toBe(line.match(/\u001b\[[1-9][\d;]*m/g)?.length ?? 0);
      }
    }
  }
});

test("80 x 24 has figures, routes, servers with trouble first, and events, newest first", () => {
  const text = frameOf(busy(), { columns: 80, rows: 24 }, COLORLESS).join("\n");
  for (const title of ["requests  ", "latency   ", "traffic   ", "money     ", "ROUTE ", "SERVER ", "EVENT "]) {
    expect(text).toContain(`\n${title}`);
  }
  expect(text).toMatch(/^live {2}turnpike 0\.1\S* {2}http:\/\/127\.0\.0\.1:9180 {2}up 1 h 5…\n/);
  expect(text).toMatch(/\/r00\S+ +100 +0 +0 +5ms +9\.5ms +9\.9ms +100 kB/);
  expect(text).toMatch(/REASON *\napi\S*… +unhealthy +out .*\n/);
  expect(text).toMatch(/MESSAGE *\n00:00:30Z {2}change {2}change 30 \\u\{1b\}\[2J\\u\{202e\}e\\u\{d\}/);
});

test("the payments of today are those of the gateway's day", () => {
  const state = busy();
  const sold = { route: "/r", network: "eip155:1", asset: "XYZ", payments: 1 };
  const days = [
    { ...sold, day: "1970-01-01", amount: "7" },
    { ...sold, day: "1970-01-02", amount: "5" },
  ];
  state.money = { available: true, days, open: 0, unknown: 0, deferred: 0, owed: 0, recent: [] };
  const line = frameOf(state, { columns: 80, rows: 24 }, COLORLESS).find((text) => text.startsWith("money"));
  expect(line).toContain("sold today 7 units");
});

test("open breakers of facilitators are beside the money", () => {
  const state = new TopState("http://127.0.0.1:9180");
  const first = snapshot(1, []);
  const shown = (): string => frameOf(state, { columns: 80, rows: 24 }, COLORLESS).join("\n");
  state.took(first);
  state.took(snapshot(2, []));
  expect(shown()).not.toContain("breaker");
  state.took({ ...snapshot(3, []), payments: { ...first.payments, breakers_open: 2 } });
  expect(shown()).toContain("facilitators: 2 open breakers");
});

test("filters have their own line if there are any", () => {
  const state = new TopState("http://127.0.0.1:9180");
  const first = snapshot(1, []);
  const wasm = { ...first.wasm, park_active: 3, pool_instances: 4, control_configured: true, tenants_active: 2 };
  state.took(first);
  expect(frameOf(state, { columns: 80, rows: 24 }, COLORLESS).join("\n")).not.toContain("filters");
  state.took({ ...snapshot(2, []), wasm, filters: { ...QUIET.filters, entries: [filterEntry({ reject: 5 })] } });
  const line = frameOf(state, { columns: 80, rows: 24 }, COLORLESS).find((text) => text.startsWith("filters"));
  expect(line?.trim()).toBe("filters   5/s  rejected 5/s  failed 0/s  parked 3 of 64  sandbox away  tenants 2");
});

test("40 x 10 has the main figures and one section, which Tab changes", () => {
  const state = busy();
  const first = frameOf(state, { columns: 40, rows: 10 }, COLORLESS);
  expect(first.slice(1, 4).map((line) => line.slice(0, 9).trim())).toEqual(["requests", "latency", "ROUTE"]);
  expect(first.join("\n")).not.toContain("SERVER");
  state.press("focus");
  expect(frameOf(state, { columns: 40, rows: 10 }, COLORLESS)[3]).toStartWith("SERVER");
  state.press("focus");
  expect(frameOf(state, { columns: 40, rows: 10 }, COLORLESS)[3]).toStartWith("EVENT");
});

function firstRoute(state: TopState): string | undefined {
  return frameOf(state, { columns: 80, rows: 24 }, COLORLESS).find((line) => line.startsWith("/r"));
}

test("keys sort routes in both directions, and scrolling stops at the last row", () => {
  const state = busy();
  expect(firstRoute(state)).toStartWith("/r00");
  state.press("sort");
  expect(firstRoute(state)).toStartWith("/r07");
  for (let i = 0; i < 3; i++) state.press("sort");
  state.press("reverse");
  expect(firstRoute(state)).toStartWith("/r39");
  for (let i = 0; i < 50; i++) state.press("page-down");
  const last = frameOf(state, { columns: 80, rows: 24 }, COLORLESS).filter((line) => line.startsWith("/r"));
  expect(last.at(-1)).toStartWith("/r00");
  expect(last.length).toBeGreaterThan(1);
});

test("the view shows that a gateway is unreachable or has been restarted", () => {
  const state = busy();
  state.trouble = "nothing listens there";
  expect(frameOf(state, { columns: 80, rows: 24 }, COLORLESS)[0]).toStartWith("reconnecting (nothing listens there)");
  state.took({ ...snapshot(9, []), started_at_ms: 7_008_000 });
  const lines = frameOf(state, { columns: 80, rows: 24 }, COLORLESS);
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^live .* up 1 s$/),
    "the first figures appear in a second",
  ]);
});

test("buyers are shown by route and class of clients if there are some, with the reasons of losses", () => {
  const state = busy();
  const shown = (columns: number): string => frameOf(state, { columns, rows: 40 }, COLORLESS).join("\n");
  expect(shown(120)).not.toContain("BUYERS");
  const entry = { route: "/goods", stages: { unpaid: 9, signed: 4, delivered: 3 } };
  const funnel = [
    { ...entry, client: `sdk${EVIL}`, losses: { expired: 1, unfunded: 7 } },
    { ...entry, client: "browser", stages: { unpaid: 40 }, losses: {} },
  ];
  state.took({ ...snapshot(9, []), funnel });
  const lines = shown(160).split("\n");
  const at = lines.findIndex((line) => line.startsWith("BUYERS"));
  expect(lines[at]).toMatch(/CLIENT\s+FREE\s+UNPAID\s+SIGNED\s+VERIFIED\s+SETTLED\s+DELIVERED\s+AGAIN\s+LOST/);
  expect(lines[at + 1]).toMatch(/^\/goods\s+browser\s+0\s+40\s+0/);
  expect(lines[at + 2]).toMatch(/^\/goods\s+sdk\S*.*\s+9\s+4\s+0\s+0\s+3\s+0\s+unfunded 7, expired 1\s*$/);
  for (const line of shown(40).split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(40);
  state.press("focus");
  expect(state.focus).toBe("buyers");
});
