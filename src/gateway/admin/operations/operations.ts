import { checkConfig, persistConfig, reloadConfig, replaceConfig, showConfig, showSchema } from "./config.ts";
import { showContent, showEvents, showLog, showOverview, showPayments } from "./live.ts";
import { type Operation } from "./operation.ts";
import { addRoute, deleteRoute, deleteRouteByQuery, listRoutes, patchRoute } from "./routes.ts";
import { beginSession, endSession, showSession } from "./session.ts";
import { showMetrics, showStatus } from "./status.ts";
import { dropTenant, listTenants } from "./tenants.ts";
import { addUpstream, deleteUpstream, drainServer, listUpstreams, patchUpstream, undrainServer } from "./upstreams.ts";
import { resetUsage, showUsage } from "./usage.ts";

/** Every operation except the one that describes them. */
export const OPERATIONS: readonly Operation[] = [
  listRoutes,
  addRoute,
  patchRoute,
  deleteRoute,
  deleteRouteByQuery,
  listUpstreams,
  addUpstream,
  patchUpstream,
  deleteUpstream,
  drainServer,
  undrainServer,
  showStatus,
  showMetrics,
  showUsage,
  resetUsage,
  showConfig,
  replaceConfig,
  checkConfig,
  showSchema,
  persistConfig,
  reloadConfig,
  listTenants,
  dropTenant,
  showEvents,
  showOverview,
  showPayments,
  showContent,
  showLog,
  beginSession,
  showSession,
  endSession,
];
