import { type PatchOperation } from "../api/shapes.ts";

const WORDS: Readonly<Record<PatchOperation["op"], string>> = {
  add: "added",
  remove: "removed",
  replace: "changed",
};

/** Operations that are shown; the rest is only counted. */
const MAX_SHOWN = 100;

/** Lines of one value that are shown. */
const MAX_LINES = 40;

/** A JSON patch, one operation per line. */
export function PatchList({ patch }: { readonly patch: readonly PatchOperation[] }) {
  return (
    <ul class="patch">
      {patch.slice(0, MAX_SHOWN).map((operation, at) => (
        <li key={at} class={`patch-${operation.op}`}>
          <span class="patch-word">{WORDS[operation.op]}</span>
          <div>
            <code>{readablePath(operation.path)}</code>
            {operation.value === undefined ? null : <Value value={operation.value} />}
          </div>
        </li>
      ))}
      {patch.length <= MAX_SHOWN ? null : <li class="soft">and {patch.length - MAX_SHOWN} more</li>}
    </ul>
  );
}

function Value({ value }: { readonly value: unknown }) {
  if (typeof value === "object" && value !== null) {
    const lines = JSON.stringify(value, undefined, 2).split("\n");
    const hidden = lines.length - MAX_LINES;
    return (
      <pre class="patch-value">
        {lines.slice(0, MAX_LINES).join("\n")}
        {hidden > 0 ? `\n… ${hidden} more lines` : ""}
      </pre>
    );
  }
  return (
    <>
      {" = "}
      <code>{JSON.stringify(value)}</code>
    </>
  );
}

/** `/routes/0/cache/ttl_s` becomes `routes[0].cache.ttl_s`. */
function readablePath(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((text, part) => {
      if (/^(?:\d+|-)$/.test(part)) return `${text}[${part}]`;
      return text === "" ? part : `${text}.${part}`;
    }, "");
}
