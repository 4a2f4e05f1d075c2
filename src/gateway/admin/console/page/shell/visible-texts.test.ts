import { afterEach, expect, test } from "bun:test";
import { createElement, options, type VNode } from "preact";
import { visibleLines } from "../../../../../lib/text/visible-text.ts";
import { showInvisible } from "./visible-texts.ts";

const before = options.vnode?.bind(options);
afterEach(() => {
  if (before === undefined) delete options.vnode;
  else options.vnode = before;
});

test("invisible characters of texts and titles are shown, and other properties stay as they are", () => {
  const drawn: unknown[] = [];
  options.vnode = ({ props }) => void drawn.push(props);
  showInvisible();
  const hostile = "safe\u202eexe.txt";
  expect(visibleLines(hostile)).not.toBe(hostile);
  createElement("p", { title: hostile, class: hostile });
  createElement("p", { title: undefined });
  // The page's library makes such a node of a text.
  const text = { props: hostile } as unknown as VNode;
  options.vnode(text);
  expect(drawn).toEqual([
    { title: visibleLines(hostile), class: hostile },
    { title: undefined },
    visibleLines(hostile),
  ]);
});

test("a page without another reader of nodes shows them too", () => {
  delete options.vnode;
  showInvisible();
  expect(createElement("p", { title: "a\u200bb" }).props.title).toBe(visibleLines("a\u200bb"));
});
