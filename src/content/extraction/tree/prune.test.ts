import { expect, test } from "bun:test";
import { Document, Element, hasChildren, isTag, Text } from "domhandler";
import { prepare } from "./prune.ts";
import { appendChild } from "domutils";

/** The limits as they are documented: a test states them, so that no change of one goes unnoticed. */
const MAX_PRUNED_DEPTH = 640;

/** Nested elements, each with a text beside the next, deeper than the parser makes them. */
function nested(depth: number): Document {
  const tree = new Document([]);
  let parent: Document | Element = tree;
  for (let level = 0; level < depth; level += 1) {
    const element = new Element("div", {}, []);
    appendChild(parent, element);
    appendChild(element, new Text(String(level)));
    parent = element;
  }
  return tree;
}

/** The depth of nested elements that are each the last child of their parent, from the tree's first one. */
function depthOf(tree: Document): number {
  let depth = 0;
  for (let node = tree.children.at(-1); node !== undefined && isTag(node); depth += 1) {
    node = hasChildren(node) ? node.children.findLast(isTag) : undefined;
  }
  return depth;
}

test.each([
  [MAX_PRUNED_DEPTH, MAX_PRUNED_DEPTH],
  [MAX_PRUNED_DEPTH + 1, MAX_PRUNED_DEPTH],
  [MAX_PRUNED_DEPTH + 100, MAX_PRUNED_DEPTH],
])("of a tree that is %d levels deep, %d levels are kept, since later functions recurse", (depth, left) => {
  const tree = nested(depth);
  prepare(tree, "https://site.test/");
  expect(depthOf(tree)).toBe(left);
});
