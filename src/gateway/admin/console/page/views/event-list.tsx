import { type ComponentChildren } from "preact";
import { type GatewayEvent } from "../api/shapes.ts";
import { Badge } from "../parts/bits.tsx";
import { actorOf, kindName, toneOf } from "./event-text.ts";

interface EventListProps {
  readonly events: readonly GatewayEvent[];
  readonly when: (event: GatewayEvent) => ComponentChildren;
}

/** Events, one per line. */
export function EventList({ events, when }: EventListProps) {
  return (
    <ul class="events">
      {events.map((event) => (
        <li key={event.id}>
          <span class="event-when soft num">{when(event)}</span>
          <span class="event-kind">
            <Badge tone={toneOf(event)}>{kindName(event.kind)}</Badge>
          </span>
          <span class="event-text">
            {event.message}
            {actorOf(event) === "" ? null : <span class="soft small"> {actorOf(event)}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}
