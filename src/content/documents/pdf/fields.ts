import { boxOf } from "./graphics.ts";
import { plain } from "./pieces.ts";
import { type Box, type Placed, type Run } from "./shapes.ts";

/** Maximum number of form fields of one page of a PDF that are read. The rest is ignored. */
const MAX_PAGE_FIELDS = 1_000;
/** Characters of the values of form fields on one page of a PDF. The rest is ignored. */
const MAX_FIELD_TEXT = 100_000;
/** Lines of the value of one form field in a PDF. The rest is ignored. */
const MAX_FIELD_LINES = 500;
/** Size of the letters of a value on a page without text, in points. */
const SIZE = 10;
/** Flags of annotations that no viewer shows: hidden, and not shown on screens (ISO 32000-1 §12.5.3). */
const HIDDEN = 0b10_0010;

/** The mark of a field's text. The structure tree refers to the field by its identifier. */
export function fieldMark(id: string): string {
  return `field ${id}`;
}

/** Whether a mark is one of a form field. */
export function isFieldMark(mark: string): boolean {
  return mark.startsWith("field ");
}

/** The part of pdf.js's annotations of form fields and free texts that is used. */
interface Field {
  readonly fieldType?: string;
  readonly contentsObj?: { readonly str: string };
  readonly rect: readonly unknown[];
  readonly id?: unknown;
  readonly annotationFlags?: unknown;
  readonly hidden?: unknown;
  readonly password?: unknown;
  readonly fieldValue?: unknown;
  readonly options?: unknown;
  readonly checkBox?: unknown;
  readonly radioButton?: unknown;
  readonly exportValue?: unknown;
  readonly buttonValue?: unknown;
}

/** The type of an annotation whose text is shown on the page (ISO 32000-1 §12.5.6.6). It has no label. */
const FREE_TEXT = "FreeText";

function isField(annotation: object): annotation is Field {
  const hasText = "fieldType" in annotation ? typeof annotation.fieldType === "string" : isFreeText(annotation);
  return hasText && "rect" in annotation && Array.isArray(annotation.rect);
}

function isFreeText(annotation: object): boolean {
  return "subtype" in annotation && annotation.subtype === FREE_TEXT;
}

/**
 * The values of the form fields that a page shows, and its free texts, as text at their places. `runs` is the text of the page: a value has
 * the baseline and the size of the label beside it. Passwords are left out.
 */
export function fieldRuns(annotations: readonly object[], runs: readonly Run[], placed: Placed): Run[] {
  const found: Run[] = [];
  const sizes = runs.map(({ size }) => size).toSorted((a, b) => a - b);
  const usual = sizes[Math.floor(sizes.length / 2)] ?? SIZE;
  let [fields, left] = [0, MAX_FIELD_TEXT];
  for (const field of annotations) {
    if (!isField(field) || isHidden(field)) continue;
    fields += 1;
    if (fields > MAX_PAGE_FIELDS) break;
    const lines = linesOf(valueOf(field), left);
    if (lines.length === 0) continue;
    left -= lines.reduce((sum, line) => sum + line.length, 0);
    found.push(...runsOf(field, lines, { runs, usual }, placed));
  }
  return found;
}

function isHidden({ hidden, password, annotationFlags }: Field): boolean {
  return (
    hidden === true || password === true || (typeof annotationFlags === "number" && (annotationFlags & HIDDEN) !== 0)
  );
}

/** The text that a field shows. Empty for push buttons and signatures. */
function valueOf({ fieldType, fieldValue, options, ...field }: Field): string {
  if (fieldType === undefined) return field.contentsObj?.str ?? "";
  if (field.checkBox === true || field.radioButton === true) {
    const checked = field.checkBox === true ? field.exportValue : field.buttonValue;
    return typeof fieldValue === "string" && fieldValue === checked && fieldValue !== "Off" ? "[x]" : "[ ]";
  }
  if (fieldType !== "Tx" && fieldType !== "Ch") return "";
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).slice(0, MAX_FIELD_LINES);
  const shown = fieldType === "Ch" ? shownOptions(options) : undefined;
  return values
    .filter((value): value is string => typeof value === "string")
    .map((value) => shown?.get(value) ?? value)
    .join(", ");
}

/** The texts that a choice shows, by their values. */
function shownOptions(options: unknown): Map<string, string> {
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  const shown = new Map<string, string>();
  for (const option of list) {
    if (typeof option !== "object" || option === null) continue;
    if (!("exportValue" in option && "displayValue" in option)) continue;
    const { exportValue, displayValue } = option;
    if (typeof exportValue !== "string" || typeof displayValue !== "string") continue;
    if (!shown.has(exportValue)) shown.set(exportValue, displayValue);
  }
  return shown;
}

function linesOf(value: string, most: number): string[] {
  return value
    .slice(0, most)
    .split(/\r\n?|\n/, MAX_FIELD_LINES)
    .map((line) => plain(line).trim())
    .filter((line) => line !== "");
}

/** The runs of a page's text, and their usual size. */
interface PageText {
  readonly runs: readonly Run[];
  readonly usual: number;
}

function runsOf(
  { id, rect, fieldType }: Field,
  lines: readonly string[],
  { runs, usual }: PageText,
  placed: Placed,
): Run[] {
  const box = boxOf(rect, placed);
  if (box === undefined) return [];
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  // A field without an area is not shown.
  if (!(width > 0 && height > 0 && Number.isFinite(width + height + box.left + box.top))) return [];
  const own = Math.min(usual, (height / lines.length) * 0.75);
  const label = lines.length === 1 && fieldType !== undefined ? labelOf(box, runs) : undefined;
  const size = label?.size ?? own;
  const top = label?.y ?? (lines.length === 1 ? box.top + height / 2 + own * 0.35 : box.top + own * 1.1);
  if (isShown(lines, box, runs)) return [];
  return lines.map((text, at) => ({
    text,
    x: box.left,
    y: top + at * size * 1.2,
    width: Math.min(width, text.length * size * 0.5),
    size,
    isBold: false,
    isMono: false,
    isRtl: false,
    isSpaced: true,
    href: "",
    font: "",
    mark: typeof id === "string" ? fieldMark(id) : "",
  }));
}

/** Whether the page itself shows a value at the place of its field, as in forms that were filled and flattened. */
function isShown(lines: readonly string[], { left, right, top, bottom }: Box, runs: readonly Run[]): boolean {
  const inside = runs.filter(({ x, y, size }) => x > left - 3 && x < right && y > top && y < bottom + size * 0.3);
  return withoutSpaces(inside.map(({ text }) => text)) === withoutSpaces(lines);
}

function withoutSpaces(texts: readonly string[]): string {
  return texts.join("").replace(/\s/g, "");
}

/** The text nearest to the left or right edge of a field whose baseline is in the lower part of the field's height. */
function labelOf({ left, right, top, bottom }: Box, runs: readonly Run[]): Run | undefined {
  let label: Run | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const run of runs) {
    // A label beside a high field belongs to its first line, and is not larger than the field.
    if (run.y < top + (bottom - top) * 0.3 || run.y > bottom + run.size * 0.3 || run.size > (bottom - top) * 1.5)
      continue;
    const away = run.x > left ? Math.abs(run.x - right) : Math.abs(left - run.x - run.width);
    if (away < least) [label, least] = [run, away];
  }
  return label;
}
