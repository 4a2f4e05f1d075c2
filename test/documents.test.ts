/** Everything that the documents name exists: files, commands, flags, prices, constants. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Glob } from "bun";
import packageJson from "../package.json";
import shipped from "../config/turnpike.json";
import { bounds } from "../scripts/bounds.ts";
import { slugOf } from "../scripts/site/slug.ts";
import { OPERATIONS } from "../src/content/operations/operations.ts";
import {
  blocksOf,
  codeOf,
  DOCUMENTS,
  FOLDER_DOCUMENTS,
  proseOf,
  readDocument,
  ROOT,
  rowsOf,
} from "./support/documents.ts";
import { loadText } from "../src/gateway/config/load.ts";
import { COMMAND } from "./support/program.ts";
import { patient } from "../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

/** Folders at which a shortened path in a document can begin. */
const FOLDERS = [
  "",
  "src",
  "src/gateway",
  "src/gateway/http1",
  "src/gateway/admin",
  "src/content",
  "src/content/egress",
  "examples/filters",
];
const PATH = /^[\w.*-]+(?:\/[\w.*-]+)+\/?$|^[\w-]+\.(?:ts|md|json)$/;
/** An IPv4 network, such as `192.168/16`. */
const NETWORK = /^\d[\d.]*\/\d+$/;
/** Files that an example creates, and texts that only look like paths. */
const NOT_HERE = new Set([
  "dist/turnpike",
  "dist/turnpike-0.1.0-alpha.1-amd64.image.tar",
  "dist/node_modules",
  "dist/turnpike-linux-x64-musl",
  "dist/turnpike-linux-arm64-musl",
  "gateway.json",
  "routes.json",
  "turnpike.json",
  "front.json",
  "proxy.json",
  "shop.json",
  "src/content/operations/NAME.ts",
  "provide-x.ts",
  "react/store",
  "acme-tls/1",
  "Europe/Vienna",
  "application/json",
  "application/octet-stream",
  "text/csv",
  "text/*",
  "tools/list",
  "solana-wallet.json",
  "text/event-stream",
  "text/html",
  "turnpike/ai",
  "turnpike/client",
  "turnpike/langchain",
]);

for (const document of [...DOCUMENTS, ...FOLDER_DOCUMENTS]) {
  test(`every link in ${document} leads to a file`, () => {
    const targets = [...proseOf(readDocument(document)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    const local = targets.filter((target) => !/^https?:/.test(target)).map((target) => target.split("#")[0] ?? "");
    expect(local.filter((target) => !existsSync(join(ROOT, dirname(document), target)))).toEqual([]);
  });

  test(`every anchor that ${document} links to is a heading`, () => {
    const anchors = [...proseOf(readDocument(document)).matchAll(/\]\(([^)\s:]*\.md)?#([^)\s]+)\)/g)];
    const missing = anchors.filter(([, path, anchor = ""]) => {
      const target = path === undefined ? document : join(dirname(document), path);
      return !headingsOf(readDocument(target)).has(anchor);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
}

for (const document of DOCUMENTS) {
  test(`every file that ${document} names exists`, () => {
    const paths = codeOf(readDocument(document)).filter((code) => PATH.test(code) && !NETWORK.test(code));
    expect(paths.filter((path) => !NOT_HERE.has(path) && !isThere(path))).toEqual([]);
  });

  test(`every command in ${document} exists, with every flag`, async () => {
    const wrong: string[] = [];
    for (const command of commandsOf(readDocument(document))) {
      if (!(await isCommand(command))) wrong.push(command);
    }
    expect(wrong).toEqual([]);
  });
}

/** The anchors of a document's headings. */
function headingsOf(document: string): Set<string> {
  return new Set([...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => slugOf(heading)));
}

function isThere(path: string): boolean {
  return FOLDERS.some((folder) => {
    const full = join(ROOT, folder, path);
    // A star can only be in the last part.
    if (!path.includes("*")) return existsSync(full);
    return existsSync(dirname(full)) && [...new Glob(basename(path)).scanSync(dirname(full))].length > 0;
  });
}

/** The command lines of shell blocks, and those in the prose. */
function commandsOf(document: string): string[] {
  const lines = blocksOf(document)
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"));
  const all = [...lines, ...codeOf(document)].flatMap((line) => line.split("&&")).map((line) => line.trim());
  return [...new Set(all)].filter((line) => /^(?:npm|npx|turnpike|node) /.test(line));
}

/** Arguments after the last script belong to the script. */
function areScripts(words: readonly string[]): boolean {
  const last = words.findLastIndex((word) => /\.m?[jt]s$/.test(word));
  const paths = last === -1 ? words : words.slice(0, last + 1);
  // `pay.mjs` is a script of a guide, which a test runs.
  return paths.every((path) => path.startsWith("--") || path === "pay.mjs" || isThere(path));
}

async function isCommand(line: string): Promise<boolean> {
  const [program = "", ...rest] = line.split(/\s+/);
  if (program === "turnpike") return isTurnpike(rest);
  // AssemblyScript's compiler; the test of `turnpike filter` builds the example with it.
  if (program === "npx" && rest[0] === "asc") return isThere("node_modules/assemblyscript");
  if (program === "npx") return rest[0] === "turnpike" && isTurnpike(rest.slice(1));
  if (program === "node") return areScripts(rest);
  const [script = "", ...more] = rest[0] === "run" ? rest.slice(1) : rest;
  if (script === "ci" || script === "install") return existsSync(join(ROOT, "package-lock.json"));
  if (!Object.hasOwn(packageJson.scripts, script)) return false;
  const args = more.filter((word) => word !== "--");
  if (script === "start") return isTurnpike(["start", ...args]);
  if (script === "bench") return isBench(args);
  // With a time of 0 they print their usage.
  if (script === "fuzz" || script === "soak") {
    return hasFlags(args, await output(`test/${script}/main.ts`, "--minutes", "0"));
  }
  if (script === "mutate") return hasFlags(args, await output("test/mutation/main.ts"));
  if (script === "kills") return hasFlags(args, await output("test/payments/kills-main.ts", "--help"));
  // Each part of the suites is a folder.
  if (script === "conformance") return args.every((part) => isThere(`test/conformance/${part}`));
  return args.every(isThere);
}

/** The first word is the name of a bench or absent, and the bench's help has every flag. */
async function isBench([name, ...flags]: readonly string[]): Promise<boolean> {
  if (name === undefined) return true;
  const listed = [...(await output("bench/main.ts")).matchAll(/^ {2}([\w-]+) /gm)].map(([, known]) => known);
  if (!listed.includes(name)) return false;
  // Benches without flags ignore --help, and run.
  return !flags.some((word) => word.startsWith("--")) || hasFlags(flags, await output("bench/main.ts", name, "--help"));
}

/** The first word is a command or absent, and its help has every flag. */
async function isTurnpike(args: readonly string[]): Promise<boolean> {
  const [first = ""] = args;
  const command = /^[a-z]+$/.test(first) ? [first] : [];
  const help = await outputOf([...COMMAND, ...command, "--help"]);
  return !help.includes("No command") && hasFlags(args, help);
}

function hasFlags(args: readonly string[], help: string): boolean {
  return args.filter((word) => word.startsWith("--") && word !== "--help").every((flag) => help.includes(flag));
}

const outputs = new Map<string, Promise<string>>();

/** The complete output of a script. */
function output(...args: readonly string[]): Promise<string> {
  return outputOf([process.execPath, ...args]);
}

/** The complete output of a command, which runs once. */
function outputOf(command: readonly string[]): Promise<string> {
  const key = command.join(" ");
  const known = outputs.get(key) ?? run(command);
  outputs.set(key, known);
  return known;
}

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return `${stdout}${stderr}`;
}

const configurations = DOCUMENTS.flatMap((document) =>
  blocksOf(readDocument(document))
    .filter(({ language, text }) => language === "json" && text.includes('"path_prefix"') && text.includes('"routes"'))
    .map(({ text }) => [document, text] as const),
);

test("every configuration with routes in a document loads without problems and warnings", () => {
  expect(configurations.length).toBeGreaterThan(10);
  const said = configurations.flatMap(([document, text]) => {
    const { problems, warnings } = loadText(text);
    return [...problems, ...warnings].map(({ path, message }) => `${document}: ${path}: ${message}`);
  });
  expect(said).toEqual([]);
});

test("the program's help and the configuration reference name the same flags of the gateway", async () => {
  const help = await outputOf([...COMMAND, "--help"]);
  const gateway = help.slice(help.indexOf("The gateway alone accepts:"));
  const listed = [...gateway.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag = ""]) => flag);
  const named = codeOf(readDocument("docs/configuration.md")).filter((code) => code.startsWith("--"));
  expect(listed).toContain("--port");
  expect(named.toSorted()).toEqual(listed.toSorted());
});

test("the README's table has all operations with their prices", () => {
  const listed = rowsOf(readDocument("README.md"), "`").map(([operation, price]) => [operation, price]);
  const real = OPERATIONS.map(({ method, path, price }) => [`\`${method.toUpperCase()} ${path}\``, price ?? "free"]);
  expect(listed).toEqual(real);
});

test("the shipped configuration has the price of every priced operation, and no price for free ones", () => {
  const routes = new Map(
    shipped.routes.map((route) => [route.path_prefix, "x402" in route ? route.x402?.price : undefined]),
  );
  expect(OPERATIONS.map(({ path }) => [path, routes.has(path), routes.get(path)])).toEqual(
    OPERATIONS.map(({ path, price }) => [path, true, price]),
  );
});

test("the reference of bounds has the constants with their values", async () => {
  const document = readDocument("docs/reference/bounds.md");
  const listed = document.replaceAll(/\n {2}/g, " ").matchAll(/^- \*\*(.+?)\*\*: .+ \(`([^`]+)`\)$/gm);
  const limits = [...listed].map(([, limit, constant]) => [constant, limit]);
  expect(limits).toContainEqual(["process/listeners/handshake.ts#MAX_HANDSHAKES", "1,024"]);
  expect(limits).toContainEqual(["wire/read-certificates.ts#MAX_PEM_BYTES", "1 MiB"]);
  const all = await bounds();
  expect(all.length).toBeGreaterThan(600);
  const shown = all.flatMap(({ forOperators }) => forOperators ?? []);
  expect(shown).not.toContain("");
  expect(limits.length).toBe(shown.length);
});

test("every decision that the code cites by number has a record, and the code cites every record", () => {
  const records = new Set(DOCUMENTS.map((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1]));
  const cited = [...new Glob("{src,test,bench}/**/*.{ts,tsx}").scanSync(ROOT)].flatMap((path) =>
    // A comment can end its line between the word and the number.
    [...readDocument(path).matchAll(/\b[Dd]ecision[\s*/]+(\d{4})\b/g)].map(([, number]) => ({ path, number })),
  );
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ number }) => !records.has(number))).toEqual([]);
  const numbers = new Set(cited.map(({ number }) => number));
  expect([...records].filter((number) => number !== undefined && !numbers.has(number))).toEqual([]);
});

test("records of decisions have 60 to 250 words", () => {
  const records = DOCUMENTS.filter((path) => /^docs\/decisions\/\d/.test(path));
  expect(records.length).toBeGreaterThan(15);
  const lengths = records.map((path) => {
    const words = readDocument(path)
      .replaceAll(/^#.*$/gm, "")
      .split(/\s+/)
      .filter((word) => /\w/.test(word));
    return [path, words.length] as const;
  });
  expect(lengths.filter(([, words]) => words < 55 || words > 260)).toEqual([]);
});

test("the architecture is an orientation of at most 3,000 words", () => {
  expect(readDocument("docs/architecture.md").split(/\s+/).length).toBeLessThanOrEqual(3000);
});

test("the architecture's picture of a payment has a line for every state of a sale, and no other", () => {
  const picture = /^## Life of a payment\n[\s\S]*?```text\n([\s\S]*?)```/m.exec(
    readDocument("docs/architecture.md"),
  )?.[1];
  const shown = [...(picture ?? "").matchAll(/^([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
  const source = readDocument("src/gateway/policy/payment/sale/sale-state.ts");
  const states = new Set([...source.matchAll(/readonly at: "([a-z]+)"/g)].map(([, name = ""]) => name));
  expect(shown.toSorted()).toEqual([...states].filter((name) => name !== "over").toSorted());
});
