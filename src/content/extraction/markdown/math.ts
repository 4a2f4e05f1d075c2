import { type Element, type ParentNode, isTag, isText } from "domhandler";
import { findOne, textContent } from "domutils";

/** The TeX of a MathML formula: its TeX annotation, or else TeX that is made from its elements. */
export function texOfMath(math: Element): string {
  const annotation = findOne(
    ({ name, attribs }) => name === "annotation" && /tex/i.test(attribs["encoding"] ?? ""),
    [math],
  );
  return clean(annotation === null ? texOf(math) : textContent(annotation));
}

/** The TeX of a `math/tex` script. */
export function texOfScript(script: Element): string {
  return clean(textContent(script));
}

/** Whether a formula is displayed as a block. */
export function isDisplayed(math: Element): boolean {
  if (math.attribs["display"] === "block") return true;
  const type = math.attribs["type"];
  if (type !== undefined) return /;\s*mode=display/.test(type);
  let { parent } = math;
  for (let steps = 0; steps < 4 && parent !== null && isTag(parent); steps += 1) {
    if (/(?:^|\s)(?:katex-display|mwe-math-element-block|math-display)(?:\s|$)/.test(parent.attribs["class"] ?? ""))
      return true;
    if (parent.name === "mjx-container" && parent.attribs["display"] === "true") return true;
    ({ parent } = parent);
  }
  return false;
}

function clean(tex: string): string {
  const folded = tex.replace(/\s+/g, " ").trim();
  const inner = /^\{\\(?:displaystyle|textstyle) ?(.*)\}$/.exec(folded)?.[1]?.trim() ?? folded;
  return inner.replaceAll("$", "\\$").replaceAll("\\\\$", "\\$");
}

/** The TeX before, between and after the children of elements whose children have fixed roles. */
const SHAPES = new Map<string, readonly string[]>([
  ["msup", ["", "^{", "}"]],
  ["msub", ["", "_{", "}"]],
  ["msubsup", ["", "_{", "}^{", "}"]],
  ["munder", ["", "_{", "}"]],
  ["mover", ["", "^{", "}"]],
  ["munderover", ["", "_{", "}^{", "}"]],
  ["mfrac", ["\\frac{", "}{", "}"]],
  // The index of a root, which is its last child, comes first.
  ["mroot", ["\\sqrt[", "]{", "}"]],
]);
/** The TeX around all children of other elements. */
const AROUND = new Map<string, readonly [string, string]>([
  ["msqrt", ["\\sqrt{", "}"]],
  ["mtext", ["\\text{", "}"]],
  ["mtr", ["", " \\\\ "]],
  ["mtd", ["", " & "]],
]);

/** Converts presentation MathML (MathML Core §3) to TeX. Operators remain characters. */
function texOf(math: Element): string {
  const parts: string[] = [];
  // prune.ts limits the depth of trees. The parts are joined once, since joining at each level would copy inner
  // formulas repeatedly.
  const walk = (node: ParentNode, shape: readonly string[] | undefined) => {
    let place = 0;
    for (const child of isTag(node) && node.name === "mroot" ? node.children.toReversed() : node.children) {
      if (isText(child)) parts.push(child.data.trim().replace(/[{}%#_]/g, "\\$&"));
      if (!isTag(child) || child.name.startsWith("annotation")) continue;
      if (shape !== undefined) parts.push(shape[place] ?? "");
      place += 1;
      const [before, after] = AROUND.get(child.name) ?? ["", ""];
      parts.push(before);
      walk(child, SHAPES.get(child.name));
      parts.push(after);
    }
    if (shape !== undefined) parts.push(shape.slice(place).join(""));
  };
  walk(math, undefined);
  return parts.join("");
}
