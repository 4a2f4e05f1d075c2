import { realpathSync, statSync } from "node:fs";
import { codeOf } from "../../lib/caught.ts";

/** The kernel's socket address holds no more, in bytes. */
const MAX_PATH_BYTES = 107;

/** A tenant's socket with all links resolved, or why requests must not go there. */
export type TenantSocket =
  | { readonly path: string; readonly fault?: undefined }
  | { readonly path?: undefined; readonly fault: string };

/** Checks a socket that a filter named: after `..` and links it must lie below `socketDir`, and be a socket. */
export function tenantSocket(socketDir: string, named: string): TenantSocket {
  if (!named.startsWith("/")) return { fault: "its path is not absolute" };
  if (named.includes("\0")) return { fault: "its path has a zero byte in it" };
  try {
    const path = realpathSync(named);
    if (!path.startsWith(`${realpathSync(socketDir).replace(/\/$/, "")}/`)) {
      return { fault: "it lies outside the route's socket_dir" };
    }
    if (!statSync(path).isSocket()) return { fault: "it is not a socket" };
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) return { fault: "its path is too long" };
    return { path };
  } catch (error) {
    return { fault: codeOf(error) === "ENOENT" ? "there is no such socket" : `it cannot be reached: ${codeOf(error)}` };
  }
}
