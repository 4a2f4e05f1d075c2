import { expect, test } from "bun:test";
import { readXml, type XmlElement } from "./read-xml.ts";

async function* pieceOf(xml: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(xml);
}

const namesOf = ({ name, children }: XmlElement): string =>
  `${name}(${children.map((child) => (typeof child === "string" ? child : namesOf(child))).join(" ")})`;

test("equal tags have the names of the namespaces where they are", async () => {
  const [word, math] = ["wordprocessingml", "officeDocument"].map(
    (path, at) => `http://schemas.openxmlformats.org/${path}/2006/${["main", "math"][at]}`,
  );
  const inner = "<x:r/><x:r>text</x:r>";
  const root = await readXml(pieceOf(`<a xmlns:x="${word}">${inner}<b xmlns:x="${math}">${inner}</b>${inner}</a>`));
  expect(namesOf(root)).toBe("a(w:r() w:r(text) b(m:r() m:r(text)) w:r() w:r(text))");
});

test("a container passes on its children one by one, also those without content", async () => {
  const found: string[] = [];
  const take = (child: XmlElement): "stop" | void => {
    found.push(namesOf(child));
    return found.length === 3 ? "stop" : undefined;
  };
  const root = await readXml(pieceOf("<a><b/><c>x</c><b/><d/></a>"), new Map([["a", take]]));
  expect(found).toEqual(["b()", "c(x)", "b()"]);
  expect(namesOf(root)).toBe("a()");
});
