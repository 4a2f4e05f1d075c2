import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../src/lib/is-object.ts";

/** A page written by hand as sites write it, with a schema and the values that a reader finds. */
export interface WrittenPage {
  readonly group: string;
  readonly name: string;
  readonly url: string;
  readonly schema: object;
  readonly html: string;
  /** The value of the schema; `{"$any": [...]}` in it lists values of which each is right. */
  readonly truth: unknown;
}

const FOLDER = join(import.meta.dirname, "written");

/** The pages in `written/*.txt`: `=== NAME URL`, then the parts `--- schema`, `--- truth` and `--- html`. */
export function writtenPages(): WrittenPage[] {
  return readdirSync(FOLDER).flatMap((file) => {
    const group = file.replace(".txt", "");
    const texts = readFileSync(join(FOLDER, file), "utf8").split(/^=== /mu);
    return texts.slice(1).map((text) => pageOf(text, group));
  });
}

function pageOf(text: string, group: string): WrittenPage {
  const [head = "", schema = "", truth = "", html = ""] = text.split(/^--- .*$/mu);
  const [name = "", url = ""] = head.trim().split(" ");
  return { group, name, url, schema: JSON.parse(schema), truth: JSON.parse(truth), html: html.trim() };
}

/** The values of one page that are right, wrong and missing, of those that it states. */
export interface Compared {
  stated: number;
  right: number;
  readonly wrong: string[];
  readonly missing: string[];
}

const nothing = (): Compared => ({ stated: 0, right: 0, wrong: [], missing: [] });

/** Compares a value with the truth, leaf by leaf; an array of texts or numbers is one leaf. */
export function compare(own: unknown, truth: unknown, into = nothing(), path = ""): Compared {
  const options = isObject(truth) && Array.isArray(truth["$any"]) ? (truth["$any"] as unknown[]) : undefined; // Checked on the left.
  if (options === undefined && Array.isArray(truth) && truth.some(isObject)) {
    const items = Array.isArray(own) ? own : [];
    for (let at = 0; at < Math.max(items.length, truth.length); at++)
      compare(items[at], truth[at] ?? {}, into, `${path}/${at}`);
  } else if (options === undefined && isObject(truth)) {
    const object = isObject(own) ? own : {};
    for (const name of new Set([...Object.keys(truth), ...Object.keys(object)]))
      compare(object[name], truth[name] ?? null, into, `${path}/${name}`);
  } else compareLeaf(own, options ?? [truth], into, path);
  return into;
}

function compareLeaf(own: unknown, options: readonly unknown[], into: Compared, path: string): void {
  const isStated = options.some((one) => one !== null);
  if (isStated) into.stated += 1;
  if (own === undefined || own === null || (Array.isArray(own) && own.length === 0)) {
    if (isStated) into.missing.push(path);
  } else if (options.some((one) => Bun.deepEquals(plain(one), plain(own)))) into.right += 1;
  else into.wrong.push(`${path} is ${JSON.stringify(own)}, not ${JSON.stringify(options)}`);
}

/** Texts are compared without regard to kinds and counts of white space. */
function plain(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\s+/gu, " ").trim();
  return Array.isArray(value) ? value.map(plain) : value;
}
