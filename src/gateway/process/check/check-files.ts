import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf, whyUnreadable } from "../../../lib/caught.ts";
import { type Diagnostic, type Findings } from "../../config/diagnostic.ts";
import { checkFilters } from "../../filters/check-filters.ts";
import { resolveRoot } from "../../static/open-inside.ts";
import { expiryWarnings, upstreamExpiryWarnings } from "./certificate-expiry.ts";
import { readAuthorities, readPair } from "../../wire/read-certificates.ts";
import { readTlsMaterial } from "../listeners/certificates.ts";
import { type FileCheck } from "./named-files.ts";
import { checkQuicMaterial } from "../listeners/quic-listeners.ts";
import { readTrust } from "../../upstream/upstreams.ts";

/** Reads files as a gateway that serves with them does. `now` is in Unix milliseconds. */
export async function checkFiles(checks: readonly FileCheck[], now: number): Promise<Findings> {
  const problems: Diagnostic[] = [];
  const warnings: Diagnostic[] = [];
  for (const check of checks) {
    if (check.kind === "filters") {
      for (const { kind, path, message } of await checkFilters(check.config))
        (kind === "unloaded" ? problems : warnings).push({ path, message });
      continue;
    }
    for (const [path, read] of readersOf(check)) {
      try {
        read();
      } catch (error) {
        problems.push({ path, message: messageOf(error) });
      }
    }
    if (check.kind === "certificates") warnings.push(...expiryWarnings(check.config, now));
    if (check.kind === "upstream") warnings.push(...upstreamExpiryWarnings(check.upstream, check.path, now));
  }
  return { problems, warnings };
}

type Reader = readonly [path: string, read: () => unknown];

function readersOf(check: Exclude<FileCheck, { kind: "filters" }>): Reader[] {
  switch (check.kind) {
    case "certificates":
      return certificateReaders(check);
    case "upstream":
      return [[check.path, () => readTrust(check.upstream)]];
    case "authorities":
      return [[check.path, () => readAuthorities(check.file, "CAs of tls.acme")]];
    case "static":
      return [[check.path, () => resolveRoot(check.folder)]];
    case "state":
      return [[check.path, () => requireFolder(check.folder)]];
    case "list":
      return [[check.path, () => requireList(check.file)]];
    case "log":
      break;
  }
  return [[check.path, () => requireLog(check.file, check.what)]];
}

function certificateReaders({ config }: Extract<FileCheck, { kind: "certificates" }>): Reader[] {
  const { admin } = config;
  const readers: Reader[] = [
    ["", () => readTlsMaterial(config)],
    ["", () => checkQuicMaterial(config)],
  ];
  if (admin.enabled && admin.tls.cert_path !== "") readers.push(["admin.tls", () => readPair(admin.tls)]);
  return readers;
}

/** Throws if it is something else than a folder. It may be absent: a configuration is also checked on other machines. */
function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Error(`Cannot use the folder "${folder}": it is not a folder`);
}

/** Throws if a list of payers cannot be read. */
function requireList(file: string): void {
  try {
    accessSync(file, constants.R_OK);
    if (!statSync(file).isFile()) throw new Error("it is not a file");
  } catch (error) {
    throw new Error(`Cannot read the list "${file}": ${whyUnreadable(error)}`, { cause: error });
  }
}

/** Throws if a log cannot be appended to. Creates no file. */
function requireLog(file: string, what: string): void {
  try {
    if (isAbsent(file)) accessSync(dirname(file), constants.W_OK | constants.X_OK);
    else accessSync(file, constants.W_OK);
  } catch (error) {
    throw new Error(`Cannot write the ${what} "${file}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
}

/** Throws if it is a folder. */
function isAbsent(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) throw new Error("it is a folder");
  return stats === undefined;
}
