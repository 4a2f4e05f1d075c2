import { describe, expect, test } from "bun:test";
import { elementsOf } from "../selectors/select-all.ts";
import { imageSource, isTrackingPixel } from "./images.ts";
import { parseTree } from "./tree.ts";

function imageIn(html: string) {
  const image = [...elementsOf(parseTree(html))].find(({ name }) => name === "img");
  if (image === undefined) throw new Error("The page has no picture");
  return image;
}

describe("the address of a picture is", () => {
  test.each<[string, string, string | undefined]>([
    ["its own", "<img src=' a.png ' srcset='c.png 2x'>", "a.png"],
    ["that of a late one behind a small one", "<img src=a.png data-src=b.png>", "b.png"],
    ["that of a late one", "<img data-src=b.png>", "b.png"],
    ["that of a late one behind data", "<img src=data:x data-src=b.png>", "b.png"],
    ["that of a late one behind nothing", "<img src=about:blank data-original=b.png>", "b.png"],
    ["that of a late one behind a placeholder", "<img src=/p/spacer.gif data-lazy=b.png>", "b.png"],
    ["its own that has a name like a placeholder", "<img src=/p/spacer-a.gif data-url=b.png>", "/p/spacer-a.gif"],
    ["no late data", "<img src=data:x data-src=data:y data-url=b.png>", "b.png"],
    ["no late empty one", "<img src=data:x data-src=' ' data-url=b.png>", "b.png"],
    ["the largest of a late set", "<img data-srcset='a.png 100w, b.png 300w, c.png 200w'>", "b.png"],
    ["the densest", "<img srcset='a.png, b.png 3x, c.png 2x'>", "b.png"],
    ["the first of the same size", "<img srcset='a.png 2x, b.png 2x'>", "a.png"],
    ["one with commas", "<img srcset='a,b.png 1x, c.png 2x,'>", "c.png"],
    ["no data of a set", "<img srcset='data:x 3x, a.png 2x'>", "a.png"],
    ["no one without a size", "<img srcset='a.png zz, b.png 2x'>", "b.png"],
    ["that of a late set before the own set", "<img srcset='a.png 9x' data-lazy-srcset='b.png 1x'>", "b.png"],
    ["that of the next set, if one has only data", "<img data-srcset='data:x' srcset='a.png 1x'>", "a.png"],
    [
      "that of the first source of a picture",
      "<picture><source><source srcset=a.png><source srcset=b.png><img></picture>",
      "a.png",
    ],
    ["that of no other element in a picture", "<picture><b srcset=a.png></b><img></picture>", undefined],
    ["that of no other element around", "<div><source srcset=a.png><img></div>", undefined],
    ["the placeholder, if there is no other", "<img src=/blank.gif>", "/blank.gif"],
    ["nothing but data", "<img src=data:x>", undefined],
    ["nothing", "<img>", undefined],
    ["in a set of 16,384 characters", `<img srcset="${" ".repeat(16_379)}a.png">`, "a.png"],
    ["in no longer set", `<img srcset="${" ".repeat(16_380)}a.png">`, undefined],
  ])("%s", (_which, html, source) => {
    expect(imageSource(imageIn(html))).toBe(source as string);
  });
});

test.each<[string, boolean]>([
  ["width=1 height=1", true],
  ["width=0 height=1px", true],
  ["width=1 height=2", false],
  ["width=2 height=1", false],
  ["width=1", false],
  ["style='width:1px;height: 0px'", true],
  ["style='width:1px'", false],
  ["style='height:1px'", false],
  ["style='max-width:1px;height:1px'", false],
  ["style='width:10px;height:1px'", false],
  ["", false],
])("a picture with %s only counts visits: %p", (attributes, isSo) => {
  expect(isTrackingPixel(imageIn(`<img ${attributes}>`))).toBe(isSo);
});
