import { realpathSync, statSync } from "node:fs";
import { codeOf } from "../../lib/caught.ts";

/** Bytes of the longest socket path: the limit of the kernel's socket address. */
const MAX_PATH_BYTES = 107;

/** The resolved path of a tenant's socket, or the reason why requests must not go there. */
export type TenantSocket =
  | { readonly path: string; readonly error?: undefined }
  | { readonly path?: undefined; readonly error: string };

/** Checks a socket that a filter named: after `..` and links are resolved it must be a socket below `socketDir`. */
export function tenantSocket(socketDir: string, named: string): TenantSocket {
  if (!named.startsWith("/")) return { error: "its path is not absolute" };
  if (named.includes("\0")) return { error: "its path has a zero byte in it" };
  try {
    const path = realpathSync(named);
    if (!path.startsWith(`${realpathSync(socketDir).replace(/\/$/, "")}/`)) {
      return { error: "it lies outside the route's socket_dir" };
    }
    if (!statSync(path).isSocket()) return { error: "it is not a socket" };
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) return { error: "its path is too long" };
    return { path };
  } catch (error) {
    return { error: codeOf(error) === "ENOENT" ? "there is no such socket" : `it cannot be reached: ${codeOf(error)}` };
  }
}
