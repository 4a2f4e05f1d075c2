type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that describe the system to a process. None of them holds a secret. */
const SYSTEM_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "TERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "LD_LIBRARY_PATH",
  "FONTCONFIG_FILE",
  "FONTCONFIG_PATH",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "TURNPIKE_HOME",
  "JOURNAL_STREAM",
];
const SYSTEM_PREFIXES = ["LC_", "XDG_", "MIMALLOC_", "BUN_JSC_"];

/** The variables of these names that are set. */
export function pickVariables(names: readonly string[], env: Environment = process.env): Record<string, string> {
  const picked = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return Object.fromEntries(picked);
}

/**
 * The environment of a child process: the variables of the system, and the named variables that it needs. No others are
 * passed on, because the environment of a server contains keys and passwords.
 */
export function childEnvironment(
  needed: readonly string[] = [],
  env: Environment = process.env,
): Record<string, string> {
  const system = Object.keys(env).filter(
    (name) => SYSTEM_VARIABLES.includes(name) || SYSTEM_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  return pickVariables([...system, ...needed], env);
}
