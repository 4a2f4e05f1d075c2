import { escapeHtml } from "../kinds/content.ts";
import { type Block, type Piece, plainOf } from "./shapes.ts";

/** The blocks of a document as HTML. */
export function htmlOf(blocks: readonly Block[]): string {
  return blocks
    .map(blockHtml)
    .filter((html) => html !== "")
    .join("\n");
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case "text": {
      const name = block.level > 0 ? `h${block.level}` : "p";
      // A heading is bold by default.
      const pieces =
        block.level > 0
          ? block.pieces.map((piece) => ({ ...piece, text: oneLine(piece.text), isBold: false, isMono: false }))
          : block.pieces;
      const html = piecesHtml(pieces);
      return html === "" ? "" : `<${name}>${html}</${name}>`;
    }
    case "list":
      return listHtml(block.items);
    case "table":
      return tableHtml(block);
    case "code":
      return `<pre><code>${escapeHtml(block.text)}\n</code></pre>`;
    case "quote":
      return `<blockquote>${htmlOf(block.blocks)}</blockquote>`;
    default:
      throw new Error(`Cannot write a block that is '${String(block satisfies never)}'`);
  }
}

function listHtml(items: Extract<Block, { kind: "list" }>["items"]): string {
  const isNumbered = items[0]?.number !== undefined;
  const written = items.map(({ number, blocks }) => {
    const [first, ...others] = blocks;
    // A single paragraph becomes the item's own text.
    const text = first?.kind === "text" && first.level === 0 ? piecesHtml(first.pieces) : htmlOf(blocks.slice(0, 1));
    const rest = others.length === 0 ? "" : `\n${htmlOf(others)}`;
    return `<li${number === undefined ? "" : ` value="${number}"`}>${text}${rest}</li>`;
  });
  const name = isNumbered ? "ol" : "ul";
  return `<${name}>\n${written.join("\n")}\n</${name}>`;
}

function rowHtml(cells: readonly string[], name: "td" | "th"): string {
  return `<tr>${cells.map((cell) => `<${name}>${cell}</${name}>`).join("")}</tr>`;
}

function tableHtml({ caption, rows }: Extract<Block, { kind: "table" }>): string {
  const [head = [], ...others] = rows.map((row) => row.map(piecesHtml));
  const title = caption.length === 0 ? "" : `<caption>${piecesHtml(caption)}</caption>\n`;
  const body = others.map((row) => rowHtml(row, "td")).join("\n");
  return `<table>\n${title}<thead>${rowHtml(
    head.map((cell) => cell.replaceAll(/<\/?strong>/g, "")),
    "th",
  )}</thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}

/** A text without line breaks. */
export function oneLine(text: string): string {
  return text.replaceAll("\n", " ");
}

/** Marks enclose words, without the spaces around them. */
function piecesHtml(pieces: readonly Piece[]): string {
  const isAllBold = pieces.every(({ isBold }) => isBold);
  return pieces
    .map(({ text, isBold, isMono, raised, href }) => {
      const core = text.trim();
      if (core === "") return text;
      const marks = [
        isBold && !isAllBold && /[\p{L}\d]{2}/u.test(core) ? "strong" : "",
        isMono ? "code" : "",
        raised === 1 ? "sup" : raised === -1 ? "sub" : "",
      ].filter((mark) => mark !== "");
      const lines = escapeHtml(core).replaceAll("\n", "<br>");
      const inner = marks.reduceRight((html, mark) => `<${mark}>${html}</${mark}>`, lines);
      const linked = href === "" ? inner : `<a href="${escapeHtml(href)}">${inner}</a>`;
      return `${text.startsWith("\n") ? "<br>" : /^\s/.test(text) ? " " : ""}${linked}${/\s$/.test(text) ? " " : ""}`;
    })
    .join("")
    .trim();
}

/** The blocks as plain text: empty lines between paragraphs, items with their labels, tabs between cells. */
export function plainTextOf(blocks: readonly Block[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n\n");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "text":
      return plainOf(block.pieces).trim();
    case "list":
      return listText(block.items);
    case "table": {
      const rows = block.rows.map((row) =>
        row
          .map((cell) => plainOf(cell).trim())
          .join("\t")
          .trimEnd(),
      );
      return [plainOf(block.caption).trim(), ...rows].filter((line) => line !== "").join("\n");
    }
    case "code":
      return block.text;
    case "quote":
      return plainTextOf(block.blocks);
    default:
      throw new Error(`Cannot write a block that is '${String(block satisfies never)}'`);
  }
}

function listText(items: Extract<Block, { kind: "list" }>["items"]): string {
  return items
    .map(({ number, blocks }) => {
      const text = blocks.map(blockText).join("\n").replaceAll("\n", "\n  ");
      return `${number === undefined ? "-" : `${number}.`} ${text}`;
    })
    .join("\n");
}
