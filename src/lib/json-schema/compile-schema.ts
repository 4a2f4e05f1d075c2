import { messageOf } from "../caught.ts";
import { type FieldError } from "../errors.ts";
import { isObject } from "../is-object.ts";
import { type Json, type JsonObject, pointerStep } from "./json.ts";
import { DIALECT, KEYWORDS, metaschema } from "./metaschema.ts";
import { type Check, SchemaNode } from "./node.ts";
import { LIST, NAMED, ONE, type SchemaLocation, Registry, SchemaError } from "./registry.ts";
import { Run, TooCostly } from "./run.ts";
import { type Children, compileInPlace, compileItems, compileMembers, compileUnevaluated } from "./schema-keywords.ts";
import { VALUE_KEYWORDS } from "./value-keywords.ts";
import { Dialects } from "./vocabulary.ts";

export { SchemaError } from "./registry.ts";
export { MAX_PROBLEMS, TooCostly } from "./run.ts";

export interface Schema {
  /** The errors of a value, `MAX_PROBLEMS` at most, each with a JSON pointer. Throws only `TooCostly`. */
  problemsOf(value: Json): readonly FieldError[];
  /** Parts of the schema that check nothing, with their JSON pointers. */
  readonly warnings: readonly FieldError[];
}

export interface SchemaOptions {
  /** True: known formats are checked. False, the draft's default: `format` is only a remark. */
  readonly checksFormats: boolean;
  /** Documents that references may lead to, in addition to the metaschemas, by URI. */
  readonly known?: (uri: string) => Json | undefined;
}

/** Compiles a schema of draft 2020-12. Throws `SchemaError` if invalid, or not checkable in bounded time. */
export function compileSchema(source: Json | object, options: SchemaOptions): Schema {
  const schema = source as Json; // A read-only JSON value is a JSON value, and this code does not change it.
  try {
    const [problem] = schemaOfSchemas().problemsOf(schema);
    if (problem !== undefined) throw new SchemaError(problem.path, problem.message);
    return compile(schema, options);
  } catch (error) {
    if (error instanceof TooCostly) throw new SchemaError("", `is too large to be checked: ${error.message}`);
    // The stack is full.
    if (error instanceof RangeError) throw new SchemaError("", "nests too many schemas");
    throw error;
  }
}

let ofSchemas: Schema | undefined;
function schemaOfSchemas(): Schema {
  ofSchemas ??= compile({ $ref: DIALECT }, { checksFormats: false });
  return ofSchemas;
}

function compile(schema: Json, { checksFormats, known }: SchemaOptions): Schema {
  const registry = new Registry((uri) => metaschema(uri) ?? known?.(uri));
  const compiler = new Compiler(registry, checksFormats);
  const root = compiler.node(registry.add(schema));
  compiler.finish();
  compiler.checkByOwnMetaschemas();
  return {
    warnings: compiler.warnings,
    problemsOf(value) {
      const run = new Run<SchemaLocation["resource"]>();
      root.check(value, run, undefined);
      return run.problems;
    },
  };
}

class Compiler {
  readonly warnings: FieldError[] = [];
  readonly #registry: Registry;
  readonly #checksFormats: boolean;
  readonly #dialects: Dialects;
  readonly #nodes = new Map<JsonObject, SchemaNode>();

  constructor(registry: Registry, checksFormats: boolean) {
    this.#registry = registry;
    this.#checksFormats = checksFormats;
    this.#dialects = new Dialects(registry);
  }

  node(found: SchemaLocation): SchemaNode {
    const location = this.#registry.locationOf(found);
    const { schema } = location;
    if (!isObject(schema)) {
      if (typeof schema !== "boolean") throw new SchemaError(location.pointer, "is not a schema");
      const node = new SchemaNode(location);
      node.isNever = !schema;
      return node;
    }
    const known = this.#nodes.get(schema);
    if (known !== undefined) return known;
    const node = new SchemaNode(location);
    this.#nodes.set(schema, node);
    this.#fill(node, location, schema);
    return node;
  }

  /** Refuses schemas that would check a value endlessly. */
  finish(): void {
    const done = new Set<SchemaNode>();
    const under = new Set<SchemaNode>();
    const visit = (node: SchemaNode): void => {
      if (done.has(node)) return;
      if (under.has(node)) throw new SchemaError(node.pointer, "refers to itself without end");
      under.add(node);
      for (const next of node.inPlace) visit(next);
      under.delete(node);
      done.add(node);
    };
    for (const node of this.#nodes.values()) visit(node);
  }

  /** Refuses schemas that their own metaschema refuses. */
  checkByOwnMetaschemas(): void {
    for (const { schema, pointer, metaschema: own } of this.#dialects.named) {
      const run = new Run<SchemaLocation["resource"]>();
      const node = this.node(own);
      this.finish();
      node.check(schema, run, undefined);
      const [problem] = run.problems;
      if (problem !== undefined) throw new SchemaError(pointer + problem.path, problem.message);
    }
  }

  /** The schema's keywords that have a meaning in its dialect. The others cause a warning. */
  #meant(location: SchemaLocation, schema: JsonObject): JsonObject {
    const { keywords } = this.#dialects.of(location);
    if (keywords === undefined) return schema;
    const isMeant = (keyword: string): boolean => keywords.has(keyword) || !KEYWORDS.has(keyword);
    for (const keyword of Object.keys(schema)) {
      if (isMeant(keyword)) continue;
      const path = location.pointer + pointerStep(keyword);
      this.warnings.push({ path, message: "is of no vocabulary of its metaschema, and checks nothing" });
    }
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => isMeant(keyword)));
  }

  #fill(node: SchemaNode, location: SchemaLocation, whole: JsonObject): void {
    const { pointer } = location;
    const schema = this.#meant(location, whole);
    const knowsFormats = this.#dialects.of(location).checksFormats;
    const checksFormats = this.#checksFormats || knowsFormats;
    for (const [keyword, value] of Object.entries(schema)) {
      const at = pointer + pointerStep(keyword);
      if (!KEYWORDS.has(keyword) && !keyword.startsWith("x-")) {
        this.warnings.push({ path: at, message: "is not a keyword of JSON Schema 2020-12, and checks nothing" });
      }
      const warn = (message: string): void => void this.warnings.push({ path: at, message });
      const compileKeyword = VALUE_KEYWORDS.get(keyword);
      const check = told(at, () => compileKeyword?.(value, { checksFormats, knowsFormats, warn }));
      if (check !== undefined) node.checks.push(check);
    }
    const children = this.#children(location, schema);
    const inPlace = compileInPlace(children);
    const references = this.#references(location, schema);
    node.inPlace.push(...inPlace.nodes, ...references.nodes);
    node.checks.push(...references.checks, ...inPlace.checks, ...compileMembers(children), ...compileItems(children));
    const unevaluated = compileUnevaluated(children);
    node.asks = unevaluated.length > 0;
    node.checks.push(...unevaluated);
    // Schemas without a reference to them must be valid as well.
    for (const [key, value] of Object.entries(schema)) {
      if (ONE.has(key)) children.one(key);
      else if (LIST.has(key)) children.list(key);
      else if (NAMED.has(key) && isObject(value)) children.named(key);
    }
  }

  #children({ resource, pointer }: SchemaLocation, schema: JsonObject): Children {
    const child = (value: Json, ...steps: string[]): SchemaNode =>
      this.node({ schema: value, resource, pointer: pointer + steps.map(pointerStep).join("") });
    const own = (keyword: string): Json | undefined => (Object.hasOwn(schema, keyword) ? schema[keyword] : undefined);
    return {
      schema,
      one: (keyword) => {
        const value = own(keyword);
        return value === undefined ? undefined : child(value, keyword);
      },
      list: (keyword) => {
        const values = own(keyword);
        return Array.isArray(values) ? values.map((value, i) => child(value, keyword, String(i))) : [];
      },
      named: (keyword) => {
        const values = own(keyword);
        if (!isObject(values)) return [];
        return Object.entries(values).map(([name, value]) => [name, child(value, keyword, name)]);
      },
      at: (keyword, step, part) => told(pointer + pointerStep(keyword) + pointerStep(step), part),
    };
  }

  /** `$ref` and `$dynamicRef`. */
  #references(location: SchemaLocation, schema: JsonObject): { checks: Check[]; nodes: SchemaNode[] } {
    const checks: Check[] = [];
    const nodes: SchemaNode[] = [];
    const { $ref: fixed, $dynamicRef: moving } = schema;
    if (typeof fixed === "string") {
      const node = this.node(this.#registry.resolve(fixed, location).location);
      nodes.push(node);
      checks.push((value, run, seen) => node.check(value, run, seen));
    }
    if (typeof moving === "string") {
      const { location: first, anchor } = this.#registry.resolve(moving, location);
      const start = this.node(first);
      if (first.resource.dynamicAnchors.get(anchor)?.schema !== first.schema) {
        nodes.push(start);
        checks.push((value, run, seen) => start.check(value, run, seen));
      } else {
        checks.push((value, run, seen) => {
          // The outermost resource that has such an anchor (JSON Schema Core §8.2.3.2).
          const outer = run.scope.find(({ dynamicAnchors }) => dynamicAnchors.has(anchor))?.dynamicAnchors.get(anchor);
          const node = outer === undefined ? start : this.node(outer);
          return node.check(value, run, seen);
        });
      }
    }
    return { checks, nodes };
  }
}

/** Runs `part`, and adds the place in the schema to an error that it throws. */
function told<T>(pointer: string, part: () => T): T {
  try {
    return part();
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    throw new SchemaError(pointer, messageOf(error));
  }
}
