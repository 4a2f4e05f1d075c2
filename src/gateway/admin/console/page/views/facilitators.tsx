import { type Status } from "../api/shapes.ts";
import { counted } from "../format/numbers.ts";
import { useResource } from "../live/resource.ts";
import { Badge, Panel } from "../parts/bits.tsx";

const READ_MS = 10_000;

/** The facilitators in their order of preference, and the gas of the keys that pay fees. */
export function Facilitators() {
  const { data } = useResource<Status>("/v1/status", { everyMs: READ_MS, on: ["payment"] });
  if (data === undefined || data.facilitators.members.length === 0) return null;
  const { members, breakers_open: away, gas } = data.facilitators;
  return (
    <Panel
      title={members.length === 1 ? "Facilitator" : "Facilitators in order"}
      aside={
        <Badge tone={away === 0 ? "good" : "bad"}>
          {away === 0 ? "no open breaker" : counted(away, "open breaker")}
        </Badge>
      }
    >
      <ol class="lines">
        {members.map(({ name, breakers_open: open }, at) => (
          <li key={name}>
            <span class="lines-main">
              <code class="whole">{name}</code>
              {members.length === 1 ? null : (
                <span class="soft small">{at === 0 ? "asked first" : `choice ${at + 1}`}</span>
              )}
            </span>
            <Badge tone={open === 0 ? "good" : "bad"}>{open === 0 ? "breaker closed" : "does not respond"}</Badge>
          </li>
        ))}
        {gas.map(({ network, balance, low_keys: low }) => (
          <li key={network}>
            <span class="lines-main">
              <span>
                Gas on <code class="whole">{network}</code>
              </span>
              <span class="soft small num">{balance} native coins in the key with the fewest</span>
            </span>
            <Badge tone={low === 0 ? "good" : "warn"}>{low === 0 ? "enough" : `${counted(low, "key")} low`}</Badge>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
