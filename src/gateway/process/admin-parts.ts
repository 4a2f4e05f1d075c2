import { type TenantDirectory } from "../admin/parts.ts";

/** No route leads to tenants in this build. */
export const NO_TENANTS: TenantDirectory = {
  list: () => Promise.resolve([]),
  drop: () => Promise.resolve(false),
};
