import { lstatSync, mkdirSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JobResult } from "../../../client/operations.ts";
import { codeOf } from "../../../lib/caught.ts";
import { cannotWrite, refuseUnwritable } from "../../common/output-file.ts";
import { withoutControls } from "../../common/terminal.ts";
import { writeStandard } from "../../common/standard-output.ts";
import { pageText } from "./page-text.ts";
import { pageNames } from "./page-name.ts";
import { ResultLines } from "./result-lines.ts";

export interface ResultSink {
  /** The number of the last result that it has. */
  readonly last: number;
  put(result: JobResult): void | Promise<void>;
  close(): void;
}

/** The name of the index of a folder: a line of JSON for each result, without its content. */
const INDEX = "index.ndjson";
/** Names of one page that are tried. If other files have all of them, the command fails. */
const MAX_NAMES = 100;
const EXTENSIONS: Readonly<Record<string, string>> = { markdown: "md", html: "html" };

/** True if `--out` names a file of lines. Otherwise it names a folder. */
function isLines(out: string): boolean {
  return /\.(?:ndjson|jsonl)$/i.test(out);
}

/**
 * The file or the folder of `--out`. It is to be new, unless it `goesOn`, with the results that it has. Throws an error that
 * names it.
 */
export function sinkAt(out: string, goesOn: boolean): ResultSink {
  return isLines(out) ? lineSink(new ResultLines(out, goesOn)) : folderSink(out, goesOn);
}

/** Throws an error if `--out` cannot become a new file or folder of results, before they are paid for. */
export function refuseUsed(out: string): void {
  const known = existing(isLines(out) ? out : join(out, INDEX));
  const isFile = !isLines(out) && existing(out)?.isDirectory() === false;
  if (isFile) throw new Error(`Cannot write to "${out}": it is a file; name a folder, or a file that ends in .ndjson`);
  if (known !== undefined) throw new Error(`Cannot write to "${out}": it has results; name another one with --out`);
  refuseUnwritable(out, !isLines(out));
}

function existing(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function lineSink(lines: ResultLines): ResultSink {
  return {
    last: lines.last,
    put: (result) => lines.append(JSON.stringify(result)),
    close: () => lines.close(),
  };
}

/** A file for each page, and the index. A file is written before its line, so that the index names complete files. */
function folderSink(folder: string, goesOn: boolean): ResultSink {
  mkdirSync(folder, { recursive: true });
  const index = new ResultLines(join(folder, INDEX), goesOn);
  return {
    last: index.last,
    put(result) {
      const { content: _, format, metadata, results, ...facts } = result;
      const text = pageText(result);
      const extension = results === undefined ? (EXTENSIONS[format ?? ""] ?? "txt") : "json";
      const file = text === undefined ? undefined : writePage(folder, facts.url, extension, text);
      const title = metadata?.title;
      index.append(JSON.stringify({ ...facts, ...(title === undefined ? {} : { title }), ...(file && { file }) }));
    },
    close: () => index.close(),
  };
}

/** Writes a page to a new file, and returns its name. No file is overwritten, and no link is followed. */
function writePage(folder: string, url: string, extension: string, content: string): string {
  const text = content.endsWith("\n") ? content : `${content}\n`;
  const [plain, unique] = pageNames(url);
  for (let count = 0; count < MAX_NAMES; count++) {
    const name = `${count === 0 ? plain : count === 1 ? unique : `${unique}-${count}`}.${extension}`;
    const path = join(folder, name);
    try {
      writeFileSync(path, text, { flag: "wx" });
      return name;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") {
        rmSync(path, { force: true });
        throw cannotWrite(`"${path}"`, error);
      }
      // The command was stopped between the file and its line in the index.
      if (lstatSync(path).isFile() && readFileSync(path, "utf8") === text) return name;
    }
  }
  throw new Error(`Cannot find a free name for ${url} in "${folder}"`);
}

/** Standard output: each page below its address, or with `json` a line for each result. `note` gets the errors. */
export function standardSink(
  { json, last = 0 }: { readonly json: boolean; readonly last?: number },
  note: (line: string) => void,
): ResultSink {
  return {
    last,
    async put(result) {
      if (json) return await writeStandard(`${JSON.stringify(result)}\n`);
      const { url, error } = result;
      const content = pageText(result);
      if (content === undefined) return note(`failed ${url}: ${error ?? ""}`);
      const text = `==> ${url} <==\n${content.trimEnd()}\n\n`;
      return await writeStandard(process.stdout.isTTY ? withoutControls(text) : text);
    },
    close() {},
  };
}
