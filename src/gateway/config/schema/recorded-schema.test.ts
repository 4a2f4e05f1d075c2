import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import * as fc from "fast-check";
import { isObject } from "../../../lib/is-object.ts";
import { configSchema } from "../config.ts";
import { UNREAD } from "../formats/light-reader.ts";
import { RecordedSchema } from "./recorded-schema.ts";
import { route } from "./routes.ts";

const FOLDER = join(import.meta.dir, "../testdata");
const FILES = [...new Glob("*.json").scanSync(FOLDER)].toSorted();
const VALUES: readonly unknown[] = await Promise.all(FILES.map((file) => Bun.file(join(FOLDER, file)).json()));
const SECTIONS = new Map<string, RecordedSchema>();
for (const [key, schema] of Object.entries(configSchema.shape)) {
  if (schema instanceof RecordedSchema) SECTIONS.set(key, schema);
}

/** Values near the edges of what the schema accepts, of all types. */
const ODD: readonly unknown[] = [
  undefined,
  null,
  true,
  "",
  "/",
  "x",
  "X.example",
  "[::1]",
  "::1",
  "10.0.0.0/8",
  "unix:/a",
  "http://a/b",
  "x".repeat(9000),
  0,
  -0,
  -1,
  1,
  1.5,
  65_535,
  65_536,
  2 ** 31,
  2 ** 53,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  [],
  [""],
  [undefined],
  [{}],
  {},
  new Date(0),
  new Map(),
  Object.create(null),
  Object.create({ port: 1 }),
  JSON.parse('{"__proto__": 1}'),
];

/** The paths of all members and items of a value. */
function pathsIn(value: unknown): PropertyKey[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, own]) => pathsIn(own).map((path) => [key, ...path]))];
}

/** Changes the member at a path of a copy: to another value, or to none. */
function changed(value: unknown, path: readonly PropertyKey[], change: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined || typeof value !== "object" || value === null) return change;
  const copy: object = Array.isArray(value) ? [...(value as unknown[])] : { ...value };
  if (rest.length === 0 && change === ODD) Reflect.deleteProperty(copy, key);
  else Reflect.set(copy, key, changed(Reflect.get(copy, key), rest, change));
  return copy;
}

/** Routes that inherit their defaults have the same members as routes that have them. */
function expectInherited(raw: unknown, data: unknown): void {
  if (!Array.isArray(raw) || !Array.isArray(data)) throw new TypeError("expected lists");
  for (const [i, item] of raw.entries()) {
    const inheriting: unknown = route instanceof RecordedSchema && route.safeParseInheriting(item).data;
    expect({ ...Object.getPrototypeOf(inheriting), ...Object(inheriting) }).toEqual(data[i]);
    expect(Object.keys(Object(inheriting)).toSorted()).toEqual(Object.keys(Object(item)).toSorted());
  }
}

/** The sections that are read without zod, of all or of one. Each must be what zod makes of it. */
function readSections(value: unknown, only?: PropertyKey): Set<string> {
  const names = new Set<string>();
  if (!isObject(value)) return names;
  for (const [key, schema] of SECTIONS) {
    if ((only !== undefined && key !== only) || !Object.hasOwn(value, key) || value[key] === undefined) continue;
    const data = schema.reader.read(value[key]);
    if (data === UNREAD) continue;
    const zods = schema.made.safeParse(value[key]);
    expect(zods.error?.issues).toBeUndefined();
    expect(data).toStrictEqual(zods.data);
    // Also in the order of the keys.
    expect(JSON.stringify(data)).toBe(JSON.stringify(zods.data));
    if (key === "routes") expectInherited(value[key], data);
    names.add(key);
  }
  return names;
}

test("a route without a required key is left to zod", () => {
  if (!(route instanceof RecordedSchema)) throw new TypeError("expected a recorded schema");
  expect(route.reader.readInheriting?.({ upstream: "a" })).toBe(UNREAD);
  expect(route.safeParseInheriting({ upstream: "a" }).success).toBe(false);
});

test("the defaults are those of zod", () => {
  const { made } = new RecordedSchema("strictObject", [configSchema.shape]);
  const defaults: unknown = configSchema.parse({});
  expect(defaults).toStrictEqual(made.parse({}));
  // A change of one result does not reach the next one.
  expect(configSchema.parse({}).routes).not.toBe(configSchema.parse({}).routes);
});

for (const [i, file] of FILES.entries()) {
  test(`what is read of ${file} without zod is what zod reads`, () => {
    const names = readSections(VALUES[i]);
    // This file has a valid value for each key of the schema.
    if (file === "every-key.json") expect(names).toEqual(new Set(Object.keys(Object(VALUES[i]))));
  });
}

test("a value that is odd at one place is read as zod reads it, or by zod", () => {
  const parts = Object.entries(Object(VALUES[FILES.indexOf("every-key.json")])).flatMap(([key, section]) =>
    Array.isArray(section) ? section.map((item: unknown) => ({ [key]: [item] })) : [{ [key]: section }],
  );
  // A third of the values at each place, for speed.
  let turn = 0;
  for (const part of parts) {
    for (const path of pathsIn(part)) {
      for (const odd of [...ODD, ODD]) if (turn++ % 3 === 0) readSections(changed(part, path, odd));
    }
  }
});

test("a value that is another JSON value at one place is read as zod reads it, or by zod", () => {
  const cases = VALUES.map((value) => ({ value, paths: pathsIn(value) }));
  fc.assert(
    fc.property(fc.nat(cases.length - 1), fc.nat(), fc.jsonValue(), (which, place, change) => {
      const found = cases[which];
      const path = found?.paths[place % found.paths.length] ?? [];
      readSections(changed(found?.value, path, change), path[0]);
    }),
    { numRuns: 1000 },
  );
});

test("a valid configuration is read without loading zod", async () => {
  const script = `
    await import(${JSON.stringify(import.meta.resolve("../../../cli/gateway/gateway.ts"))});
    const { loadValue } = await import(${JSON.stringify(import.meta.resolve("../load.ts"))});
    const zods = () => Object.keys(require.cache).filter((path) => path.includes("/zod/")).length;
    const upstreams = [{ name: "a", servers: [{ address: "127.0.0.1", port: 9 }] }];
    const { problems } = loadValue({ server: { port: 0 }, upstreams, routes: [{ path_prefix: "/", upstream: "a" }] });
    const before = zods();
    loadValue({ server: { port: -1 } });
    console.log(JSON.stringify([problems.length, before, zods() > 0]));
  `;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script]);
  expect(JSON.parse(stdout.toString())).toEqual([0, 0, true]);
});
