import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { choose } from "./choice.ts";
import { type Block, FLAGS, type Outline, outlineOf } from "./outline.ts";
import { TextCount } from "./text-count.ts";
import { bodyOf } from "./words.ts";

function outline(html: string): Outline {
  return outlineOf(bodyOf(parseTree(html)));
}

const texts = ({ blocks }: Outline): string[] => blocks.map(({ text }) => text.replace(/\s+/g, " ").trim());

describe("blocks are runs of text in one element", () => {
  test.each<[string, string, string[]]>([
    ["with what stands in their lines", "<p>One <a href='/'>two</a> <b>three</b>.</p>", ["One two three."]],
    ["beside other elements", "<div>One<p>Two</p>three</div>", ["One", "Two", "three"]],
    ["between two breaks", "<div>One<br>more<br><br>Two</div>", ["Onemore", "Two"]],
    ["also in buttons", "<p>One <button>Go</button> two</p>", ["One", "Go", "two"]],
    ["also if they are folded", "<p>One</p><div hidden><p>Two</p></div>", ["One", "Two"]],
    [
      "without scripts, styles and banners",
      "<p>One<script>x</script><style>y</style></p><div id='onetrust-banner-sdk'>z</div>",
      ["One"],
    ],
    [
      "of a shadow tree",
      "<x-a><template shadowrootmode='open'><p>One</p><slot></slot></template>Two</x-a>",
      ["One", "Two"],
    ],
  ])("%s", (_what, html, expected) => {
    expect(texts(outline(html))).toEqual(expected);
  });
});

test("a box has the sums of its descendants, and the flags of its ancestors", () => {
  const { root, blocks } = outline(
    "<nav><a href='/a'>Alpha beta</a></nav><main><h1>One</h1><p>Two three. Four!</p><div hidden>Five</div></main>",
  );
  expect([root.words, root.linkWords, root.proseWords, root.hiddenWords, root.headings]).toEqual([7, 2, 3, 1, 1]);
  expect(blocks.map(({ box }) => box.flags)).toEqual([FLAGS.nav, FLAGS.main, FLAGS.main, FLAGS.main | FLAGS.hidden]);
  expect(blocks.map(({ heading }) => heading)).toEqual([0, 1, 0, 0]);
});

describe("a text is counted in every script", () => {
  test.each<[string, number, number]>([
    ["It leaves at 10.30. Then it waits!", 8, 2],
    ["它在十点半离开。然后等待！", 5.5, 2],
    ["यह साढ़े दस बजे निकलती है। फिर रुकती है।", 9, 2],
    ["هل يصل في الصباح؟ نعم.", 5, 2],
    ["Он уходит утром. Потом ждёт…", 5, 2],
    ["รถไฟออกตอนเช้า", 7, 0],
    ["", 0, 0],
  ])("%p has %d words and %d sentences", (text, words, sentences) => {
    const count = new TextCount();
    count.add(text, false);
    expect([count.words, count.sentences]).toEqual([words, sentences]);
  });

  test("has the same counts in pieces as in one string", () => {
    const [whole, pieces] = [new TextCount(), new TextCount()];
    whole.add("The Night train leaves. It waits.", false);
    for (const piece of ["The Nig", "ht train", " leaves.", " It waits."]) pieces.add(piece, false);
    expect(pieces).toEqual(whole);
  });
});

function paragraphs(...words: number[]): readonly Block[] {
  return outline(words.map((count) => `<p>${"word ".repeat(count)}</p>`).join("")).blocks;
}

describe("the choice", () => {
  test("takes the blocks that raise the expected F1, at any level of the scores", () => {
    const { chosen, expected } = choose(paragraphs(10, 50, 50, 20), Float32Array.of(0.1, 0.9, 0.8, 0.05), false);
    expect([...chosen]).toEqual([0, 1, 1, 0]);
    expect(expected).toBeCloseTo((2 * 85) / (100 + 87), 5);
    const low = choose(paragraphs(10, 50, 50, 20), Float32Array.of(0.01, 0.3, 0.25, 0.01), false);
    expect([...low.chosen]).toEqual([0, 1, 1, 0]);
  });

  test("leaves out another article that is content as a whole or not at all", () => {
    const [blocks, scores] = [paragraphs(200, 300, 200), Float32Array.of(0.93, 0.4, 0.4)];
    expect([...choose(blocks, scores, true).chosen]).toEqual([1, 0, 0]);
    expect([...choose(blocks, scores, false).chosen]).toEqual([1, 1, 1]);
  });

  test("takes at least one block if all scores are low, and nothing from an empty page", () => {
    expect([...choose(paragraphs(3), Float32Array.of(0.001), false).chosen]).toEqual([1]);
    expect(choose([], new Float32Array(), false)).toEqual({ chosen: new Uint8Array(), threshold: 1, expected: 0 });
  });
});
