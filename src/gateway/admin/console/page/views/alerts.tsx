import { type Status } from "../api/shapes.ts";
import { useResource } from "../live/resource.ts";

const READ_MS = 10_000;

/** The problems of the gateway, and that it moves no money in test mode. Empty if there is nothing to tell. */
export function Alerts() {
  const { data } = useResource<Status>("/v1/status", { everyMs: READ_MS, on: ["payment", "server_health", "control"] });
  if (data === undefined) return null;
  const isTest = data.facilitators.members.some(({ name }) => name === "test");
  return (
    <>
      {data.problems.length === 0 ? null : (
        <div class="notice bad" role="alert">
          {data.problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
      {isTest ? <p class="notice warn">Test mode: payments are checked, and no money moves.</p> : null}
    </>
  );
}
