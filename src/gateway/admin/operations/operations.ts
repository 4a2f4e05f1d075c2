import { CHANNEL_OPERATIONS } from "./channels.ts";
import { CONFIG_OPERATIONS } from "./config.ts";
import { CREDIT_OPERATIONS } from "./credits.ts";
import { JOB_OPERATIONS } from "./jobs.ts";
import { KEY_OPERATIONS } from "./keys.ts";
import { LIVE_OPERATIONS } from "./live.ts";
import { type Operation } from "./operation.ts";
import { PAYMENT_OPERATIONS } from "./payments.ts";
import { REFUND_OPERATIONS } from "./refunds.ts";
import { ROUTE_OPERATIONS } from "./routes.ts";
import { SESSION_OPERATIONS } from "./session.ts";
import { STATUS_OPERATIONS } from "./status.ts";
import { TENANT_OPERATIONS } from "./tenants.ts";
import { UPSTREAM_OPERATIONS } from "./upstreams.ts";
import { USAGE_OPERATIONS } from "./usage.ts";

/** Every operation except the one that describes them. */
export const OPERATIONS: readonly Operation[] = [
  ...ROUTE_OPERATIONS,
  ...KEY_OPERATIONS,
  ...UPSTREAM_OPERATIONS,
  ...STATUS_OPERATIONS,
  ...USAGE_OPERATIONS,
  ...CONFIG_OPERATIONS,
  ...TENANT_OPERATIONS,
  ...JOB_OPERATIONS,
  ...PAYMENT_OPERATIONS,
  ...CREDIT_OPERATIONS,
  ...CHANNEL_OPERATIONS,
  ...LIVE_OPERATIONS,
  ...REFUND_OPERATIONS,
  ...SESSION_OPERATIONS,
];
