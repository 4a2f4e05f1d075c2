/**
 * The dashboard and the rules of packaging/monitoring, compared with the metrics of the real gateway and with the
 * runbook, and checked by promtool.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { FILTER_OUTCOMES } from "../../src/gateway/telemetry/metrics/layout.ts";
import { CERTIFICATE_USES } from "../../src/gateway/telemetry/metrics/metrics.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { slugOf } from "../../scripts/site/slug.ts";
import { documentedMetrics, readDocument, ROOT } from "../support/documents.ts";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { type Metric, parseMetrics } from "../support/prometheus.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(20_000));

const RULES = join(ROOT, "packaging/monitoring/turnpike.rules.yaml");
const CASES = join(import.meta.dir, "testing/turnpike.rules.cases.yaml");
const RUNBOOK_PAGE = "https://turnpike.example/runbook.html#";

const rulesSchema = z.object({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.union([
          z.strictObject({ record: z.string(), expr: z.string() }),
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: z.string().optional(),
            labels: z.strictObject({ severity: z.enum(["critical", "warning"]) }),
            annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
          }),
        ]),
      ),
    }),
  ),
});

const panelSchema = z.object({
  id: z.number(),
  type: z.enum(["row", "stat", "timeseries"]),
  title: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() })).default([]),
});

const dashboardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.unknown() })) }),
  panels: z.array(panelSchema),
});

const rules = rulesSchema.parse(parse(await Bun.file(RULES).text())).groups.flatMap((group) => group.rules);
const alerts = rules.filter((rule) => "alert" in rule);
const records = rules.filter((rule) => "record" in rule);
const dashboard = dashboardSchema.parse(
  await Bun.file(join(ROOT, "packaging/monitoring/turnpike.dashboard.json")).json(),
);
const targets = dashboard.panels.flatMap((panel) => panel.targets);
const expressions = [...rules, ...targets].map(({ expr }) => expr);

/** Labels that Prometheus adds. */
const ADDED = ["job", "instance"];
/** Labels whose values depend on the configuration and the traffic. */
const OPEN = [...ADDED, "code", "le", "upstream", "server", "worker", "filter", "route"];

const METRIC = /([a-z]+:)?(turnpike_[a-z0-9_]+)(:[a-z0-9_]+)?(?:\{([^}]*)\})?/g;
const MATCHER = /([a-z_]+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g;
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;

interface Use {
  /** A metric, or a sample of a histogram. */
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly value: string }[];
}

function usesIn(expr: string): Use[] {
  return [...expr.matchAll(METRIC)]
    .filter(([, level]) => level === undefined)
    .map(([, , metric = "", , selector = ""]) => ({
      metric,
      matchers: [...selector.matchAll(MATCHER)].map(([, label = "", value = ""]) => ({ label, value })),
    }));
}

function groupingOf(expr: string): string[] {
  return [...expr.matchAll(GROUPING)].flatMap(([, list = ""]) => list.split(",").map((label) => label.trim()));
}

const folder = new Folder();
let gateway: Gateway;
let metrics: Map<string, Metric>;

beforeAll(async () => {
  gateway = await startGateway(everythingTo(await freePort()));
  await fetch(`http://127.0.0.1:${gateway.port}/`);
  metrics = parseMetrics(await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text());
});

afterAll(async () => {
  await gateway.stop();
  folder.remove();
});

function metricOf(name: string): Metric {
  const metric = metrics.get(name) ?? metrics.get(name.replace(/_(?:bucket|sum|count)$/, ""));
  if (metric === undefined) throw new Error(`The gateway has no metric ${name}`);
  return metric;
}

/** From the samples; for a metric without samples, from the documentation. */
function labelsOf(name: string): string[] {
  const { samples, name: documented } = metricOf(name);
  if (samples.length > 0) return [...new Set(samples.flatMap((sample) => Object.keys(sample.labels)))];
  const metric = documentedMetrics().find((candidate) => candidate.name === documented);
  return [...(metric?.labels ?? "").replaceAll(/\([^)]*\)/g, "").matchAll(/`([a-z]+)`/g)].map(
    ([, label = ""]) => label,
  );
}

function valuesOf(name: string, label: string): readonly string[] {
  if (name.startsWith("turnpike_filter_") && label === "outcome") return FILTER_OUTCOMES;
  if (name.startsWith("turnpike_certificate_")) return CERTIFICATE_USES;
  return metricOf(name).samples.flatMap((sample) => sample.labels[label] ?? []);
}

describe("expressions", () => {
  test("name only metrics, labels and values that the gateway has", () => {
    expect(expressions.length).toBeGreaterThan(50);
    for (const expr of expressions) {
      const uses = usesIn(expr);
      for (const { metric, matchers } of uses) {
        const known = [...labelsOf(metric), ...ADDED];
        for (const { label, value } of matchers) {
          expect({ expr, known }).toEqual({ expr, known: expect.arrayContaining([label]) });
          if (OPEN.includes(label)) continue;
          expect({ expr, is: valuesOf(metric, label) }).toEqual({ expr, is: expect.arrayContaining(value.split("|")) });
        }
      }
      if (uses.length === 0) continue;
      const known = [...uses.flatMap(({ metric }) => labelsOf(metric)), ...ADDED];
      expect({ expr, known }).toEqual({ expr, known: expect.arrayContaining(groupingOf(expr)) });
    }
  });

  test("name only recording rules that exist", () => {
    const recorded = records.map(({ record }) => record);
    const used = expressions.flatMap((expr) =>
      [...expr.matchAll(METRIC)].filter(([, level]) => level !== undefined).map(([name]) => name),
    );
    expect(recorded).toEqual(expect.arrayContaining(used));
    expect(new Set(recorded).size).toBe(recorded.length);
  });
});

describe("alerts", () => {
  test("link to a section of the runbook, which has no other sections", () => {
    const headings = [...readDocument("docs/runbook.md").matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
    expect(alerts.map(({ alert }) => alert)).toEqual(headings.filter((heading) => heading !== "Set up"));
    for (const { alert, annotations } of alerts) expect(annotations.runbook_url).toBe(RUNBOOK_PAGE + slugOf(alert));
  });
});

describe("the dashboard", () => {
  test("has panels with ids of their own, side by side", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
      expect({ title, right: x + w <= 24 }).toEqual({ title, right: true });
      return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    for (const panel of panels) expect(panel.targets.length > 0).toBe(panel.type !== "row");
  });

  test("uses only variables that it defines, and labels that remain", () => {
    const defined = dashboard.templating.list.map(({ name }) => name);
    for (const { expr, legendFormat } of targets) {
      const used = [...expr.matchAll(/\$([a-z]+)/g)].map(([, name = ""]) => name);
      expect(defined).toEqual(expect.arrayContaining(used));
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      expect({ expr, labels: groupingOf(expr) }).toEqual({ expr, labels: expect.arrayContaining(shown) });
    }
  });
});

function promtool(...args: readonly string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["promtool", ...args], { cwd: ROOT });
  expect([exitCode, exitCode === 0 ? "" : `${stdout.toString()}${stderr.toString()}`]).toEqual([0, ""]);
}

describe.skipIf(!isInstalled("promtool"))("promtool (the package prometheus), where it is installed,", () => {
  test("accepts the rules", () => {
    promtool("check", "rules", "--lint-fatal", RULES);
  });

  test("finds that alerts fire when they must, and at no other time", () => {
    promtool("test", "rules", CASES);
  });

  test("accepts the expressions of the dashboard", () => {
    const asRules = targets.map(({ expr }, at) => ({
      record: `panel:query_${at}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(?:job|instance)/g, ".*"),
    }));
    promtool(
      "check",
      "rules",
      folder.write("dashboard.yaml", JSON.stringify({ groups: [{ name: "dashboard", rules: asRules }] })),
    );
  });
});
