import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../src/lib/caught.ts";
import { compileSchema, type SchemaOptions } from "../../../src/lib/json-schema/compile-schema.ts";
import { type Json } from "../../../src/lib/json-schema/json.ts";
import { readJson } from "../../../src/lib/json-schema/read-json.ts";
import { CASES } from "./cases.ts";

export interface Result {
  readonly id: string;
  /** Empty: the case passed. */
  readonly error: string;
}

interface Group {
  readonly description: string;
  readonly schema: Json;
  readonly tests: readonly { readonly description: string; readonly data: Json; readonly valid: boolean }[];
}

const DRAFT = "tests/draft2020-12";
/** The URL of the suite's remote documents. */
const REMOTES = "http://localhost:1234/";

/** Copies of the official suite: npm's package, and Debian's libtest-json-schema-acceptance-perl. */
const PLACES = ["node_modules/@json-schema-org/tests", "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance"];

/** The folder of the official suite: that of JSON_SCHEMA_TEST_SUITE if it is set; undefined if there is no copy. */
export function suiteFolder(): string | undefined {
  const named = process.env["JSON_SCHEMA_TEST_SUITE"];
  const places = named === undefined ? PLACES : [named];
  return places.find((folder) => existsSync(join(folder, DRAFT)));
}

function play({ description, schema, tests }: Group, file: string, options: SchemaOptions): Result[] {
  let compiled: ReturnType<typeof compileSchema> | undefined;
  let error = "";
  try {
    compiled = compileSchema(schema, options);
  } catch (caught) {
    error = messageOf(caught);
  }
  return tests.map((test) => {
    const id = `${file}: ${description}: ${test.description}`;
    if (compiled === undefined) return { id, error };
    try {
      // With the reader of bodies, as in the gateway.
      const fits = compiled.problemsOf(readJson(Buffer.from(JSON.stringify(test.data)))).length === 0;
      return { id, error: fits === test.valid ? "" : `expected ${test.valid ? "it to fit" : "a problem"}` };
    } catch (caught) {
      return { id, error: messageOf(caught) };
    }
  });
}

function testOf(data: Json, valid: boolean): Group["tests"][number] {
  return { description: JSON.stringify(data), data, valid };
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The project's own cases. */
export function playOwn(): Result[] {
  return CASES.flatMap(([schema, fits, doesNot], i) => {
    const tests = [...fits.map((data) => testOf(data, true)), ...doesNot.map((data) => testOf(data, false))];
    return play({ description: JSON.stringify(schema), schema, tests }, `own ${i}`, { checksFormats: false });
  });
}

/** The required part of the official suite for draft 2020-12. */
export function playSuite(folder: string): Result[] {
  const known = (uri: string): Json | undefined => {
    const path = join(folder, "remotes", uri.slice(REMOTES.length));
    return uri.startsWith(REMOTES) && existsSync(path) ? (read(path) as Json) : undefined; // Parsed JSON is always
    // JSON.
  };
  return playFolder(join(folder, DRAFT), { checksFormats: false, known });
}

/** The optional part about formats, which are checked as in the gateway. */
export function playFormats(folder: string): Result[] {
  return playFolder(join(folder, DRAFT, "optional/format"), { checksFormats: true });
}

function playFolder(tests: string, options: SchemaOptions): Result[] {
  return readdirSync(tests)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .flatMap((name) => {
      const groups = read(join(tests, name)) as Group[]; // The suite's own form.
      return groups.flatMap((group) => play(group, name, options));
    });
}
