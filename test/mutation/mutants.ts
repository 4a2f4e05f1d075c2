import { parse } from "@babel/parser";
import { type Node, type VariableDeclarator } from "@babel/types";
import { type Constants, constantsOf, valueOf } from "./constants.ts";
import { isNode, returnedAwaits } from "./returned-awaits.ts";

/** One small change of a source text. */
export interface Mutant {
  /** Offsets of the replaced part, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The first line is 1. */
  readonly line: number;
  /** The kind of change, such as `condition`. */
  readonly kind: Kind;
}

export type Kind = "operator" | "condition" | "bound" | "literal" | "named" | "await" | "statement";

/** Operators and their replacements: a neighbour that only a test of the boundary detects, or the opposite. */
const BINARY: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&": ["|"],
  "|": ["&"],
  "<<": [">>"],
  ">>": ["<<"],
  ">>>": ["<<"],
  "+=": ["-="],
  "-=": ["+="],
  "&&=": ["="],
  "||=": ["="],
  "??=": ["="],
};
const BOUNDS = new Set(["<", "<=", ">", ">="]);

/** Fields of a node without executable code. */
const SKIPPED = new Set(["typeAnnotation", "typeParameters", "typeArguments", "returnType", "loc", "implements"]);

/**
 * All mutants of a TypeScript module, in the order of the text. `imported`: values by which a change without an effect is
 * known, such as `x + ZERO` to `x - ZERO`. It makes no mutant.
 */
export function mutantsOf(source: string, imported: Constants = new Map()): Mutant[] {
  const found: Mutant[] = [];
  const tree = parse(source, { sourceType: "module", plugins: ["typescript"] });
  const constants = constantsOf(tree.program.body, imported);
  const returned = returnedAwaits(tree.program);
  visit(tree.program, (node) => {
    for (const { node: at, text, kind } of changesOf(node, source, constants)) {
      const { start, end, loc } = at;
      if (typeof start !== "number" || typeof end !== "number") continue;
      if (kind === "await" && returned.has(at)) continue;
      found.push({ from: start, to: end, text, line: loc?.start.line ?? 0, kind });
    }
  });
  return found.toSorted((a, b) => a.from - b.from || a.to - b.to);
}

/** The source with the mutant applied. */
export function mutate(source: string, { from, to, text }: Mutant): string {
  return source.slice(0, from) + text + source.slice(to);
}

/** A readable description of a mutant on one line: the text and its replacement. */
export function describe(source: string, { from, to, text }: Mutant): string {
  return `${onLine(source.slice(from, to))}  →  ${text === "" ? "(nothing)" : onLine(text)}`;
}

/** The source line at which the mutant begins, without surrounding blanks. */
export function codeAt(source: string, { from }: Mutant): string {
  const end = source.indexOf("\n", from);
  return source.slice(source.lastIndexOf("\n", from - 1) + 1, end === -1 ? undefined : end).trim();
}

function onLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 70 ? `${line.slice(0, 69)}…` : line;
}

/** A named number, such as `const MAX_HEAD_BYTES = 64 * 1024`: its name is in capitals, and its value is numbers. */
function isNamedNumber(node: Node): node is VariableDeclarator {
  if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") return false;
  return /^[A-Z][A-Z0-9_]*$/.test(node.id.name) && isNumeric(node.init);
}

function isNumeric(node: Node | null | undefined): boolean {
  if (node?.type === "NumericLiteral") return true;
  if (node?.type === "UnaryExpression") return isNumeric(node.argument);
  if (node?.type === "BinaryExpression") return isNumeric(node.left) && isNumeric(node.right);
  return node?.type === "TSAsExpression" && isNumeric(node.expression);
}

/** Smaller numbers are mostly codes and counts of a protocol: the neighbour is a wrong one. Of a larger one, twice the value. */
const LARGE = 256;

function namedNumberChange({ init }: VariableDeclarator, textOf: TextOf): Change[] {
  if (init === null || init === undefined) return [];
  const text = textOf(init);
  const isSmall = init.type === "NumericLiteral" && init.value < LARGE;
  return [{ node: init, text: isSmall ? `(${text} + 1)` : `(2 * (${text}))`, kind: "named" }];
}

/**
 * Whether a node is the default for an index, such as the 0 of `bytes[at] ?? 0` and of `[at = 0]`. The type checker
 * requires one even if the code knows that the index is valid.
 */
function isDefaultOfIndex(node: Node, parent: Node | undefined): boolean {
  if (node.type === "AssignmentPattern") return parent?.type === "ArrayPattern" && node.right.type === "NumericLiteral";
  if (node.type !== "NumericLiteral" || parent?.type !== "LogicalExpression" || parent.operator !== "??") return false;
  return parent.right === node && parent.left.type === "MemberExpression" && parent.left.computed;
}

function visit(node: Node, take: (node: Node) => void, parent?: Node): void {
  if (isDefaultOfIndex(node, parent)) return;
  if (node.type.startsWith("TS") && node.type !== "TSAsExpression" && node.type !== "TSNonNullExpression") return;
  if (node.type === "ImportDeclaration") return;
  take(node);
  if (isNamedNumber(node)) return;
  for (const [name, value] of Object.entries(node)) {
    if (SKIPPED.has(name)) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, take, node);
  }
}

interface Change {
  readonly node: Node;
  readonly text: string;
  readonly kind: Kind;
}

function changesOf(node: Node, source: string, constants: Constants): Change[] {
  const textOf = ({ start, end }: Node): string => source.slice(start ?? 0, end ?? 0);
  if (isNamedNumber(node)) return namedNumberChange(node, textOf);
  if (isNeutral(node, constants)) return [];
  const statements = statementChanges(node, textOf, constants);
  return [...operatorChanges(node, textOf), ...valueChanges(node, textOf), ...statements, ...tests(node)];
}

/** The right operands with which an operator and its replacement have the same result. */
const NEUTRAL: Readonly<Record<string, number>> = {
  "+": 0,
  "-": 0,
  "+=": 0,
  "-=": 0,
  "*": 1,
  "/": 1,
  "<<": 0,
  ">>": 0,
};

function isNeutral(node: Node, constants: Constants): boolean {
  if (node.type !== "BinaryExpression" && node.type !== "AssignmentExpression") return false;
  const neutral = NEUTRAL[node.operator];
  return neutral !== undefined && valueOf(node.right, constants) === neutral;
}

type TextOf = (node: Node) => string;

function operatorChanges(node: Node, textOf: TextOf): Change[] {
  if (node.type === "UnaryExpression" && (node.operator === "!" || node.operator === "-")) {
    return [{ node, text: textOf(node.argument), kind: "operator" }];
  }
  if (node.type === "UpdateExpression") {
    const other = node.operator === "++" ? "--" : "++";
    const inner = textOf(node.argument);
    return [{ node, text: node.prefix ? `${other}${inner}` : `${inner}${other}`, kind: "operator" }];
  }
  const isBinary = node.type === "BinaryExpression" || node.type === "LogicalExpression";
  if (!isBinary && node.type !== "AssignmentExpression") return [];
  const { left, right, operator } = node;
  return (BINARY[operator] ?? []).map((other) => ({
    node,
    // In parentheses, because && and ?? cannot be combined without them.
    text: `(${textOf(left)} ${other} ${textOf(right)})`,
    kind: BOUNDS.has(operator) ? "bound" : "operator",
  }));
}

function valueChanges(node: Node, textOf: TextOf): Change[] {
  if (node.type === "BooleanLiteral") return [{ node, text: String(!node.value), kind: "literal" }];
  if (node.type === "NumericLiteral") return [{ node, text: `(${textOf(node)} + 1)`, kind: "literal" }];
  return node.type === "AwaitExpression" ? [{ node, text: `(${textOf(node.argument)})`, kind: "await" }] : [];
}

const REMOVED = new Set(["ExpressionStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"]);

function statementChanges(node: Node, textOf: TextOf, constants: Constants): Change[] {
  if (REMOVED.has(node.type)) return [{ node, text: ";", kind: "statement" }];
  if (node.type !== "ReturnStatement") return [];
  const { argument } = node;
  if (argument === null || argument === undefined) return [{ node, text: ";", kind: "statement" }];
  // WebAssembly, typed arrays and operators of bits read undefined as 0.
  const isZero = valueOf(argument, constants) === 0;
  if (isZero && argument.type !== "NumericLiteral")
    return [{ node: argument, text: `(${textOf(argument)} + 1)`, kind: "literal" }];
  // `return undefined` would not change. In `return false` and `return 0` the literal already has a mutant, and undefined has
  // the same effect.
  const isPlain =
    isZero || argument.type === "BooleanLiteral" || (argument.type === "Identifier" && argument.name === "undefined");
  return isPlain ? [] : [{ node, text: "return undefined as never;", kind: "statement" }];
}

/** A condition that is always true, and one that is never true. An endless loop would prove nothing. */
function tests(node: Node): Change[] {
  if (!("test" in node) || !isNode(node.test) || node.type === "SwitchCase") return [];
  const { test } = node;
  if (test.type === "BooleanLiteral") return [];
  const isLoop = node.type.endsWith("Statement") && node.type !== "IfStatement";
  return (isLoop ? ["false"] : ["true", "false"]).map((text) => ({ node: test, text, kind: "condition" }));
}
