import { isObject } from "../is-object.ts";
import { type Json, type JsonObject, jsonText } from "./json.ts";
import { type Check, type SchemaNode } from "./node.ts";
import { compilePattern } from "../patterns/pattern.ts";
import { besides, isType } from "./value-keywords.ts";

/** Gives keywords access to the compiled schemas in their values, by name or index. */
export interface Children {
  readonly schema: JsonObject;
  one(keyword: string): SchemaNode | undefined;
  list(keyword: string): SchemaNode[];
  named(keyword: string): [name: string, node: SchemaNode][];
  /** Calls `compile` for a part of a keyword, and adds its place to an error that it throws. */
  at<T>(keyword: string, step: string, compile: () => T): T;
}

/** Compiles `allOf`, `anyOf`, `oneOf`, `not`, `if`, `dependentSchemas`: other schemas for the same value. */
export function compileInPlace(children: Children): { checks: Check[]; nodes: SchemaNode[] } {
  const [all, any, one] = [children.list("allOf"), children.list("anyOf"), children.list("oneOf")];
  const not = children.one("not");
  const condition = children.one("if");
  const branches = [children.one("then"), children.one("else")] as const;
  const dependent = children.named("dependentSchemas");
  const checks: Check[] = all.map((node) => (value, run, seen) => node.check(value, run, seen));
  if (any.length > 0) checks.push(anyOf(any, [children.schema["anyOf"] ?? []].flat()));
  if (one.length > 0) checks.push(oneOf(one));
  if (not !== undefined) {
    const message = notError(children.schema["not"] ?? {});
    checks.push((value, run) => !not.fits(value, run, undefined) || run.fail(message));
  }
  if (condition !== undefined) {
    const words = conditionWords(children.schema["if"] ?? {});
    checks.push((value, run, seen) => {
      const fits = condition.fits(value, run, seen);
      const branch = fits ? branches[0] : branches[1];
      if (branch === undefined) return true;
      return fits ? run.worded("", words, () => branch.check(value, run, seen)) : branch.check(value, run, seen);
    });
  }
  for (const [name, node] of dependent) {
    const words = besides(name);
    checks.push(
      (value, run, seen) =>
        !isObject(value) || !Object.hasOwn(value, name) || run.worded("", words, () => node.check(value, run, seen)),
    );
  }
  const nodes = [...all, ...any, ...one, not, condition, ...branches, ...dependent.map(([, node]) => node)];
  return { checks, nodes: nodes.filter((node) => node !== undefined) };
}

/** The words behind an error that depends on a condition. Empty unless the condition is one member with one value. */
function conditionWords(schema: Json): string {
  const members = isObject(schema) && isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const [[name, member] = [], other] = members;
  if (name === undefined || other !== undefined || !isObject(member) || !("const" in member)) return "";
  return `${besides(name)}: ${JSON.stringify(member["const"])}`;
}

function notError(schema: Json): string {
  const isPattern = isObject(schema) && Object.keys(schema).join() === "pattern";
  return isPattern ? `must not match ${JSON.stringify(schema["pattern"])}` : 'must not fit the schema of "not"';
}

/** `schemas` are those of the nodes. If a value can only be meant for one of them, the errors are those of that one. */
function anyOf(nodes: readonly SchemaNode[], schemas: readonly Json[]): Check {
  const message = choiceOfMembers(schemas) ?? "must fit one of the schemas of anyOf";
  return (value, run, seen) => {
    let fits = false;
    for (const node of nodes) {
      if (node.fits(value, run, seen)) fits = true;
      // The other schemas matter only for what they evaluate.
      if (fits && seen === undefined) break;
    }
    if (fits || run.stopsAtFirst) return fits;
    const [meant, other] = nodes.filter((_node, at) => isMeantFor(schemas[at] ?? true, value));
    if (meant === undefined || other !== undefined) return run.fail(message);
    return meant.check(value, run, undefined);
  };
}

/** Whether the value has the type of the schema, and one of the fixed values of each required member. */
function isMeantFor(schema: Json, value: Json): boolean {
  if (!isObject(schema)) return true;
  const { type, properties = {}, required = [] } = schema;
  if (type !== undefined && ![type].flat().some((one) => isType(value, jsonText(one)))) return false;
  if (!isObject(properties) || !Array.isArray(required) || !isObject(value)) return true;
  return required.map(jsonText).every((name) => {
    const member = properties[name];
    if (!isObject(member) || !("const" in member || "enum" in member)) return true;
    const fixed = "const" in member ? [member["const"]] : [member["enum"]].flat();
    return fixed.includes(value[name] ?? null);
  });
}

/** The error of a choice between required members; undefined if the schemas have other parts. */
function choiceOfMembers(schemas: readonly Json[]): string | undefined {
  const names = schemas.map((schema) =>
    isObject(schema) && Object.keys(schema).join() === "required" ? [schema["required"]].flat() : undefined,
  );
  if (names.length === 0 || names.includes(undefined)) return undefined;
  const texts = names.map((each = []) => each.map((name) => JSON.stringify(name)).join(" and "));
  return `requires ${texts.join(", or ")}`;
}

function oneOf(nodes: readonly SchemaNode[]): Check {
  return (value, run, seen) => {
    let count = 0;
    for (const node of nodes) {
      if (node.fits(value, run, seen) && ++count > 1) break;
    }
    return (
      count === 1 || run.fail(`must fit one of the schemas of oneOf, and fits ${count === 0 ? "none" : "several"}`)
    );
  };
}

/** Compiles the checks of an object's members. */
export function compileMembers(children: Children): Check[] {
  const named = new Map(children.named("properties"));
  const patterns = children
    .named("patternProperties")
    .map(([source, node]) => [children.at("patternProperties", source, () => compilePattern(source)), node] as const);
  const rest = children.one("additionalProperties");
  if (rest !== undefined && patterns.length === 0) rest.named = [...named.keys()];
  const names = children.one("propertyNames");
  const checks: Check[] = [];
  if (named.size > 0 || patterns.length > 0 || rest !== undefined) {
    checks.push((value, run, seen) => {
      if (!isObject(value)) return true;
      let fits = true;
      for (const name of Object.keys(value)) {
        const member = value[name] ?? null;
        run.spend(1 + patterns.length);
        const node = named.get(name);
        let isTaken = node !== undefined;
        if (node?.checkAt(name, member, run) === false) fits = false;
        for (const [pattern, each] of patterns) {
          run.spend(pattern.steps(name.length));
          if (!pattern.test(name)) continue;
          isTaken = true;
          if (!each.checkAt(name, member, run)) fits = false;
        }
        if (!isTaken && rest?.checkAt(name, member, run) === false) fits = false;
        if (isTaken || rest !== undefined) seen?.names.add(name);
        if (!fits && run.stopsAtFirst) return false;
      }
      return fits;
    });
  }
  if (names !== undefined) {
    checks.push((value, run) => {
      if (!isObject(value)) return true;
      for (const name of Object.keys(value)) {
        run.path.push(name);
        const fits = run.worded("its name ", "", () => names.check(name, run, undefined));
        run.path.pop();
        if (!fits) return false;
      }
      return true;
    });
  }
  return checks;
}

/** Compiles the checks of an array's items. */
export function compileItems(children: Children): Check[] {
  const first = children.list("prefixItems");
  const rest = children.one("items");
  const checks: Check[] = [];
  if (first.length > 0 || rest !== undefined) {
    checks.push((value, run, seen) => {
      if (!Array.isArray(value)) return true;
      let fits = true;
      const end = rest === undefined ? Math.min(first.length, value.length) : value.length;
      for (let i = 0; i < end; i++) {
        const node = first[i] ?? rest;
        if (node?.checkAt(i, value[i] ?? null, run) !== false) continue;
        fits = false;
        if (run.stopsAtFirst) return false;
      }
      if (seen !== undefined) seen.itemsBelow = Math.max(seen.itemsBelow, end);
      return fits;
    });
  }
  const contains = compileContains(children);
  if (contains !== undefined) checks.push(contains);
  return checks;
}

function compileContains(children: Children): Check | undefined {
  const { schema } = children;
  const node = children.one("contains");
  if (node === undefined) return undefined;
  const least = Number(schema["minContains"] ?? 1);
  const most = Number(schema["maxContains"] ?? Number.POSITIVE_INFINITY);
  return (value, run, seen) => {
    if (!Array.isArray(value)) return true;
    let count = 0;
    for (const [i, item] of value.entries()) {
      if (!node.fits(item, run, undefined)) continue;
      count++;
      seen?.items.add(i);
      if (seen === undefined && (count > most || (count >= least && most === Number.POSITIVE_INFINITY))) break;
    }
    if (count < least) return run.fail(`must have at least ${least} items that fit "contains"`);
    return count <= most || run.fail(`must have at most ${most} items that fit "contains"`);
  };
}

/** Compiles `unevaluatedProperties` and `unevaluatedItems`. They run after all other checks. */
export function compileUnevaluated(children: Children): Check[] {
  const member = children.one("unevaluatedProperties");
  const item = children.one("unevaluatedItems");
  const checks: Check[] = [];
  if (member !== undefined) {
    checks.push((value, run, seen) => {
      if (!isObject(value) || seen === undefined || seen.allNames) return true;
      let fits = true;
      for (const name of Object.keys(value)) {
        run.spend(1);
        if (seen.names.has(name) || member.checkAt(name, value[name] ?? null, run)) continue;
        fits = false;
        if (run.stopsAtFirst) return false;
      }
      seen.allNames = true;
      return fits;
    });
  }
  if (item !== undefined) {
    checks.push((value, run, seen) => {
      if (!Array.isArray(value) || seen === undefined) return true;
      let fits = true;
      for (let i = seen.itemsBelow; i < value.length; i++) {
        run.spend(1);
        if (seen.items.has(i) || item.checkAt(i, value[i] ?? null, run)) continue;
        fits = false;
        if (run.stopsAtFirst) return false;
      }
      seen.itemsBelow = value.length;
      return fits;
    });
  }
  return checks;
}
