/** `npm run bench -- files`: reads files whose text is known, and compares their words. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { readFile } from "../src/content/documents/read-file.ts";
import { runProgram } from "../src/content/ocr/run-program.ts";
import { drawn, printed } from "../src/content/ocr/testing/scans.ts";
import { textOfLines, wordsOf } from "../src/content/ocr/ocr.ts";
import { mean, tokenF1 } from "../src/content/testing/reader-corpus.ts";
import { emlOf, odpOf, odsOf, xlsxOf } from "./files/written.ts";

/** The formats that pandoc writes of the project's documents. Each document is a file of each format. */
const FORMATS = ["docx", "odt", "rtf", "epub", "pptx"] as const;
/** The number of documents, bytes of the longest, and lines of a scanned page. */
const DOCUMENTS = 12;
const MAX_BYTES = 12_000;
const PAGE_LINES = 28;

interface Case {
  readonly name: string;
  readonly kind: string;
  readonly bytes: Uint8Array;
  readonly text: string;
}

interface Result extends Pick<Case, "name" | "kind"> {
  readonly f1: number;
  readonly ms: number;
}

/**
 * Prints the F1 of the words by format, and the time of a file; with `--list`, also those of each file. Pandoc makes the
 * files of the project's documents, and `files/written.ts` those of formats that it does not write. With `--folder`, each
 * file has its text beside it, in a file of the same name and `.txt`. `--scans` sets the number of drawn pages of 200
 * dots per inch that Tesseract reads.
 */
export async function runFilesBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { folder: { type: "string" }, scans: { type: "string", default: "0" }, list: { type: "boolean" } },
  });
  const cases = values.folder === undefined ? madeCases() : casesIn(values.folder);
  const results: Result[] = [];
  for (const { name, kind, bytes, text } of cases) {
    const start = performance.now();
    const found = (await readFile(bytes)).text();
    const ms = performance.now() - start;
    const f1 = tokenF1(found, text);
    results.push({ name, kind, f1, ms });
  }
  for (let scan = 0; scan < Number(values.scans); scan += 1) results.push(await scanResult(scan));
  if (values.list === true)
    for (const { name, f1, ms } of results) console.log(`${f1.toFixed(3)} ${ms.toFixed(0).padStart(5)} ms  ${name}`);
  console.log("format  files  mean word F1  lowest  below 0.97  mean ms");
  for (const [kind, group] of Map.groupBy(results, (result) => result.kind)) {
    const scores = group.map(({ f1 }) => f1);
    const cells = [
      kind.padEnd(6),
      `${group.length}`.padStart(6),
      mean(scores).toFixed(4).padStart(13),
      Math.min(...scores)
        .toFixed(3)
        .padStart(7),
      `${scores.filter((f1) => f1 < 0.97).length}`.padStart(11),
      mean(group.map(({ ms }) => ms))
        .toFixed(0)
        .padStart(8),
    ];
    console.log(cells.join(" "));
  }
  return 0;
}

function casesIn(folder: string): Case[] {
  return readdirSync(folder)
    .filter((name) => readdirSync(folder).includes(`${name}.txt`))
    .map((name) => ({
      name,
      kind: name.split(".").at(-1) ?? "",
      bytes: readFileSync(join(folder, name)),
      text: readFileSync(join(folder, `${name}.txt`), "utf8"),
    }));
}

/** Documents of the project that pandoc converts within seconds. */
function documents(): string[] {
  return readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
    .filter((path) => statSync(path).size < MAX_BYTES)
    .toSorted((one, other) => statSync(other).size - statSync(one).size)
    .slice(0, DOCUMENTS);
}

function madeCases(): Case[] {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-files-"));
  try {
    return documents().flatMap((path) => {
      const text = pandoc([path, "-f", "gfm", "-t", "plain", "--wrap=none"]);
      const html = pandoc([path, "-f", "gfm", "-t", "html"]);
      const written = { xlsx: xlsxOf(text), ods: odsOf(text), odp: odpOf(text), eml: emlOf(html, text) };
      const others = Object.entries(written).map(([kind, bytes]) => {
        return { name: `${basename(path)}.${kind}`, kind, bytes, text: plain(text) };
      });
      const made = FORMATS.map((kind) => {
        const file = join(folder, `x.${kind}`);
        pandoc([path, "-f", "gfm", "--standalone", "--resource-path=docs", "-o", file, "--metadata", "title=x"]);
        return { name: `${basename(path)}.${kind}`, kind, bytes: readFileSync(file), text: plain(text) };
      });
      return [...made, ...others];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The text without the rules of tables and the marks of lists, which have no letters. */
function plain(text: string): string {
  return text.replace(/^[ \t]*[-+=|: ]{3,}$/gm, "").replace(/^[ \t]*(?:-|\d+\.) /gm, "");
}

function pandoc(args: readonly string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["pandoc", ...args]);
  if (exitCode !== 0) throw new Error(`Cannot make a file: pandoc failed: ${stderr.toString()}`);
  return stdout.toString();
}

async function scanResult(number: number): Promise<Result> {
  const [path = ""] = documents().slice(number % DOCUMENTS);
  const words = plain(readFileSync(path, "utf8"))
    .replace(/[^A-Za-z0-9.,;:'\s-]/g, " ")
    .split(/\s+/)
    .filter((word) => word.length < 20);
  const lines = Array.from({ length: PAGE_LINES }, (_none, at) => words.slice(at * 9, at * 9 + 9).join(" "));
  const input = drawn(printed(lines), 200, "png");
  const start = performance.now();
  const tsv = await runProgram({ program: "tesseract", args: ["stdin", "stdout", "tsv"], input, timeoutMs: 60_000 });
  const ms = performance.now() - start;
  const found = wordsOf(tsv?.toString("utf8") ?? "")
    .map(textOfLines)
    .join("\n");
  return { name: `${basename(path)}.png`, kind: "scan", f1: tokenF1(found, lines.join("\n")), ms };
}
