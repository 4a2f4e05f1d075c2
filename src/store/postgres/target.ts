import { bareHost } from "../../lib/http/url-host.ts";
/** `require` encrypts without a check of the server's identity; `verify-full` checks certificate and host name. */
export type SslMode = "disable" | "require" | "verify-full";

export interface Target {
  /** An IPv6 address has no brackets here. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly sslMode: SslMode;
}

export interface ReadTarget {
  /** Undefined: PostgreSQL is not used. */
  readonly target?: Target;
  /** The error in the URL, if there is one. It repeats no part of the URL except an unknown `sslmode`. */
  readonly error?: string;
  /** True for an unknown `sslmode`, which the specification treats as a disabled client, not as an error. */
  readonly unknownMode?: boolean;
  readonly hasPassword: boolean;
}

const SSL_MODES: readonly SslMode[] = ["disable", "require", "verify-full"];
const SCHEMES: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);
const DEFAULT_PORT = 5432;

/** Parses `postgres.url`. A password in the URL is ignored. */
export function readTarget(url: string): ReadTarget {
  const parsed = URL.parse(url);
  if (parsed === null) return { error: "it is not a URL", hasPassword: false };
  const hasPassword = parsed.password !== "";
  if (!SCHEMES.has(parsed.protocol)) return { error: "its scheme is not postgres or postgresql", hasPassword };
  const user = decoded(parsed.username);
  const database = decoded(parsed.pathname.slice(1));
  const mode = parsed.searchParams.get("sslmode") ?? "verify-full";
  if (parsed.hostname === "") return { error: "it names no host", hasPassword };
  if (!user) return { error: "it names no user", hasPassword };
  if (!database) return { error: "it names no database", hasPassword };
  const sslMode = SSL_MODES.find((known) => known === mode);
  if (sslMode === undefined) {
    const error = `sslmode ${JSON.stringify(mode)} is not one of ${SSL_MODES.join(", ")}`;
    return { error, unknownMode: true, hasPassword };
  }
  const host = bareHost(parsed.hostname);
  const port = parsed.port === "" ? DEFAULT_PORT : Number(parsed.port);
  return { target: { host: decoded(host) ?? host, port, user, database, sslMode }, hasPassword };
}

/** Undefined if the escapes are broken, or contain a NUL, which ends strings in the protocol. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes("\0") ? undefined : plain;
  } catch {
    return undefined;
  }
}
