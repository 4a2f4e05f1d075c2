import { element } from "../../kinds/tree-content.ts";
import { type Budget } from "../budget.ts";
import { type Package, partOf, type Relationships } from "../package.ts";
import { allBelow, childOf, elementsOf, textOf, type XmlElement } from "../read-xml.ts";
import { type Comment } from "../word/docx.ts";

/** The names of the authors of comments, by their ids, of both forms that PowerPoint has had. */
export async function authorsOf(file: Package, presentation: Relationships): Promise<ReadonlyMap<string, string>> {
  const older = elementsOf(await file.readIf(partOf(presentation, "commentAuthors")), "p:cmAuthor");
  const newer = elementsOf(await file.readIf(partOf(presentation, "authors")), "p188:author");
  return new Map([...older, ...newer].map(({ attributes: { id = "", name = "" } }) => [id, name]));
}

/** The comments on a slide, each before its replies. */
export async function commentsOn(
  file: Package,
  slide: Relationships,
  { authors, budget }: { readonly authors: ReadonlyMap<string, string>; readonly budget: Budget },
): Promise<Comment[]> {
  const root = await file.readIf(partOf(slide, "comments"));
  return elementsOf(root)
    .flatMap((comment) => [comment, ...allBelow(comment, "p188:reply")])
    .map((comment) => {
      const lines = budget.isSpent ? [] : linesOf(comment);
      budget.spend(lines.join("").length);
      return {
        author: authors.get(comment.attributes["authorId"] ?? "") ?? "",
        content: lines.map((line) => element("p", [line])),
      };
    });
}

function linesOf(comment: XmlElement): string[] {
  const lines = [
    textOf(childOf(comment, "p:text")),
    ...elementsOf(childOf(comment, "p188:txBody"), "a:p").map((line) => allBelow(line, "a:t").map(textOf).join("")),
  ];
  return lines.filter((line) => line.trim() !== "");
}
