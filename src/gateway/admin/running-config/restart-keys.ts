import { type Config } from "../../config/config.ts";
import { isSame } from "./json-difference.ts";

/** Sections and keys that keep their values until a restart. */
const AT_START = [["server", "workers"], ["state_path"]] as const;

/** The changed keys that take effect only after a restart, such as `content.search`. */
export function restartKeys(running: Config, next: Config): string[] {
  const changed = AT_START.filter((path) => !isSame(valueOf(running, path), valueOf(next, path)));
  const content = Object.entries(next.content).flatMap(([key, value]) =>
    isSame(Reflect.get(running.content, key), value) ? [] : [`content.${key}`],
  );
  return [...changed.map((path) => path.join(".")), ...content];
}

function valueOf(config: Config, path: readonly string[]): unknown {
  return path.reduce((value: unknown, key) => Reflect.get(Object(value), key), config);
}
