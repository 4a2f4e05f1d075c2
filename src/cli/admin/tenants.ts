import * as z from "zod";
import { type Tenant, tenant } from "../../gateway/admin/shapes/common.ts";
import { type Column } from "../common/table.ts";
import { queryOf } from "./admin-client.ts";
import { type AdminCommand, callForm, doneSchema, showForm, tableText } from "./admin-command.ts";
import { timeText } from "../common/units.ts";

const listed = z.object({ tenants: z.array(tenant) });

const COLUMNS: readonly Column<Tenant>[] = [
  { title: "KEY", cell: ({ key }) => key },
  { title: "SOCKET", cell: ({ path }) => path },
  { title: "LAST USED", cell: ({ last_used_ms: at }) => timeText(at) },
  { title: "WORKERS", cell: ({ workers }) => String(workers) },
];

const list = showForm("/tenants", listed, ({ tenants }) => tableText(COLUMNS, tenants, "no tenants"));

/** `turnpike tenants`: shows the warm tenants of a running gateway, and removes one. */
export const TENANTS: AdminCommand = {
  about: "Lists the warm tenants of a running gateway, and removes one.",
  forms: {
    list: { about: "list all of them", ...list },
    remove: callForm({
      about: "forget the tenant of KEY; its next request starts it again",
      words: ["KEY"],
      request: ([key = ""]) => ({ method: "DELETE", path: `/tenants${queryOf({ key })}` }),
      schema: doneSchema,
      text: (_done, [key = ""]) => `removed ${key}`,
    }),
  },
};
