import { isBrowserObject } from "./browser.ts";
import { type Scope, type Source } from "../syntax/scope.ts";
import { either, elements, NOTHING, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";

/** Maximum number of assignments of a variable that are followed, the last ones first. */
const MAX_SOURCES = 4;

/** The value of a variable: of a script, an element by its identifier, or of the browser. */
export function valueOfVariable(values: Values, name: string, scope: Scope): Value {
  const sources = scope.find(name);
  if (sources !== undefined) return valueOfSources(values, sources);
  if (name === "undefined") return NOTHING;
  if (isBrowserObject(name)) return { is: "global", name };
  const byId = values.page.byId(name);
  if (byId.length > 0) return elements(byId);
  return { is: "global", name };
}

/** The common part of the values that are assigned to a variable or a field. */
function valueOfSources(values: Values, sources: readonly Source[]): Value {
  if (sources.length === 0) return UNKNOWN;
  return either(sources.slice(-MAX_SOURCES).map((source) => values.source(source)));
}

/** The value of one source of a variable. */
export function valueOfSource(values: Values, source: Source): Value {
  if (source.is === "parameter") return valueOfParameter(values, source);
  if (source.is === "import") return valueOfExport(values, source);
  if (source.is !== "part") return values.of(source.node, source.scope);
  return source.key === "..." ? UNKNOWN : values.member(values.source(source.of), source.key);
}

/** The value that a module exports. */
export function valueOfExport(values: Values, { name, from }: Extract<Source, { is: "import" }>): Value {
  if (name === "*") return { is: "module", from };
  const exported = values.exported(name, from);
  return exported === undefined ? UNKNOWN : values.source(exported);
}

function valueOfParameter(values: Values, { owner, index }: Extract<Source, { is: "parameter" }>): Value {
  const value = values.frames.argumentsOf(owner)?.[index];
  const pattern = owner.params[index];
  const isGiven = value !== undefined && (value.is !== "constant" || value.value !== undefined);
  if (isGiven || pattern?.type !== "AssignmentPattern") return value ?? UNKNOWN;
  const inner = values.scopes.of(owner);
  return inner === undefined ? UNKNOWN : values.of(pattern.right, inner);
}
