import { type ESTree } from "meriyah";
import { type Node, propertyName } from "./syntax.ts";

/** A call: the function, the object that it is called on, and the arguments. */
interface Invocation {
  readonly callee: Node;
  readonly on: Node | undefined;
  readonly args: readonly Node[];
}

/** The parts of a call. `f.call(o, a)` calls `f` on `o` with `a`. */
export function invocationOf({ callee, arguments: args }: ESTree.CallExpression): Invocation {
  if (callee.type !== "MemberExpression") return { callee, on: undefined, args };
  const [self, ...given] = args;
  const name = propertyName(callee);
  if (name === "call") return { callee: callee.object, on: self, args: given };
  return { callee, on: callee.object, args };
}
