/**
 * The accuracy of `POST /resolve` with the embedded analyst: real claims and invented market questions, with their
 * pages on loopback sites.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Asked, askAll, type Mode } from "./resolve/ask.ts";
import { type Claim, CLAIMS_FILE, readClaims } from "./resolve/claims.ts";
import { reliabilityDiagram } from "./resolve/diagram.ts";
import { figuresOf, line, type Outcome } from "./resolve/figures.ts";
import { crossValidated, fit } from "./resolve/fit.ts";
import { isMarketSet, OPEN_SETS, RESERVED_SETS } from "./resolve/market.ts";
import { runMarket } from "./resolve/market-run.ts";
import { type PageStyle, startSites } from "./resolve/sites.ts";

const FLAGS = {
  data: { type: "string", default: CLAIMS_FILE },
  "max-sources": { type: "string", default: "5" },
  only: { type: "string", default: "hints,found" },
  pages: { type: "string", default: "questions" },
  svg: { type: "string" },
  fit: { type: "boolean", default: false },
  set: { type: "string", default: "development" },
  wrappers: { type: "boolean", default: false },
  turns: { type: "boolean", default: false },
  lies: { type: "boolean", default: false },
  cases: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const USAGE = `usage: npm run bench -- resolve [--data FILE] [--only hints|found] [--pages questions|answers] [--max-sources 1..8] [--svg FOLDER] [--fit]
       npm run bench -- resolve --only market [--set ${[...OPEN_SETS, ...RESERVED_SETS].join("|")}] [--wrappers | --lies | --turns] [--cases]`;

interface Setting {
  readonly name: string;
  readonly asked: readonly Asked[];
}

/** Resolves to the exit code. */
export async function runResolveBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: FLAGS });
  const { set } = values;
  if (values.only === "market" && !values.help && isMarketSet(set)) {
    await runMarket({ ...values, set });
    return 0;
  }
  const modes = values.only.split(",").filter((mode): mode is Mode => mode === "hints" || mode === "found");
  const styles = values.pages
    .split(",")
    .filter((style): style is PageStyle => style === "questions" || style === "answers");
  const maxSources = Number(values["max-sources"]);
  if (values.help || modes.length === 0 || styles.length === 0 || !(maxSources >= 1 && maxSources <= 8)) {
    console.error(USAGE);
    return values.help ? 0 : 2;
  }
  const claims = readClaims(values.data);
  if (claims === undefined) {
    console.log(`skipped: ${values.data} is not there. It is AVeriTeC's data, which may not be part of the project.`);
    return 0;
  }
  const settings: Setting[] = [];
  for (const style of styles) settings.push(...(await asIn(claims, style, modes, maxSources)));
  report(settings, { svg: values.svg, withFit: values.fit });
  return 0;
}

async function asIn(
  claims: readonly Claim[],
  style: PageStyle,
  modes: readonly Mode[],
  maxSources: number,
): Promise<Setting[]> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-resolve-bench-"));
  const sites = startSites(claims, style, folder);
  try {
    const settings: Setting[] = [];
    for (const mode of modes) {
      const name = mode === "hints" ? "sources as hints" : "sources to be found";
      settings.push({ name: `${name}, ${style}`, asked: await askAll(claims, sites, mode, maxSources) });
    }
    return settings;
  } finally {
    await sites.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(settings: readonly Setting[], { svg, withFit }: { svg: string | undefined; withFit: boolean }): void {
  for (const { name, asked } of settings) {
    const mean = (value: (one: Asked) => number): string =>
      (asked.reduce((sum, one) => sum + value(one), 0) / asked.length).toFixed(1);
    console.log(
      `${name}: ${asked.length} claims, ${mean((one) => one.searches)} searches, ${mean((one) => one.sources.length)} sources, ` +
        `${mean((one) => one.cpuMs)} CPU-ms a question, of which the analyst ${mean((one) => one.analystCpuMs)}`,
    );
    const outcomes = asked.map(({ judgement, claim }) => ({ ...judgement, truth: claim.truth }));
    show(`  as it ships`, outcomes);
    if (svg !== undefined) draw(svg, name, outcomes);
  }
  if (!withFit) return;
  for (const [at, outcomes] of crossValidated(settings.map(({ asked }) => asked)).entries()) {
    show(`  cross-validated: ${settings[at]?.name ?? ""}`, outcomes);
    if (svg !== undefined) draw(svg, `${settings[at]?.name ?? ""}, cross-validated`, outcomes);
  }
  const model = fit(settings.flatMap(({ asked }) => asked));
  console.log("fitted to all, for src/content/resolve/embedded/lean.ts:");
  console.log(
    JSON.stringify(model, (_, value: unknown) => (typeof value === "number" ? Number(value.toFixed(2)) : value), 2),
  );
}

function show(name: string, outcomes: readonly Outcome[]): void {
  console.log(line(name, figuresOf(outcomes)));
}

function draw(folder: string, name: string, outcomes: readonly Outcome[]): void {
  const file = join(folder, `reliability-${name.replace(/[^a-z]+/g, "-")}.svg`);
  writeFileSync(file, reliabilityDiagram(name, figuresOf(outcomes).bins));
  console.log(`  ${file}`);
}
