/** The database was not reached, or reported an error. The message contains no password and no value of a statement. */
export class PostgresError extends Error {
  override readonly name = "PostgresError";
  /** SQLSTATE, or a code of this client: `connection`, `timeout`, `overloaded`, `refused`, `unconfirmed`, `protocol`. */
  readonly code: string;
  /** Host and port of the database, if the error is from a store. */
  place = "";
  readonly #text: string;

  constructor(code: string, message: string) {
    super(`Cannot use the database: ${message}`);
    this.code = code;
    this.#text = message;
  }

  /** The text for the log, with the database's address. */
  get publicText(): string {
    return `${this.place === "" ? "" : `at ${this.place}: `}${this.#text}`;
  }
}

/** Characters of a PostgreSQL error that are shown. */
const MAX_SHOWN = 200;

/** The error of an ErrorResponse (chapter 55.8), without its detail field, which repeats values. */
export function serverError(fields: ReadonlyMap<string, string>): PostgresError {
  const code = fields.get("C") ?? "XX000";
  // oxlint-disable-next-line no-control-regex -- a server's text must not reach a terminal with these
  const text = (fields.get("M") ?? "").slice(0, MAX_SHOWN).replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  return new PostgresError(code, `${text} (SQLSTATE ${code})`);
}
