import { type Scope } from "../syntax/scope.ts";
import { type Scopes } from "../syntax/scopes.ts";
import { type Class, type Fn, isFunction, isMissing, propertyName } from "../syntax/syntax.ts";
import { type Values } from "./values.ts";

/** Maximum number of classes that extend one another. */
const MAX_BASES = 3;

/** A method of a class, or of the class that it extends. */
export function methodOf(values: Values, of: Class, name: string, depth = 0): Fn | undefined {
  for (const member of of.body.body) {
    if (member.type === "MethodDefinition" && propertyName(member) === name && isFunction(member.value))
      return member.value;
  }
  const base = depth < MAX_BASES ? baseOf(values, of) : undefined;
  return base === undefined ? undefined : methodOf(values, base, name, depth + 1);
}

function baseOf(values: Values, of: Class): Class | undefined {
  if (isMissing(of.superClass)) return undefined;
  const base = values.of(of.superClass, scopeAround(of, values.scopes) ?? values.scopes.global);
  return base.is === "class" && base.node !== of ? base.node : undefined;
}

/** The scope in which a class stands, from one of its methods. */
function scopeAround(of: Class, scopes: Scopes): Scope | undefined {
  for (const member of of.body.body) {
    const value = "value" in member ? member.value : undefined;
    if (!isMissing(value) && typeof value === "object" && "type" in value && isFunction(value))
      return scopes.of(value)?.parent;
  }
  return undefined;
}
