/** `npm run bench -- documents`: reads PDF documents whose tables are known, and compares their cells. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pdfContent } from "../src/content/documents/pdf.ts";
import { mean } from "../src/content/testing/reader-corpus.ts";
import { printedCases } from "./documents/printed-cases.ts";
import { f1Of, scoreOf, tablesIn } from "./documents/score.ts";
import { type Case, writtenCases } from "./documents/written-cases.ts";

const USAGE =
  "usage: npm run bench -- documents [--half open|reserved] [--written] [--only NAME] [--keep DIR] [--list]";

interface Result {
  readonly kind: Case["kind"];
  readonly f1: number;
}

/**
 * Prints the mean F1 of the cells by kind of table. Half of the documents is reserved: rules are made with the other
 * half. `--keep` writes the documents and what was read.
 */
export async function runDocumentsBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      half: { type: "string" },
      only: { type: "string" },
      keep: { type: "string" },
      written: { type: "boolean" },
      list: { type: "boolean" },
    },
  });
  if (values.half !== undefined && values.half !== "open" && values.half !== "reserved") {
    console.error(USAGE);
    return 2;
  }
  const all = [...writtenCases(), ...(values.written === true ? [] : await printedCases())];
  const results: Result[] = [];
  let [headings, wrong] = [0, 0];
  for (const one of all) {
    if (values.half !== undefined && (isReserved(one) ? "reserved" : "open") !== values.half) continue;
    if (values.only !== undefined && !one.name.includes(values.only)) continue;
    const content = await pdfContent(one.bytes);
    if (typeof content === "string") throw new Error(`Cannot read '${one.name}': it is ${content}`);
    const html = content.html();
    const f1 = f1Of(scoreOf(tablesIn(html), one.tables));
    results.push({ kind: one.kind, f1 });
    const shown = [...html.matchAll(/<h\d>(.*?)<\/h\d>/g)].map(([, text = ""]) => text);
    const { headings: wanted = shown } = one;
    headings += one.headings?.length ?? 0;
    wrong +=
      shown.filter((text) => !wanted.includes(text)).length + wanted.filter((text) => !shown.includes(text)).length;
    if (values.list === true) console.log(`${f1.toFixed(3)} ${one.kind.padEnd(8)} ${one.name}`);
    if (values.keep !== undefined) {
      mkdirSync(values.keep, { recursive: true });
      writeFileSync(join(values.keep, `${one.name}.pdf`), one.bytes);
      writeFileSync(join(values.keep, `${one.name}.md`), content.markdown());
      writeFileSync(join(values.keep, `${one.name}.json`), JSON.stringify(one.tables));
    }
  }
  console.log("tables     documents  mean cell F1  below 0.8");
  for (const kind of ["ruled", "partly", "unruled", "close", "text"] as const) {
    const scores = results.filter((result) => result.kind === kind).map(({ f1 }) => f1);
    const low = scores.filter((f1) => f1 < 0.8).length;
    console.log(
      `${kind.padEnd(10)} ${String(scores.length).padStart(9)} ${mean(scores).toFixed(3).padStart(13)} ${String(low).padStart(10)}`,
    );
  }
  console.log(`headings of first pages: ${headings}, missing or wrong: ${wrong}`);
  return 0;
}

/** A fixed half of the documents, by the sum of the codes of the name without its tags. */
function isReserved({ name }: Case): boolean {
  let hash = 7;
  for (const letter of name.replace(/^(?:tagged|printed)-/, ""))
    hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return (hash >>> 4) % 2 === 1;
}
