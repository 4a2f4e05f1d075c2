import { type Config } from "../../config/config.ts";
import { type TransportSettings } from "./control-transport.ts";

/** The placeholder for a worker's index, from 0, in the path of the control socket. */
const WORKER_PLACEHOLDER = "{worker}";

type ControlConfig = Pick<Config, "wasm_control_socket" | "wasm_control_connections" | "wasm_host_call_deadline_ms">;

/** The control socket that only this worker uses; undefined without one. `isOnly`: there is no other worker. */
export function ownControl(config: ControlConfig, index: number, isOnly: boolean): TransportSettings | undefined {
  const path = config.wasm_control_socket;
  if (path === "" || (!isOnly && !path.includes(WORKER_PLACEHOLDER))) return undefined;
  return settingsOf(config, path.replaceAll(WORKER_PLACEHOLDER, String(index)));
}

/** The control socket that several workers share; undefined without one. */
export function sharedControl(config: ControlConfig): TransportSettings | undefined {
  const path = config.wasm_control_socket;
  return path === "" || path.includes(WORKER_PLACEHOLDER) ? undefined : settingsOf(config, path);
}

function settingsOf(config: ControlConfig, path: string): TransportSettings {
  return { path, connections: config.wasm_control_connections, commandMs: config.wasm_host_call_deadline_ms };
}
