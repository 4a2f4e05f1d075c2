/** `require` encrypts and does not ask with whom; `verify-full` checks certificate and host name. */
export type SslMode = "disable" | "require" | "verify-full";

/** Where a database is, as `postgres.url` says it. */
export interface Target {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly sslMode: SslMode;
}

export interface ReadTarget {
  /** Undefined: the client is off. */
  readonly target?: Target;
  /** What is wrong with the URL, where something is; it repeats nothing of it but an unknown `sslmode`. */
  readonly objection?: string;
  /** `sslmode` is the objection: no mistake of form, as the specification has it, but a client that is off. */
  readonly unknownMode?: boolean;
  readonly hasPassword: boolean;
}

const SSL_MODES: readonly SslMode[] = ["disable", "require", "verify-full"];
const SCHEMES: ReadonlySet<string> = new Set(["postgres:", "postgresql:"]);
const DEFAULT_PORT = 5432;

/** Reads `postgres.url`. A password in it is not taken over. */
export function readTarget(url: string): ReadTarget {
  const parsed = URL.parse(url);
  if (parsed === null) return { objection: "it is not a URL", hasPassword: false };
  const hasPassword = parsed.password !== "";
  if (!SCHEMES.has(parsed.protocol)) return { objection: "its scheme is not postgres or postgresql", hasPassword };
  const user = decoded(parsed.username);
  const database = decoded(parsed.pathname.slice(1));
  const mode = parsed.searchParams.get("sslmode") ?? "verify-full";
  if (parsed.hostname === "") return { objection: "it names no host", hasPassword };
  if (!user) return { objection: "it names no user", hasPassword };
  if (!database) return { objection: "it names no database", hasPassword };
  const sslMode = SSL_MODES.find((known) => known === mode);
  if (sslMode === undefined) {
    return { objection: `sslmode ${JSON.stringify(mode)} is unknown`, unknownMode: true, hasPassword };
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = parsed.port === "" ? DEFAULT_PORT : Number(parsed.port);
  return { target: { host: decoded(host) ?? host, port, user, database, sslMode }, hasPassword };
}

/** Undefined where the escapes are broken, or hide a NUL, at which the protocol's strings end. */
function decoded(text: string): string | undefined {
  try {
    const plain = decodeURIComponent(text);
    return plain.includes("\0") ? undefined : plain;
  } catch {
    return undefined;
  }
}
