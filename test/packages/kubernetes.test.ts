/**
 * The manifests of packaging/kubernetes: their files and references, and their configurations, which the checker
 * checks.
 */
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Glob } from "bun";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";
import manifest from "../../package.json";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { documentedMetrics, ROOT } from "../support/documents.ts";
import { COMMAND, Folder } from "../support/program.ts";

setDefaultTimeout(patient(20_000));

const FOLDER = join(ROOT, "packaging/kubernetes");
const OVERLAYS = ["single-machine", "shared-stores"];
/** Maximum seconds of a gateway's drain (docs/guides/upgrade.md). */
const DRAIN_S = 30;
/** Maximum seconds of a content service's drain (docs/guides/several-gateways.md). */
const CONTENT_DRAIN_S = 200;

const folder = new Folder();
afterAll(() => folder.remove());

const probeSchema = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const labelsSchema = z.record(z.string(), z.string());
const containerSchema = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal("ALL")]) }),
  }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const gatewaySchema = containerSchema.extend({
  ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
  envFrom: z.tuple([z.object({ secretRef: z.object({ name: z.string() }) })]),
  readinessProbe: probeSchema,
  livenessProbe: probeSchema,
  startupProbe: probeSchema,
  lifecycle: z.object({
    preStop: z.object({ exec: z.object({ command: z.tuple([z.literal("sleep"), z.string()]) }) }),
  }),
});
const deploymentSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    selector: z.object({ matchLabels: labelsSchema }),
    template: z.object({
      metadata: z.object({ labels: labelsSchema }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number().min(1) }),
        initContainers: z.tuple([containerSchema.extend({ restartPolicy: z.literal("Always") })]),
        containers: z.tuple([gatewaySchema]),
        volumes: z.array(z.looseObject({ name: z.string(), configMap: z.object({ name: z.string() }).optional() })),
      }),
    }),
  }),
});
const remoteSchema = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: labelsSchema }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number().min(1) }),
        containers: z.tuple([
          containerSchema.extend({
            ports: z.tuple([z.object({ name: z.string(), containerPort: z.number() })]),
            envFrom: z.tuple([z.object({ secretRef: z.object({ name: z.string() }) })]),
          }),
        ]),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
  }),
});
const serviceSchema = z.object({
  metadata: z.object({ name: z.string(), labels: labelsSchema }),
  spec: z.object({ selector: labelsSchema, ports: z.tuple([z.object({ name: z.string(), targetPort: z.string() })]) }),
});
const selectingSchema = z.object({ spec: z.object({ selector: z.object({ matchLabels: labelsSchema }) }) });
const autoscalerSchema = z.object({
  spec: z.object({
    scaleTargetRef: z.object({ kind: z.string(), name: z.string() }),
    metrics: z.tuple([z.object({ pods: z.object({ metric: z.object({ name: z.string() }) }) })]),
  }),
});
const monitorSchema = selectingSchema.extend({
  spec: selectingSchema.shape.spec.extend({
    endpoints: z.tuple([z.object({ port: z.string(), path: z.literal("/metrics") })]),
  }),
});
const generatorSchema = z.object({
  name: z.string(),
  behavior: z.literal("replace").optional(),
  files: z.array(z.string()).default([]),
  envs: z.array(z.string()).default([]),
});
const kustomizationSchema = z.object({
  resources: z.array(z.string()),
  patches: z.array(z.strictObject({ path: z.string() })).default([]),
  configMapGenerator: z.array(generatorSchema).default([]),
  secretGenerator: z.array(generatorSchema).default([]),
});
const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});

const FILES = [...new Glob("**/*.yaml").scanSync(FOLDER)].toSorted();

async function read(path: string): Promise<unknown> {
  return parse(await Bun.file(join(FOLDER, path)).text());
}

async function kustomization(name: string): Promise<z.output<typeof kustomizationSchema>> {
  return kustomizationSchema.parse(await read(`${name}/kustomization.yaml`));
}

function environmentOf(text: string): Map<string, string> {
  return new Map(
    text
      .trim()
      .split("\n")
      .map((line) => {
        const [name = "", ...value] = line.split("=");
        return [name, value.join("=")];
      }),
  );
}

const deployment = deploymentSchema.parse(await read("base/deployment.yaml"));
const service = serviceSchema.parse(await read("base/service.yaml"));
const { spec: pod, metadata: podMetadata } = deployment.spec.template;
const [gateway] = pod.containers;
const [content] = pod.initContainers;

describe("files", () => {
  test.each(FILES)("%s is valid YAML with named objects", async (path) => {
    const documents = parseAllDocuments(await Bun.file(join(FOLDER, path)).text());
    expect(Array.isArray(documents) ? documents.flatMap(({ errors }) => errors) : documents).toEqual([]);
    if (basename(path) === "kustomization.yaml") return;
    for (const document of documents) expect(() => objectSchema.parse(document.toJS())).not.toThrow();
  });

  test.each(["base", "content-services", ...OVERLAYS])(
    "%s lists each of its files once, and no others",
    async (name) => {
      const { resources, patches, configMapGenerator, secretGenerator } = await kustomization(name);
      const generators = [...configMapGenerator, ...secretGenerator];
      const listed = [
        ...resources.filter((path) => path !== "../base"),
        ...patches.map(({ path }) => path),
        ...generators.flatMap(({ files, envs }) => [...files, ...envs.map((path) => `${path}.example`)]),
      ];
      const there = [...new Glob("*").scanSync({ cwd: join(FOLDER, name), dot: true })].filter(
        (path) => path !== "kustomization.yaml" && path !== "secrets.env",
      );
      expect(listed.toSorted()).toEqual(there.toSorted());
      expect(resources.includes("../base")).toBe(OVERLAYS.includes(name));
    },
  );
});

describe("names", () => {
  test("selectors choose the pods, and the monitor chooses the service", async () => {
    const { labels } = podMetadata;
    expect(labels).toMatchObject(deployment.spec.selector.matchLabels);
    expect(labels).toMatchObject(service.spec.selector);
    const budget = selectingSchema.parse(await read("base/disruption-budget.yaml"));
    expect(labels).toMatchObject(budget.spec.selector.matchLabels);
    const monitor = monitorSchema.parse(await read("base/service-monitor.yaml"));
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    expect(monitor.spec.endpoints[0].port).toBe(service.spec.ports[0].name);
    // The alert TurnpikeDown selects this job.
    expect(service.metadata.name).toBe("turnpike");
  });

  test("ports, volumes and generated objects exist", async () => {
    const [port] = gateway.ports;
    expect(service.spec.ports[0].targetPort).toBe(port.name);
    for (const probe of [gateway.readinessProbe, gateway.livenessProbe, gateway.startupProbe]) {
      expect(probe.httpGet.port).toBe(port.name);
    }
    const volumes = pod.volumes.map(({ name }) => name);
    const mounted = [...gateway.volumeMounts, ...content.volumeMounts].map(({ name }) => name);
    expect([...new Set(mounted)].toSorted()).toEqual(volumes.toSorted());
    const { configMapGenerator } = await kustomization("base");
    const maps = pod.volumes.flatMap(({ configMap }) => configMap?.name ?? []);
    expect(configMapGenerator.map(({ name }) => name)).toEqual(maps);
    for (const overlay of OVERLAYS) {
      const { secretGenerator } = await kustomization(overlay);
      expect(secretGenerator.map(({ name }) => name)).toEqual([gateway.envFrom[0].secretRef.name]);
    }
  });

  test("the autoscaler scales the deployment by a metric of the gateway", async () => {
    const { scaleTargetRef, metrics } = autoscalerSchema.parse(await read("base/autoscaler.yaml")).spec;
    expect(scaleTargetRef).toEqual({ kind: "Deployment", name: deployment.metadata.name });
    expect(documentedMetrics().filter(({ name }) => name === metrics[0].pods.metric.name)).toHaveLength(1);
  });
});

describe("the pod", () => {
  test("has time for its drain, and the probes of the gateway", () => {
    const [, pause] = gateway.lifecycle.preStop.exec.command;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + DRAIN_S);
    expect([gateway.readinessProbe.httpGet.path, gateway.livenessProbe.httpGet.path]).toEqual(["/.ready", "/.healthz"]);
  });

  test("runs this version", () => {
    expect([gateway.image, content.image]).toEqual(Array(2).fill(`turnpike:${manifest.version}`));
  });
});

describe("content services", () => {
  test("pods, service and budget fit together, and the service starts only with a token and TLS", async () => {
    const { spec, metadata } = remoteSchema.parse(await read("content-services/deployment.yaml")).spec.template;
    const [container] = spec.containers;
    const { spec: chosen } = serviceSchema.parse(await read("content-services/service.yaml"));
    const budget = selectingSchema.parse(await read("content-services/disruption-budget.yaml"));
    expect(metadata.labels).toMatchObject(chosen.selector);
    expect(metadata.labels).toMatchObject(budget.spec.selector.matchLabels);
    expect(chosen.ports[0].targetPort).toBe(container.ports[0].name);
    expect(container.image).toBe(`turnpike:${manifest.version}`);
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(spec.volumes.map(({ name }) => name));
    const { secretGenerator } = await kustomization("content-services");
    expect(secretGenerator.map(({ name }) => name)).toEqual([container.envFrom[0].secretRef.name]);
    const { "--listen": listen, "--token-env": token, ...flags } = flagsOf(container.args);
    expect(listen).toBe(`0.0.0.0:${container.ports[0].containerPort}`);
    const example = environmentOf(await Bun.file(join(FOLDER, "content-services/secrets.env.example")).text());
    expect([...example.keys()]).toEqual([token ?? ""]);
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(mounts).toContain(dirname(flags["--tls-cert"] ?? ""));
    expect(mounts).toContain(dirname(flags["--tls-key"] ?? ""));
    expect(mounts).toContain(flags["--state-dir"] ?? "");
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(Number(flags["--drain-delay"]) + CONTENT_DRAIN_S);
  });
});

/** `content --flag value ...` */
function flagsOf([command, ...rest]: readonly string[]): Readonly<Record<string, string>> {
  expect(command).toBe("content");
  return Object.fromEntries(rest.flatMap((flag, i) => (i % 2 === 0 ? [[flag, rest[i + 1] ?? ""]] : [])));
}

/** A value for the secrets that an example leaves empty. */
const KEY = "0123456789abcdef0123456789abcdef";

const configSchema = z.looseObject({
  x402: z.looseObject({ facilitator_url: z.string() }),
  state_path: z.string(),
  server: z.looseObject({ port: z.number() }),
  upstreams: z.tuple([z.looseObject({ servers: z.tuple([z.object({ unix: z.string() })]) })]),
});

describe.each(OVERLAYS)("the configuration of %s", (overlay) => {
  const own = join(FOLDER, overlay, "turnpike.json");
  const find = async (): Promise<string> => ((await Bun.file(own).exists()) ? own : join(FOLDER, "base/turnpike.json"));

  test("passes turnpike check with the variables of its Secret; only its facilitator is unreachable", async () => {
    const example = environmentOf(await Bun.file(join(FOLDER, overlay, "secrets.env.example")).text());
    const filled = [...example].map(([name, value]) => [name, value === "" ? KEY : value]);
    const config = configSchema.parse(await Bun.file(await find()).json());
    const x402 = { ...config.x402, facilitator_url: `http://127.0.0.1:${await freePort()}` };
    const file = folder.write(`${overlay}.json`, { ...config, x402 });
    const { exitCode, stdout, stderr } = Bun.spawnSync([...COMMAND, "check", file], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder.path, ...Object.fromEntries(filled) },
    });
    const warnings = stderr.toString().split("\n");
    expect([exitCode, warnings.filter((line) => line !== "" && !line.includes("facilitator"))]).toEqual([0, []]);
    expect(stdout.toString()).toContain("ok (2 routes, 1 upstream)");
  });

  test("fits the pod: its port, its folders and its socket", async () => {
    const { state_path, server, upstreams } = configSchema.parse(await Bun.file(await find()).json());
    const writable = gateway.volumeMounts.map(({ mountPath }) => mountPath);
    const [{ unix }] = upstreams[0].servers;
    expect(server.port).toBe(gateway.ports[0].containerPort);
    expect(writable).toContain(state_path);
    expect(writable).toContain(dirname(unix));
    expect(content.args).toContain(unix);
    expect(content.volumeMounts.map(({ mountPath }) => mountPath)).toContain(dirname(unix));
    expect(gateway.args).toEqual(["--config", "/etc/turnpike/turnpike.json"]);
  });
});

function rendered(overlay: string): string {
  const copy = folder.file(overlay);
  cpSync(FOLDER, copy, { recursive: true });
  cpSync(join(copy, overlay, "secrets.env.example"), join(copy, overlay, "secrets.env"));
  const { exitCode, stdout, stderr } = Bun.spawnSync(["kubectl", "kustomize", join(copy, overlay)]);
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  return stdout.toString();
}

const KINDS = ["ConfigMap", "Deployment", "Namespace", "Secret", "Service", "ServiceMonitor"];
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  "single-machine": [...KINDS, "PersistentVolumeClaim"],
  "shared-stores": [...KINDS, "HorizontalPodAutoscaler", "PodDisruptionBudget"],
};

describe.skipIf(Bun.which("kubectl") === null)("kubectl, where it is installed,", () => {
  test.each(OVERLAYS)("builds %s", (overlay) => {
    const text = rendered(overlay);
    const objects = parseAllDocuments(text).map((document) => objectSchema.parse(document.toJS()));
    expect(objects.map(({ kind }) => kind).toSorted()).toEqual((EXPECTED[overlay] ?? []).toSorted());
    const namesOf = (kind: string): string[] =>
      objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
    // A change of the configuration or of a secret changes the object's name, which starts new pods.
    const built = deploymentSchema.parse(objects.find(({ kind }) => kind === "Deployment"));
    const { containers, volumes } = built.spec.template.spec;
    expect(namesOf("ConfigMap")).toEqual([expect.stringMatching(/^turnpike-\w+$/)]);
    expect(volumes.flatMap(({ configMap }) => configMap?.name ?? [])).toEqual(namesOf("ConfigMap"));
    expect([containers[0].envFrom[0].secretRef.name]).toEqual(namesOf("Secret"));
    const state = volumes.find(({ name }) => name === "state");
    expect(Object.keys(state ?? {}).toSorted()).toEqual(
      overlay === "single-machine" ? ["name", "persistentVolumeClaim"] : ["emptyDir", "name"],
    );
  });
});
