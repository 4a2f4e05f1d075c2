import { type Element } from "domhandler";
import { type ESTree } from "meriyah";
import { type Frames } from "./frames.ts";
import { type PageElements } from "./page-elements.ts";
import { type Scope, type Source } from "../syntax/scope.ts";
import { type Scopes } from "../syntax/scopes.ts";
import { type Fn, type Node } from "../syntax/syntax.ts";
import { type Value } from "./value.ts";

/** The values of a page's scripts, found without running the code. */
export interface Values {
  readonly scopes: Scopes;
  readonly page: PageElements;
  readonly frames: Frames;
  /** The element of the script that runs. */
  ownElement: Element | undefined;
  readonly exported: (name: string, from: string) => Source | undefined;
  of(node: Node | null | undefined, scope: Scope): Value;
  /** Whether a condition is true. Undefined if that is not known. */
  truth(node: Node, scope: Scope): boolean | undefined;
  result(node: Fn, args: readonly Value[], self: Value): Value;
  /** The property that a member expression names. */
  key(node: ESTree.MemberExpression, scope: Scope): string | undefined;
  source(source: Source): Value;
  /** The value of a property. The name is undefined if it is computed and not known. */
  member(object: Value, key: string | undefined, scope?: Scope): Value;
  /** The value of a property of an object literal. Undefined if the literal does not have it. */
  property(object: Extract<Value, { is: "object" }>, key: string): Value | undefined;
}
