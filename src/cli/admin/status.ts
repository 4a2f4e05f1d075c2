import { type Status, status } from "../../gateway/admin/shapes/status.ts";
import { counted } from "../common/counted.ts";
import { detailList } from "../common/table.ts";
import { type AdminCommand, showForm } from "./admin-command.ts";
import { actorText } from "./actor.ts";
import { patchLines } from "./change-text.ts";
import { ageText } from "../../lib/time/age-text.ts";
import { timeText } from "../common/units.ts";

/** Changes in memory that are shown; the others are only counted. */
const MAX_SHOWN = 5;

/** `turnpike status`: shows the state of a running gateway. */
export const STATUS: AdminCommand = {
  about:
    "Shows whether a gateway runs, its problems, since when it runs, its size, and whether its configuration is the same as its file.",
  json: "print the whole response of GET /v1/status",
  forms: { "": showForm("/status", status, statusText) },
};

function statusText(response: Status, now: number): string {
  const { config, wasm } = response;
  const pairs: [string, string][] = [
    ["status", response.problems.length === 0 ? response.status : "degraded"],
    ...response.problems.map((problem): [string, string] => ["problem", problem]),
    ["version", response.version],
    ["started", `${timeText(response.started_at_ms)}, ${ageText(now - response.started_at_ms)} ago`],
    ["port", String(response.port)],
    ["workers", String(response.workers)],
    ["routes", String(response.routes)],
    ["upstreams", String(response.upstreams)],
    ["config", config.path ?? "defaults, without a file"],
    ["revision", config.revision],
    ["in memory", memoryText(config)],
    [
      "file",
      config.changed_on_disk
        ? "changed on the disk since the gateway read it: turnpike reload loads it"
        : "as it was read",
    ],
    ["reload", reloadText(response.last_reload)],
  ];
  for (const one of response.certificates) pairs.push(["cert", certificateText(one, now)]);
  const { members, breakers_open: away, gas } = response.facilitators;
  const texts = members.map(({ name, breakers_open: open }) => (open > 0 ? `${name} (does not respond)` : name));
  if (members.length > 0)
    pairs.push(["payments", `${texts.join(", ")}${away > 0 ? `; ${counted(away, "open breaker")}` : ""}`]);
  for (const { network, balance, low_keys: low } of gas)
    pairs.push(["gas", `${network}: ${balance}${low > 0 ? `; ${counted(low, "key")} with little gas` : ""}`]);
  if (wasm.control_configured || wasm.pool_instances > 0) {
    const control = wasm.control_configured ? `, control socket ${wasm.control_ready ? "ready" : "not connected"}` : "";
    pairs.push([
      "filters",
      `${wasm.pool_instances} instances, ${wasm.park_active} of ${wasm.park_capacity} parked${control}`,
    ]);
  }
  if (wasm.tenants_active > 0) pairs.push(["tenants", `${wasm.tenants_active} warm`]);
  const lines = patchLines(config.difference);
  const more = lines.length > MAX_SHOWN ? [`and ${lines.length - MAX_SHOWN} more: turnpike config diff`] : [];
  return detailList(pairs) + [...lines.slice(0, MAX_SHOWN), ...more].map((line) => `  ${line}\n`).join("");
}

function memoryText({ changed_in_memory: isChanged, difference, path }: Status["config"]): string {
  if (!isChanged) return "same as the file";
  const changes = counted(difference.length, "change");
  return path === null ? changes : `${changes} not in the file: turnpike persist writes them`;
}

function certificateText(
  { path, valid_from_ms: from, valid_to_ms: to }: Status["certificates"][number],
  now: number,
): string {
  if (now < from) return `${path}: not valid before ${timeText(from)}`;
  return to < now ? `${path}: EXPIRED ${ageText(now - to)} ago` : `${path}: expires in ${ageText(to - now)}`;
}

function reloadText(reload: Status["last_reload"]): string {
  if (reload === null) return "none yet";
  const detail = reload.detail === "" ? "" : `: ${reload.detail}`;
  return `${timeText(reload.time_ms)} by ${actorText(reload.by)}, ${reload.ok ? "done" : "refused"}${detail}`;
}
