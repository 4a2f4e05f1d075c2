/**
 * SQL: whether a time has come. One that is more than `mostMs` milliseconds in the future has come too, because nothing is made
 * to wait that long: the clock was set back since. The parameters are SQL.
 */
export function isDue(column: string, now: string, mostMs: number | string): string {
  return `(${column} <= ${now} OR ${column} > ${now} + ${mostMs})`;
}
