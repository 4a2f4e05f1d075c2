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
