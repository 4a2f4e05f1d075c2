import { KEPT_TEMPLATE_MS, type LearnedTemplate, MAX_TEMPLATES, type TemplateStore } from "../template-store.ts";
import { Columns, asFlag, asNumber, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { TEMPLATES } from "./schema.ts";

/** Milliseconds before the newest row that are read again: an older row may be committed later. */
const OVERLAP_MS = 60_000;

const ADD = statement(
  `INSERT INTO ${TEMPLATES} (key, changes, equal, page, at)
   SELECT key, changes, equal, page, ${NOW}
   FROM json_to_recordset($2::json) AS new (key text, changes boolean, equal integer, page text) ORDER BY key
   ON CONFLICT (key) DO UPDATE
   SET changes = excluded.changes, equal = excluded.equal, page = excluded.page, at = excluded.at`,
);
const TRIM = statement(
  `DELETE FROM ${TEMPLATES} WHERE abs(${NOW} - at) > ${KEPT_TEMPLATE_MS}
   OR key IN (SELECT key FROM ${TEMPLATES} ORDER BY at DESC OFFSET ${MAX_TEMPLATES})`,
);
const TEMPLATE = new Columns<LearnedTemplate>({
  key: asText,
  changes: asFlag,
  equal: asNumber,
  page: asText,
  at: asNumber,
});
/** A clock that was set back writes times before those that were read last. */
const NEWER = statement(
  `SELECT ${TEMPLATE.of("t")} FROM ${TEMPLATES} AS t WHERE at > least($2::bigint, ${NOW} - ${OVERLAP_MS})
   ORDER BY at LIMIT ${MAX_TEMPLATES}`,
);

/** Learned templates in PostgreSQL. Times are those of the database's clock. */
export class PostgresTemplates implements TemplateStore {
  readonly #database: Database;
  #since = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  async exchange(learned: readonly LearnedTemplate[]): Promise<readonly LearnedTemplate[]> {
    const { clock } = this.#database;
    if (learned.length > 0) await this.#database.quick(ADD, [clock, JSON.stringify(learned)]);
    await this.#database.quick(TRIM, [clock]);
    const { rows } = await this.#database.read(NEWER, [clock, this.#since]);
    const found = rows.map(TEMPLATE.read);
    this.#since = Math.max(this.#since, (found.at(-1)?.at ?? 0) - OVERLAP_MS);
    return found;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}
