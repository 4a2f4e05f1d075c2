import { type ESTree } from "meriyah";
import { type Running } from "./running.ts";
import { type Scope, type Source } from "../syntax/scope.ts";
import { type Node } from "../syntax/syntax.ts";
import { type Values } from "../values/values.ts";

/** Values that only the browser knows: stored data of the user, the window's size, and the page's own elements. */
const PERSONAL =
  /\b(?:localStorage|sessionStorage|cookie|matchMedia|navigator|inner(?:Width|Height)|scroll[XY]|page[XY]Offset|querySelector\w*|getElement\w*|getBounding\w*|get(?:Session|User|Token)|session|auth\w*|user|login|token|cart|consent|theme|toast|locale|serviceWorker)\b/i;

/** Characters of a callback in which such values are searched. */
const MAX_CALLBACK = 600;

/**
 * Whether a component sets its state after it was mounted, so that it may show other content than the server rendered:
 * `setRows(all)`, `rows.value = all`, `set(rows, all)`.
 */
export function setsState(
  node: ESTree.CallExpression | ESTree.AssignmentExpression,
  { scope, code: { text: code }, callbacks, callback }: Running,
  values: Values,
): boolean {
  if (callbacks < 2) return false;
  if (callback !== undefined && PERSONAL.test(code.slice(callback.start, callback.end).slice(0, MAX_CALLBACK)))
    return false;
  if (node.type === "AssignmentExpression") {
    const { left, right } = node;
    if (left.type !== "MemberExpression" || left.object.type !== "Identifier" || left.property.type !== "Identifier")
      return false;
    if (!/^(?:value|val)$/.test(left.property.name)) return false;
    const first = stateOf(scope.find(left.object.name), values);
    return first !== undefined && isOther(first, right, code);
  }
  const { callee, arguments: args } = node;
  if (callee.type !== "Identifier") return false;
  const [value, second] = args;
  if (value === undefined) return false;
  const first = setterOf(scope.find(callee.name), values);
  if (first !== undefined) return isOther(first, value, code);
  if (second === undefined || args.length > 3 || value.type !== "Identifier") return false;
  const state = stateOf(scope.find(value.name), values);
  return callbacks > 2 && state !== undefined && isGiven(second, scope) && isOther(state, second, code);
}

/** The first value of the state that a function sets: `[state, set] = useState(first)`. */
function setterOf(sources: readonly Source[] | undefined, values: Values): Node | undefined {
  const [source] = sources ?? [];
  if (sources?.length !== 1 || source?.is !== "part" || source.key !== "1") return undefined;
  return firstValue([source.of], values);
}

function stateOf(sources: readonly Source[] | undefined, values: Values): Node | undefined {
  return sources?.length === 1 ? firstValue(sources, values) : undefined;
}

/** The first argument of the call that created a state, if it is a literal, an array or an object. */
function firstValue([source]: readonly Source[], values: Values): Node | undefined {
  if (source?.is !== "value" || source.node.type !== "CallExpression") return undefined;
  const { callee, arguments: args } = source.node;
  if (
    /^(?:Super|.*FunctionExpression)$/.test(callee.type) ||
    /^(?:elements|made)$/.test(values.of(source.node, source.scope).is)
  )
    return undefined;
  const [first, second] = args;
  if (first === undefined) return source.node;
  if (second !== undefined) return undefined;
  return /^(?:Literal|ArrayExpression|ObjectExpression|UnaryExpression|CallExpression|TemplateLiteral)$/.test(
    first.type,
  )
    ? first
    : undefined;
}

/** Whether a value is a literal, or came from elsewhere. `get(other)` reads only the value of another state. */
function isGiven(value: Node, scope: Scope): boolean {
  if (value.type === "CallExpression") return value.arguments.some(({ type }) => type !== "Identifier");
  if (value.type !== "Identifier")
    return /^(?:Literal|ArrayExpression|ObjectExpression|AwaitExpression|TemplateLiteral)$/.test(value.type);
  const [source] = scope.find(value.name) ?? [];
  if (source?.is === "parameter") return source.owner.type === "ArrowFunctionExpression";
  return source?.is === "value" && source.node.type === "AwaitExpression";
}

function isOther(first: Node, value: Node, code: string): boolean {
  const text = code.slice(value.start, value.end);
  return text !== code.slice(first.start, first.end) && !PERSONAL.test(text);
}
