import { expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { outlineOf } from "./outline.ts";
import { groupByTemplate } from "./templates.ts";
import { bodyOf } from "./words.ts";

const item = (at: number): string =>
  `<div class="item${at}"><h2>Lamp ${at}</h2><p class="price">$${at}0</p><p class="note">In stock</p></div>`;

test("blocks of one template share it, whatever the number of their item", () => {
  const { blocks } = outlineOf(bodyOf(parseTree(`<p>Lamps</p><div>${item(1)}${item(2)}${item(3)}</div>`)));
  groupByTemplate(blocks);
  expect(blocks.map(({ template }) => template?.count)).toEqual([1, 3, 3, 3, 3, 3, 3, 3, 3, 3]);
  const prices = blocks[2]?.template;
  expect(blocks[5]?.template).toBe(prices);
  expect(prices).toMatchObject({ currencies: 3, first: 2, last: 8 });
  expect(blocks[3]?.template?.texts.size).toBe(1);
});
