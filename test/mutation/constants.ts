import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "@babel/parser";
import { type Node, type Statement } from "@babel/types";

/** Values of constant numbers by their names: `LIMIT`, or `STATUS.ok` for a property of a constant object. */
export type Constants = ReadonlyMap<string, number>;

/** The constants of a module: those that it declares at its top level, over the imported ones. */
export function constantsOf(statements: readonly Statement[], imported: Constants): Constants {
  const constants = new Map(imported);
  for (const statement of statements) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration.kind !== "const") continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type === "Identifier" && init !== null && init !== undefined) add(constants, id.name, init);
    }
  }
  return constants;
}

function add(constants: Map<string, number>, name: string, init: Node): void {
  const object = init.type === "TSAsExpression" ? init.expression : init;
  if (object.type === "ObjectExpression") {
    for (const property of object.properties) {
      if (property.type !== "ObjectProperty" || property.key.type !== "Identifier") continue;
      const value = valueOf(property.value, constants);
      if (value !== undefined) constants.set(`${name}.${property.key.name}`, value);
    }
    return;
  }
  const value = valueOf(init, constants);
  if (value !== undefined) constants.set(name, value);
}

/** The value of an expression of numbers and constants; undefined if it is not known. */
export function valueOf(node: Node, constants: Constants): number | undefined {
  if (node.type === "NumericLiteral") return node.value;
  if (node.type === "Identifier") return constants.get(node.name);
  if (node.type === "TSAsExpression") return valueOf(node.expression, constants);
  if (node.type !== "MemberExpression" || node.computed) return undefined;
  const { object, property } = node;
  if (object.type !== "Identifier" || property.type !== "Identifier") return undefined;
  return constants.get(`${object.name}.${property.name}`);
}

/** The constants that a source file imports from other files, by the names that it uses for them. */
export function importedConstants(file: string): Constants {
  const imported = new Map<string, number>();
  for (const statement of statementsOf(readFileSync(file, "utf8"))) {
    if (statement.type !== "ImportDeclaration" || !statement.source.value.startsWith(".")) continue;
    const constants = exportedBy(join(dirname(file), statement.source.value));
    for (const specifier of statement.specifiers) {
      if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") continue;
      const { imported: there, local } = specifier;
      for (const [name, value] of constants) {
        const [first, ...rest] = name.split(".");
        if (first === there.name) imported.set([local.name, ...rest].join("."), value);
      }
    }
  }
  return imported;
}

const known = new Map<string, Constants>();

function exportedBy(file: string): Constants {
  const constants =
    known.get(file) ??
    (file.endsWith(".ts") ? constantsOf(statementsOf(readFileSync(file, "utf8")), new Map()) : new Map());
  known.set(file, constants);
  return constants;
}

export function statementsOf(source: string): Statement[] {
  return parse(source, { sourceType: "module", plugins: ["typescript"] }).program.body;
}
