/** Serves a tenant on a Unix socket: TENANT PATH. */
import { serveTenant } from "./serve-tenant.ts";

const [tenant = "", path = ""] = process.argv.slice(2);
await serveTenant(tenant, path);
console.log("serves");
