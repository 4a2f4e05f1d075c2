import { expect, test } from "bun:test";
import fc from "fast-check";
import { isObject } from "../../../../lib/is-object.ts";
import { JSONC_FORMAT } from "../../../config/formats/jsonc.ts";
import { JSON_FORMAT, type TextFormat } from "../../../config/formats/text-format.ts";
import { YAML_FORMAT } from "../../../config/formats/yaml.ts";
import { applyEdit, type ItemEdit } from "../apply-edit.ts";
import { jsonText } from "./json-text.ts";
import { yamlText } from "./yaml-text.ts";

/** A line of a file. It may change only if the value at one of its paths, such as `/a.upstream`, changes. */
interface Line {
  readonly text: string;
  readonly paths: readonly string[];
}

type Draw = fc.GeneratorValue;
type Route = Readonly<Record<string, unknown>> & { readonly path_prefix: string };

const PREFIXES = ["/a", "/b", "/c", "/d", "/e"];
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  upstream: fc.constantFrom("one", "two", "true", "12", "# no comment", 'it\'s: "q"\n', "", "// none"),
  retry: fc.constantFrom({ max_retries: 2 }, { max_retries: 3, statuses: [502, 503] }, {}),
  methods: fc.constantFrom(["GET"], ["GET", "POST"], [], ["PUT", "GET", "POST"]),
  weight: fc.constantFrom(1, 2.5, null, false),
};

/** Writes a document with random layout and comments. */
class Writer {
  readonly lines: Line[] = [];
  readonly #draw: Draw;
  readonly #isYaml: boolean;
  readonly #comment: string;
  #comments = 0;

  constructor(draw: Draw, { name }: TextFormat) {
    this.#draw = draw;
    this.#isYaml = name === "yaml";
    this.#comment = { json: "", jsonc: "//", yaml: "#" }[name];
  }

  file(routes: readonly Route[]): void {
    const step = this.#isYaml ? "  " : this.#draw(fc.constantFrom, "  ", "\t", "    ");
    if (this.#isYaml) this.#note("", []);
    else this.#put("{", []);
    this.#note(step, []);
    this.#put(this.#isYaml ? "version: '1'" : `${step}"version": "1",`, []);
    this.#put(this.#isYaml ? "routes:" : `${step}"routes": [`, ["empty"]);
    const margin = this.#isYaml ? this.#draw(fc.constantFrom, "", "  ") : step + step;
    for (const [i, route] of routes.entries()) {
      const comma = this.#comma(i === routes.length - 1);
      this.#note(margin, [route.path_prefix]);
      if (this.#draw(fc.boolean)) this.#inOneLine(route, margin, comma);
      else this.#inLines(route, margin, { step, comma });
    }
    if (!this.#isYaml) this.#put(`${step}],`, ["empty"]);
    const last = '"last": { "unchanged": [1,   2] }';
    this.#put(this.#isYaml ? "last: {unchanged: [1,   2]}" : step + last, []);
    this.#note("", []);
    if (!this.#isYaml) this.#put("}", []);
  }

  #inOneLine(route: Route, margin: string, comma: string): void {
    const all = [route.path_prefix, ...Object.keys(VALUES).map((key) => `${route.path_prefix}.${key}`)];
    this.#put(`${margin}${this.#isYaml ? "- " : ""}${JSON.stringify(route)}${comma}`, all);
  }

  #inLines(route: Route, margin: string, { step, comma }: { readonly step: string; readonly comma: string }): void {
    if (!this.#isYaml) this.#put(`${margin}{`, [route.path_prefix]);
    const inner = margin + step;
    const entries = Object.entries(route);
    for (const [i, [key, value]] of entries.entries()) {
      const paths = [route.path_prefix, `${route.path_prefix}.${key}`];
      if (!this.#isYaml || i > 0) this.#note(inner, paths, [route.path_prefix]);
      const after = this.#comma(i === entries.length - 1);
      const start = this.#isYaml ? `${i === 0 ? `${margin}- ` : inner}${key}: ` : `${inner}"${key}":  `;
      if (this.#isYaml && Array.isArray(value) && value.length > 0 && this.#draw(fc.boolean)) {
        this.#put(start.trimEnd(), paths);
        for (const item of value) this.#put(`${inner}- ${JSON.stringify(item)}`, paths);
      } else this.#put(start + JSON.stringify(value) + after, paths);
    }
    if (!this.#isYaml) this.#put(`${margin}}${comma}`, [route.path_prefix]);
  }

  #comma(isLast: boolean): string {
    if (this.#isYaml) return "";
    return !isLast || (this.#comment === "//" && this.#draw(fc.boolean)) ? "," : "";
  }

  /** Comments before the next part: those before an empty line belong to no part. */
  #note(margin: string, paths: readonly string[], outer: readonly string[] = []): void {
    const kind = this.#comment === "" ? "none" : this.#draw(fc.constantFrom, "none", "own", "free", "both");
    if (kind === "free" || kind === "both") {
      this.#put(`${margin}${this.#comment} ${this.#comments++}`, outer);
      this.#put("", outer);
    }
    if (kind === "own" || kind === "both") this.#put(`${margin}${this.#comment} ${this.#comments++}, {`, paths);
  }

  #put(text: string, paths: readonly string[]): void {
    const canNote = this.#comment !== "" && text !== "" && this.#draw(fc.boolean);
    this.lines.push({ text: canNote ? `${text} ${this.#comment} ${this.#comments++} ]` : text, paths });
  }
}

function randomRoute(draw: Draw, prefix: string): Route {
  const keys = draw(fc.subarray, Object.keys(VALUES));
  const members = keys.map((key) => [key, draw(() => VALUES[key] ?? fc.constant(1))]);
  return { path_prefix: prefix, ...Object.fromEntries(members) };
}

function randomEdit(draw: Draw): ItemEdit {
  const prefix = draw(fc.constantFrom, ...PREFIXES);
  switch (draw(fc.constantFrom, "add", "delete", "patch", "patch")) {
    case "add":
      return { kind: "add-route", route: randomRoute(draw, prefix) };
    case "delete":
      return { kind: "delete-route", prefix, host: undefined, name: undefined };
  }
  const key = draw(fc.constantFrom, ...Object.keys(VALUES));
  // A null in a patch removes the member.
  const value: unknown = draw(fc.boolean) ? null : draw(() => VALUES[key] ?? fc.constant(1));
  return { kind: "patch-route", prefix, host: undefined, name: undefined, patch: { [key]: value } };
}

/** The paths whose values an edit changes. */
function pathsOf(edit: ItemEdit): string[] {
  if (edit.kind === "add-route") return isObject(edit.route) ? [String(edit.route["path_prefix"])] : [];
  if (edit.kind === "delete-route") return [edit.prefix];
  if (edit.kind === "patch-route") return Object.keys(Object(edit.patch)).map((key) => `${edit.prefix}.${key}`);
  return [];
}

const write = {
  json: (text: string, document: unknown, next: unknown) => jsonText({ text, document }, next, true),
  jsonc: (text: string, document: unknown, next: unknown) => jsonText({ text, document }, next, false),
  yaml: (text: string, document: unknown, next: unknown) => yamlText({ text, document }, next),
};

function valueOf(format: TextFormat, text: string): unknown {
  const parsed = format.parse(text);
  if (!parsed.ok) throw new Error(`${parsed.error}\n${text}`);
  return parsed.value;
}

const formats = [JSON_FORMAT, JSONC_FORMAT, YAML_FORMAT].map((format) => [format.name, format] as const);

test.each(formats)("any sequence of edits keeps all other lines: %s", (_name, format) => {
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const routes = draw(fc.subarray, PREFIXES, { minLength: 1 }).map((prefix) => randomRoute(draw, prefix));
      const writer = new Writer(draw, format);
      writer.file(routes);
      const newline = draw(fc.constantFrom, "\n", "\r\n");
      const end = draw(fc.constantFrom, "", newline);
      const mark = draw(fc.constantFrom, "", "\uFEFF");
      const first = mark + writer.lines.map((line) => line.text).join(newline) + end;
      let text = first;
      let document = valueOf(format, text);
      const changed = new Set<string>();
      for (let i = draw(fc.nat, { max: 5 }); i >= 0; i--) {
        const edit = randomEdit(draw);
        const edited = applyEdit(document, edit);
        if (edited.kind !== "edited") continue;
        for (const path of pathsOf(edit)) changed.add(path);
        text = write[format.name](text, document, edited.document);
        document = edited.document;
        if (/"routes":\[\]/.test(JSON.stringify(document))) changed.add("empty");
        expect(valueOf(format, text)).toEqual(document);
      }
      // The commas of JSON follow the neighbours.
      const shown = (line: string): string => (format === YAML_FORMAT ? line : line.replace(/,(?=$| \/\/)/, ""));
      const written = text.slice(mark.length).split(newline).map(shown);
      const lost: string[] = [];
      let at = 0;
      for (const line of writer.lines) {
        if (line.paths.some((path) => changed.has(path))) continue;
        const found = written.indexOf(shown(line.text), at);
        if (found < 0) lost.push(line.text);
        else at = found + 1;
      }
      if (lost.length > 0) throw new Error(`lost ${JSON.stringify(lost)} of\n${first}\n---\n${text}`);
      expect([text.startsWith("\uFEFF"), text.endsWith("\n")]).toEqual([mark !== "", first.endsWith("\n")]);
      if (newline === "\r\n") expect(text.replaceAll("\r\n", "")).not.toContain("\n");
    }),
    { numRuns: 150 },
  );
});
