import { type Package, partOf, type Relationships } from "../package.ts";
import { childOf, elementsOf, textOf, type XmlElement } from "../read-xml.ts";
import { type SheetComment } from "./grid.ts";

/** Reads the comments of a sheet: discussions, and the notes of cells without one. `people` has names by their ids. */
export async function commentsOf(
  file: Package,
  relationships: Relationships,
  people: ReadonlyMap<string, string>,
): Promise<SheetComment[]> {
  const threads = elementsOf(await file.readIf(partOf(relationships, "threadedComment")), "tc:threadedComment");
  const discussed = threads.map((comment) => ({
    cell: comment.attributes["ref"] ?? "",
    author: people.get(comment.attributes["personId"] ?? "") ?? "",
    text: textOf(childOf(comment, "tc:text")),
  }));
  const cells = new Set(discussed.map(({ cell }) => cell));
  // Older programs show a note in place of each discussion.
  const notes = notesOf(await file.readIf(partOf(relationships, "comments"))).filter(({ cell }) => !cells.has(cell));
  return [...discussed, ...notes];
}

function notesOf(root: XmlElement | undefined): SheetComment[] {
  const authors = elementsOf(childOf(root, "x:authors"), "x:author").map(textOf);
  return elementsOf(childOf(root, "x:commentList"), "x:comment").map((comment) => {
    const author = authors[Number(comment.attributes["authorId"])] ?? "";
    const text = richText(childOf(comment, "x:text")).replace(DISCUSSION, "").trim();
    // Excel begins a note with the name of its author.
    const isNamed = author !== "" && text.startsWith(`${author}:`);
    return {
      cell: comment.attributes["ref"] ?? "",
      author,
      text: isNamed ? text.slice(author.length + 1) : text,
    };
  });
}

/** The beginning of a note that Excel writes for a discussion, for older programs. */
const DISCUSSION = /^\[Threaded comment\][^]{0,500}?\nComment:\s*/;

/** The names of the people in the discussions of a workbook. */
export function peopleOf(root: XmlElement | undefined): ReadonlyMap<string, string> {
  return new Map(
    elementsOf(root, "tc:person").map(({ attributes: { id = "", displayName = "" } }) => [id, displayName]),
  );
}

/** The text of a string with runs, without the readings of its characters. */
export function richText(item: XmlElement | undefined): string {
  const [first] = item?.children ?? [];
  if (item?.children.length === 1 && typeof first === "object" && first.name === "x:t") return textOf(first);
  return elementsOf(item)
    .map((child) => (child.name === "x:r" ? textOf(childOf(child, "x:t")) : child.name === "x:t" ? textOf(child) : ""))
    .join("");
}
