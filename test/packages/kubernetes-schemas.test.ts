/**
 * The manifests of packaging/kubernetes, checked by the published schemas, and their requests checked by a real
 * gateway.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import * as z from "zod";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { ROOT } from "../support/documents.ts";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { type Metric, parseMetrics } from "../support/prometheus.ts";

setDefaultTimeout(patient(20_000));

const FOLDER = join(ROOT, "packaging/kubernetes");
const OVERLAYS = ["single-machine", "shared-stores"];
/** Files with whole objects. The others are patches, which only kustomize completes. */
const WHOLE = [
  "base/namespace.yaml",
  "base/deployment.yaml",
  "base/service.yaml",
  "base/disruption-budget.yaml",
  "base/autoscaler.yaml",
  "base/service-monitor.yaml",
  "single-machine/volume-claim.yaml",
];

const folder = new Folder();
afterAll(() => folder.remove());

const objectSchema = z.looseObject({ apiVersion: z.string(), kind: z.string() });
type KubernetesObject = z.output<typeof objectSchema>;
const probeSchema = z.object({ httpGet: z.object({ path: z.string() }) });
const probesSchema = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({ readinessProbe: probeSchema, livenessProbe: probeSchema, startupProbe: probeSchema }),
        ]),
      }),
    }),
  }),
});
const autoscalerSchema = z.object({
  spec: z.object({
    metrics: z.tuple([z.object({ pods: z.object({ metric: z.object({ name: z.string() }) }) })]),
  }),
});
const monitorSchema = z.object({ spec: z.object({ endpoints: z.tuple([z.object({ path: z.string() })]) }) });
const modelSchema = z.custom<new (object: object) => { validate(): void }>((value) => typeof value === "function");

function parsed(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => objectSchema.parse(document.toJS()));
}

async function read(path: string): Promise<KubernetesObject[]> {
  return parsed(await Bun.file(join(FOLDER, path)).text());
}

/** The module with the models of an API version; each model has the name of its kind. */
function moduleOf(apiVersion: string): string {
  const name = apiVersion.startsWith("monitoring.coreos.com/")
    ? "@kubernetes-models/prometheus-operator"
    : "kubernetes-models";
  return join(ROOT, "node_modules", name, apiVersion);
}

/** Throws if a required field is missing or a field has a wrong type. The validators accept unknown fields. */
async function validate(object: KubernetesObject): Promise<void> {
  const { kind, apiVersion } = object;
  const models: unknown = await import(join(moduleOf(apiVersion), `${kind}.js`));
  const { [kind]: Model } = z.looseObject({ [kind]: modelSchema }).parse(models);
  if (Model === undefined) throw new Error(`There is no model of ${apiVersion} ${kind}`);
  new Model(object).validate();
}

/** The compiler's errors for objects that are written as literals of their types, which include unknown fields. */
function compilerErrors(objects: readonly KubernetesObject[]): string {
  const lines = objects.flatMap(({ apiVersion, kind, ...rest }, at) => [
    `import type { I${kind} as Type${at} } from ${JSON.stringify(moduleOf(apiVersion))};`,
    `export const object${at}: Type${at} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
  ]);
  const file = folder.write("objects.ts", lines.join("\n"));
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext", "--moduleResolution", "bundler"];
  const command = [join(ROOT, "node_modules/.bin/tsc"), "--ignoreConfig", ...options, "--types", "", file];
  return Bun.spawnSync(command).stdout.toString();
}

function rendered(overlay: string): KubernetesObject[] {
  const copy = folder.file(overlay);
  cpSync(FOLDER, copy, { recursive: true });
  cpSync(join(copy, overlay, "secrets.env.example"), join(copy, overlay, "secrets.env"));
  const { exitCode, stdout, stderr } = Bun.spawnSync(["kubectl", "kustomize", join(copy, overlay)]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  return parsed(stdout.toString());
}

describe("the schemas of Kubernetes and of the Prometheus operator", () => {
  test("accept each file of whole objects", async () => {
    const objects = (await Promise.all(WHOLE.map(read))).flat();
    expect(objects).toHaveLength(WHOLE.length);
    for (const object of objects) await validate(object);
    expect(compilerErrors(objects)).toBe("");
  });

  test("find an unknown field, a wrong type and a missing field", async () => {
    const [service] = await read("base/service.yaml");
    const [autoscaler] = await read("base/autoscaler.yaml");
    if (service === undefined || autoscaler === undefined) throw new Error("There are no objects");
    expect(compilerErrors([{ ...service, specification: {} }])).toMatch(/specification\W+ does not exist/);
    expect(validate({ ...service, spec: { ports: "http" } })).rejects.toThrow("ports");
    expect(validate({ ...autoscaler, spec: { minReplicas: 2 } })).rejects.toThrow("maxReplicas");
  });

  test.skipIf(Bun.which("kubectl") === null).each(OVERLAYS)(
    "accept %s as kubectl builds it, where it is installed",
    async (overlay) => {
      const objects = rendered(overlay);
      for (const object of objects) await validate(object);
      expect(compilerErrors(objects)).toBe("");
    },
  );
});

describe("a gateway", () => {
  let gateway: Gateway;
  let metrics: Map<string, Metric>;

  beforeAll(async () => {
    gateway = await startGateway(everythingTo(await freePort()));
    const [monitor] = await read("base/service-monitor.yaml");
    const [{ path }] = monitorSchema.parse(monitor).spec.endpoints;
    metrics = parseMetrics(await (await fetch(`http://127.0.0.1:${gateway.port}${path}`)).text());
  });
  afterAll(() => gateway.stop());

  test("responds to each probe of the pod with 200", async () => {
    const [deployment] = await read("base/deployment.yaml");
    const [{ readinessProbe, livenessProbe, startupProbe }] =
      probesSchema.parse(deployment).spec.template.spec.containers;
    for (const { httpGet } of [readinessProbe, livenessProbe, startupProbe]) {
      const response = await fetch(`http://127.0.0.1:${gateway.port}${httpGet.path}`);
      expect({ path: httpGet.path, status: response.status }).toEqual({ path: httpGet.path, status: 200 });
    }
  });

  test("has the metric of the autoscaler, a gauge of which the rule in docs/guides/kubernetes.md makes a sum", async () => {
    const [autoscaler] = await read("base/autoscaler.yaml");
    const [{ pods }] = autoscalerSchema.parse(autoscaler).spec.metrics;
    expect(metrics.get(pods.metric.name)).toMatchObject({ type: "gauge" });
    const guide = await Bun.file(join(ROOT, "docs/guides/kubernetes.md")).text();
    expect(guide).toContain(`seriesQuery: ${pods.metric.name}{`);
    expect(guide).toContain("metricsQuery: sum by ");
  });
});
