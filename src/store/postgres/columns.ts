import { PostgresError } from "./postgres-error.ts";
import { type Row } from "./connection.ts";

/** Makes a value of the text that the server sends; null: SQL's NULL. */
type Reader<T> = (text: string | null) => T;
/** The reader of a member. If the column is not named as its member, in lower case with underscores, its name comes first. */
type Column<T> = Reader<T> | readonly [name: string, reader: Reader<T>];

/** Reads NULL as an empty text. */
export const asText: Reader<string> = (value) => value ?? "";
/** A number of any type that a JavaScript number can hold. Reads NULL as 0. */
export const asNumber: Reader<number> = Number;
/** Bytes that the statement encodes in Base64. */
export const asBytes: Reader<Buffer> = (value) => Buffer.from(value ?? "", "base64");
export const asFlag: Reader<boolean> = (value) => value === "t";

/** One of the texts that this program writes. The reader throws for another one; `what` names the row in its error. */
export function oneOf<T extends string>(known: readonly T[], what: string): Reader<T> {
  return (value) => {
    const found = known.find((one) => one === value);
    if (found === undefined) throw new PostgresError("protocol", `${what} that is not known`);
    return found;
  };
}

/** The same reader for several members. */
export function each<Name extends string, T>(reader: Reader<T>, ...members: readonly Name[]): Record<Name, Reader<T>> {
  // The names are those of the members.
  return Object.fromEntries(members.map((member) => [member, reader])) as Record<Name, Reader<T>>;
}

/** The columns from which rows of the server become objects, in their order. */
export class Columns<T extends object> {
  readonly #columns: readonly { readonly member: string; readonly name: string; readonly reader: Reader<unknown> }[];

  constructor(members: { readonly [Name in keyof T]-?: Column<T[Name]> }) {
    this.#columns = Object.entries<Column<unknown>>(members).map(([member, column]) => {
      const [name, reader] = typeof column === "function" ? [columnOf(member), column] : column;
      return { member, name, reader };
    });
  }

  /** The list for SELECT and RETURNING. */
  of(table: string): string {
    return this.#columns.map(({ name }) => `${table}.${name}`).join(", ");
  }

  /** Converts a row that begins with these columns. */
  readonly read = (row: Row): T => {
    const entries = this.#columns.map(({ member, reader }, at) => [member, reader(row[at] ?? null)]);
    // The readers are those of its members.
    return Object.fromEntries(entries) as T;
  };
}

function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
