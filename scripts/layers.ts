/**
 * Fails on an import that points upwards or at nothing, and on circles between files or between folders. The layers are those of
 * docs/architecture.md.
 */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";

/** From the top down; a file belongs to the longest folder that fits it. Imports go down, or stay within one entry. */
const LAYERS: readonly (readonly string[])[] = [
  ["src/cli"],
  ["src/cli/gateway"],
  ["src/cli/admin", "src/cli/content", "src/cli/pay"],
  ["src/cli/facilitator", "src/cli/ledger"],
  ["src/cli/common"],
  ["src/gateway/process"],
  ["src/gateway/process/workers"],
  ["src/gateway/process/gateway"],
  ["src/gateway/process/compile", "src/gateway/process/facilitators"],
  ["src/gateway/process/check"],
  ["src/gateway/process/listeners"],
  ["src/gateway/process/connections"],
  ["src/gateway/admin"],
  ["src/gateway/pipeline", "src/client"],
  ["src/gateway/tenants"],
  ["src/gateway/filters"],
  ["src/gateway/proxy"],
  ["src/gateway/policy", "src/gateway/static"],
  ["src/gateway/features"],
  ["src/gateway/upstream", "src/gateway/routing", "src/gateway/acme"],
  ["src/gateway/telemetry"],
  ["src/gateway/http1", "src/gateway/http2", "src/gateway/http3"],
  ["src/gateway/wire"],
  ["src/gateway/exchange"],
  ["src/gateway/config"],
  ["src/content"],
  ["src/content/mcp", "src/content/docs-page"],
  ["src/content/firecrawl"],
  ["src/content/api"],
  ["src/content/operations"],
  ["src/content/sessions", "src/content/live"],
  ["src/content/resolve", "src/content/map", "src/content/jobs", "src/content/qr"],
  ["src/content/search"],
  ["src/content/page-reader", "src/content/health"],
  ["src/content/ocr"],
  ["src/content/page-cache", "src/content/changes"],
  ["src/content/extractor"],
  ["src/content/documents"],
  ["src/content/extraction"],
  ["src/content/sites"],
  ["src/content/static"],
  ["src/content/browser"],
  ["src/content/page"],
  ["src/content/egress", "src/content/fonts", "src/content/figures", "src/content/encoding"],
  ["src/payments/browser", "src/payments/client", "src/payments/credit", "src/payments/settlement"],
  ["src/payments/channels"],
  ["src/payments/mpp"],
  ["src/payments/facilitator"],
  ["src/payments/solana-node"],
  ["src/payments/evm"],
  ["src/payments/signatures"],
  ["src/payments/x402"],
  ["src/payments/solana"],
  ["src/store"],
  ["src/lib"],
];

/** Folders whose files never import each other, wherever they stand above. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ["src/content", "src/gateway"],
  ["src/gateway", "src/content"],
];

/** Help for tests may import everything; only tests and other help for tests may import it. */
function isForTests(file: string): boolean {
  return file.includes("/testing/");
}

function layerOf(file: string): { rank: number; prefix: string } | undefined {
  let best: { rank: number; prefix: string } | undefined;
  for (const [rank, prefixes] of LAYERS.entries()) {
    for (const prefix of prefixes) {
      const fits = file === prefix || file.startsWith(`${prefix}/`);
      if (fits && prefix.length > (best?.prefix.length ?? 0)) best = { rank, prefix };
    }
  }
  return best;
}

const IMPORT =
  /(?:import|export)\s[^;"']*?from\s+"(\.[^"]+)"|(?:import|require)\s*\(?\s*"(\.[^"]+)"|new URL\("(\.[^"]+\.ts)"/g;

async function importsOf(file: string): Promise<string[]> {
  const text = await Bun.file(file).text();
  const found = new Set<string>();
  for (const match of text.matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3];
    if (target !== undefined) found.add(normalize(join(dirname(file), target)));
  }
  return [...found];
}

const files = [...new Glob("src/**/*.{ts,tsx}").scanSync(".")].filter((file) => !file.endsWith(".test.ts")).toSorted();
const graph = new Map<string, string[]>();
const problems: string[] = [];

for (const file of files) {
  const targets = await importsOf(file);
  graph.set(file, targets);
  const from = layerOf(file);
  if (from === undefined && !isForTests(file)) problems.push(`${file}: belongs to no layer of scripts/layers.ts`);
  for (const target of targets) {
    if (!existsSync(target)) problems.push(`${file}: imports ${target}, which does not exist`);
    if (isForTests(file)) continue;
    if (isForTests(target)) problems.push(`${file}: imports ${target}, which only tests may import`);
    const to = layerOf(target);
    if (from === undefined || to === undefined) continue;
    const upward = to.rank < from.rank || (to.rank === from.rank && to.prefix !== from.prefix);
    const forbidden = FORBIDDEN.some(([a, b]) => file.startsWith(a) && target.startsWith(b));
    if (upward || forbidden) problems.push(`${file}: imports ${target}, which is not below it`);
  }
}

/** Reports each circle of a graph once. Its nodes are files or folders. */
function reportCircles(edges: ReadonlyMap<string, Iterable<string>>): void {
  const state = new Map<string, "open" | "done">();
  const visit = (node: string, path: readonly string[]): void => {
    if (state.get(node) === "done") return;
    if (state.get(node) === "open") {
      problems.push(`circular import: ${[...path.slice(path.indexOf(node)), node].join(" → ")}`);
      return;
    }
    state.set(node, "open");
    for (const target of edges.get(node) ?? []) visit(target, [...path, node]);
    state.set(node, "done");
  };
  for (const node of edges.keys()) visit(node, []);
}

const folders = new Map<string, Set<string>>();
for (const [file, targets] of graph) {
  const from = dirname(file);
  for (const to of targets.map(dirname)) {
    if (isForTests(`${from}/`) || isForTests(`${to}/`) || from === to) continue;
    folders.set(from, (folders.get(from) ?? new Set()).add(to));
  }
}
reportCircles(graph);
reportCircles(folders);

const listed = LAYERS.map((prefixes) => prefixes.join(", ")).join("\n");
if (!(await Bun.file("docs/architecture.md").text()).includes(`\n${listed}\n`)) {
  problems.push("docs/architecture.md: its list of layers is not the one of scripts/layers.ts");
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files, every import points downwards`);
