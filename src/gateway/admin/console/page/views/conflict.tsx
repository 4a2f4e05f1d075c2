import { call } from "../api/client.ts";
import { type GatewayEvent } from "../api/shapes.ts";
import { useEffect, useState } from "preact/hooks";
import { type Base } from "../form/drafts.ts";
import { type Editor } from "../form/editor-state.ts";
import { isSame } from "../../../../../lib/is-same.ts";
import { mergePatch } from "../form/merge-patch.ts";
import { Time } from "../parts/bits.tsx";
import { actorOf } from "./event-text.ts";
import { Button } from "../parts/button.tsx";

const CHANGES = ["change", "reload"];

interface ConflictProps {
  readonly editor: Editor;
  readonly conflict: Base;
  readonly noun: string;
}

/** Shows who changed what while a form was open, and offers two ways to continue. */
export function Conflict({ editor, conflict, noun }: ConflictProps) {
  const [events, setEvents] = useState<readonly GatewayEvent[]>([]);
  const since = editor.base.readAtMs;
  useEffect(() => {
    call<{ events: readonly GatewayEvent[] }>("/v1/events?format=json").then(
      ({ body }) => setEvents(body.events.filter(({ kind, time_ms }) => CHANGES.includes(kind) && time_ms >= since)),
      () => undefined,
    );
  }, [conflict]);
  const before = editor.base.item ?? {};
  const isGone = conflict.item === undefined;
  const theirs = isGone || isSame(before, conflict.item) ? [] : Object.keys(mergePatch(before, conflict.item ?? {}));
  const mine = Object.keys(mergePatch(before, editor.value));
  return (
    <div class="notice warn" role="alert">
      <p>
        <strong>The configuration was changed while you edited. Nothing of yours is saved yet.</strong>
      </p>
      {events.length === 0 ? null : (
        <ul class="diagnostics">
          {events.map((event) => (
            <li key={event.id}>
              <Time ms={event.time_ms} /> {actorOf(event)}: {event.message}
            </li>
          ))}
        </ul>
      )}
      <p>
        {isGone
          ? `This ${noun} was removed. To keep what you typed, add it again.`
          : theirs.length === 0
            ? `This ${noun} itself is as you opened it.`
            : `They changed these keys of this ${noun}: ${theirs.join(", ")}.`}
      </p>
      {theirs.some((key) => mine.includes(key)) ? (
        <p>
          You changed {theirs.filter((key) => mine.includes(key)).join(", ")} too: yours would take the place of theirs.
        </p>
      ) : null}
      <div class="actions">
        <Button label="Load the new state, keep what I typed" kind="primary" onClick={editor.keepTyped} />
        <Button label="Discard what I typed" onClick={editor.discardTyped} />
      </div>
    </div>
  );
}
