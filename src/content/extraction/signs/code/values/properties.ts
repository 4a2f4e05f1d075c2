import { browserProperty, isBrowserObject, isWindow } from "./browser.ts";
import { methodOf } from "./classes.ts";
import { OF_MADE, propertyOfElements, valueOfData } from "./elements.ts";
import { type Scope } from "../syntax/scope.ts";
import { valueOfExport, valueOfVariable } from "./sources.ts";
import { propertyName } from "../syntax/syntax.ts";
import { OTHER, UNKNOWN, type Value } from "./value.ts";
import { type Values } from "./values.ts";

/** The value of a property of a value. The name is undefined if it is computed and not known. */
export function valueOfMember(
  values: Values,
  object: Value,
  key: string | undefined,
  scope = values.scopes.global,
): Value {
  if (key === undefined) return object.is === "elements" ? object : UNKNOWN;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- other values have no known properties
  switch (object.is) {
    case "global":
      return ofGlobal(values, object.name, key, scope);
    case "elements":
      return propertyOfElements(object.all, key);
    case "data":
      return valueOfData(object.all, key);
    case "made":
      return OF_MADE.test(key) ? object : OTHER;
    case "object":
      return valueOfProperty(values, object, key) ?? UNKNOWN;
    case "module":
      return valueOfExport(values, { is: "import", name: key, from: object.from });
    case "instance":
      return ofInstance(values, object, key);
    default:
      return UNKNOWN;
  }
}

/** The value of a property of an object literal. Undefined if the literal does not have it. */
export function valueOfProperty(
  values: Values,
  object: Extract<Value, { is: "object" }>,
  key: string,
): Value | undefined {
  for (const property of object.node.properties) {
    if (property.type !== "Property" || propertyName(property) !== key) continue;
    const value = values.of(property.value, object.scope);
    return value.is === "function" && value.node.type !== "ArrowFunctionExpression"
      ? { ...value, self: object }
      : value;
  }
  return undefined;
}

function ofInstance(values: Values, instance: Extract<Value, { is: "instance" }>, key: string): Value {
  if (key === "element" || key === "host") return instance.elements;
  const method = methodOf(values, instance.node, key);
  if (method !== undefined) return { is: "function", node: method, self: instance };
  if (instance.elements.is !== "elements") return UNKNOWN;
  const known = /Targets?$/.test(key) ? instance.elements : propertyOfElements(instance.elements.all, key);
  // A field of the class may be an element.
  return known === OTHER ? UNKNOWN : known;
}

function ofGlobal(values: Values, name: string, key: string, scope: Scope): Value {
  const known = browserProperty(name, key, values.page, values.ownElement);
  if (known !== undefined) return known;
  if (isWindow(name)) return valueOfVariable(values, key, scope.top);
  return isBrowserObject(name) ? OTHER : { is: "global", name: `${name}.${key}` };
}
