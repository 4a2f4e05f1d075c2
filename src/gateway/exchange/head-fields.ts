import { fieldValue, fieldValues, type Fields, hasAnyLine, withoutFields } from "../../lib/http/fields.ts";
import { type FixedText } from "../../lib/memory/fixed-text.ts";
import { flatText } from "../../lib/memory/flat-text.ts";
import { type LineBytes } from "../../lib/memory/line-bytes.ts";
import { type TextPieces } from "../../lib/memory/text-pieces.ts";

/**
 * The fields of a head that a codec keeps as bytes. Single fields are read, removed and added without making a text of all of
 * them, which costs a request more than most policies (bench http1). Names are in lower case.
 */
export interface FieldLines {
  value(lowerName: string): string | undefined;
  values(lowerName: string): string[];
  has(lowerName: string): boolean;
  /** Writes `start` and the value as JSON, if the field is there. */
  writeJson(line: LineBytes, start: FixedText, lowerName: string): void;
  remove(lowerNames: readonly string[]): void;
  /** Adds whole lines at the end. */
  append(lines: Fields): void;
  /** Adds all lines to `pieces`, without those of the names. */
  addTo(pieces: TextPieces, without: readonly string[]): void;
}

/** The fields of a head. `lines` is set while no text of them was made. */
export interface HeadFields {
  readonly fields: Fields;
  readonly lines?: FieldLines | undefined;
}

/** `fieldValue` of a head's fields. */
export function headValue(head: HeadFields, lowerName: string): string | undefined {
  const { lines } = head;
  return lines === undefined ? fieldValue(head.fields, lowerName) : lines.value(lowerName);
}

/** `fieldValues` of a head's fields. */
export function headValues(head: HeadFields, lowerName: string): string[] {
  const { lines } = head;
  return lines === undefined ? fieldValues(head.fields, lowerName) : lines.values(lowerName);
}

/** True if the head has a line of one of the names. */
export function hasAnyField(head: HeadFields, lowerNames: readonly string[]): boolean {
  const { lines } = head;
  if (lines === undefined) return hasAnyLine(head.fields, lowerNames);
  for (const name of lowerNames) if (lines.has(name)) return true;
  return false;
}

/** Removes the lines of the names from the head. */
export function removeFields(head: HeadFields & { fields: Fields }, lowerNames: readonly string[]): void {
  const { lines } = head;
  if (lines === undefined) head.fields = withoutFields(head.fields, lowerNames);
  else lines.remove(lowerNames);
}

/** Adds whole lines at the end of the head's fields. */
export function appendFields(head: HeadFields & { fields: Fields }, added: Fields): void {
  const { lines } = head;
  if (lines === undefined) head.fields = flatText(head.fields + added);
  else lines.append(added);
}
