import { type Config } from "../../config/config.ts";
import { isSame } from "../../../lib/is-same.ts";

/** The sections of the configuration at the start that a running gateway cannot change, or not at once. */
export type AtStart = Pick<Config, "server" | "state_path" | "content" | "postgres">;

/** These sections of a configuration, without its routes. */
export function atStartOf({ server, state_path, content, postgres }: Config): AtStart {
  return { server, state_path, content, postgres };
}

/** Sections and keys that keep their values until a restart. */
const AT_START = [["server", "workers"], ["state_path"]] as const;

/** The changed keys that take effect only after a restart, such as `content.search`. */
export function restartKeys(running: AtStart, next: AtStart): string[] {
  const changed = AT_START.filter((path) => !isSame(valueOf(running, path), valueOf(next, path)));
  const content = Object.entries(next.content).flatMap(([key, value]) =>
    isSame(Reflect.get(running.content, key), value) ? [] : [`content.${key}`],
  );
  return [...changed.map((path) => path.join(".")), ...content];
}

function valueOf(config: AtStart, path: readonly string[]): unknown {
  return path.reduce((value: unknown, key) => Reflect.get(Object(value), key), config);
}
