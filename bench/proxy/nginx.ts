import { join } from "node:path";

/** What every nginx.conf of a run begins with. As root, nginx would give its workers to a user who cannot read the folder. */
export function nginxCommon(folder: string, workers: number): string {
  return `${process.getuid?.() === 0 ? "user root;\n" : ""}daemon off;
worker_processes ${workers};
worker_rlimit_nofile 16384;
pid ${join(folder, "nginx.pid")};
error_log stderr error;
events { worker_connections 8192; }`;
}

/** Keeps nginx from writing outside `folder`. */
export function nginxTempPaths(folder: string): string {
  return ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join("\n  ");
}
