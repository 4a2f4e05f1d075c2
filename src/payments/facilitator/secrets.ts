/** The environment variables. They hold the secrets, which are never in the configuration. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A header field, and the environment variable that has its value. */
export interface SecretHeader {
  readonly name: string;
  readonly value_env: string;
}

/** A field value of RFC 9110 §5.5, without characters that could end the line. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** A variable's value. Throws if it is not set or empty; the error names `path`, and never the value. */
export function readSecret(environment: Environment, name: string, path: string): string {
  const value = environment[name];
  if (value === undefined || value === "") {
    throw new Error(`Cannot use ${path}: the environment variable ${name} is not set`);
  }
  return value;
}

/** The headers with values. `key` is their configuration key. Throws if a variable is not set, or no valid field value. */
export function readSecretHeaders(
  environment: Environment,
  headers: readonly SecretHeader[],
  key: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headers.map(({ name, value_env: variable }, i) => {
      const path = `${key}[${i}].value_env`;
      const value = readSecret(environment, variable, path);
      if (!HEADER_VALUE.test(value)) {
        throw new Error(
          `Cannot use ${path}: the value of the environment variable ${variable} is not a valid field value`,
        );
      }
      return [name.toLowerCase(), value] as const;
    }),
  );
}
