/** A part of a text. */
export interface Range {
  readonly start: number;
  /** Behind its last character. */
  readonly end: number;
}

/** Whether two parts of a text have characters in common. */
export function overlap(one: Range, other: Range): boolean {
  return one.start < other.end && other.start < one.end;
}

/** Whether a part of a text lies in another. */
export function isWithin(one: Range, whole: Range): boolean {
  return one.start >= whole.start && one.end <= whole.end;
}

/** Whether a part of a text touches another, or at most `between` characters are between them. */
export function isNear(one: Range, other: Range, between: number): boolean {
  return one.end >= other.start - between && one.start <= other.end + between;
}

/** The text right before a place, at most `most` characters. */
export function textBefore(text: string, at: number, most: number): string {
  return text.slice(Math.max(0, at - most), at);
}

/** The items right before a place in a list, at most `most`. None before a place that is below 0. */
export function itemsBefore<T>(items: readonly T[], at: number, most: number): readonly T[] {
  return items.slice(Math.max(0, at - most), Math.max(0, at));
}
