import { type ContentFigures, type ContentSummary, type Json, type JsonObject } from "../api/shapes.ts";
import { capital } from "../form/field-frame.tsx";
import { isJsonObject } from "../form/merge-patch.ts";
import { count, NONE } from "../format/numbers.ts";
import { useResource } from "../live/resource.ts";
import { Badge, Head, Panel, Tile, Tiles, type Tone } from "../parts/bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Busy } from "./content-figures.tsx";

const READ_MS = 3_000;

/** The content service: its health and its load. */
export function Content() {
  const content = useResource<ContentSummary>("/v1/content", { everyMs: READ_MS });
  return (
    <>
      <Head title="Content service" lead="Loads and reads pages for the operations that are sold." />
      <Loaded resource={content}>
        {(state) =>
          state.available ? (
            // The response of /health is JSON.
            <Health health={state.health as JsonObject} />
          ) : (
            <Empty title="No content service responds">
              <p>{sentence(state.reason)}</p>
              <p>
                <code>turnpike start</code> runs one beside the gateway. This page looks again each few seconds.
              </p>
            </Empty>
          )
        }
      </Loaded>
    </>
  );
}

function sentence(text: string): string {
  return `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`;
}

function reasonOf(health: JsonObject): string {
  const detail = health["detail"] ?? health["title"] ?? "It says that it is not healthy.";
  return typeof detail === "string" ? detail : JSON.stringify(detail);
}

const PROVIDER_TONES: Readonly<Record<string, Tone>> = { closed: "good", "half-open": "warn", open: "bad" };
const PROVIDER_STATES: Readonly<Record<string, string>> = {
  closed: "asked",
  "half-open": "tried again",
  open: "not asked: it fails",
};

function Health({ health }: { readonly health: JsonObject }) {
  const browser = isJsonObject(health["browser"]) ? health["browser"] : {};
  const fonts = isJsonObject(health["fonts"]) ? health["fonts"]["missing"] : undefined;
  const isOk = health["status"] === "ok";
  // In the service's response, this member has this shape.
  const figures = health["figures"] as unknown as ContentFigures | undefined;
  return (
    <>
      <Tiles>
        <Tile
          label="Service"
          value={<Badge tone={isOk ? "good" : "bad"}>{isOk ? "healthy" : "not healthy"}</Badge>}
          detail={isOk ? `version ${valueText(health["version"])}` : reasonOf(health)}
        />
        <Tile
          label="Browser"
          value={
            <Badge tone={browser["sandboxed"] === true ? "good" : "warn"}>
              {browser["sandboxed"] === true ? "sandboxed" : "no sandbox"}
            </Badge>
          }
          detail={`${valueText(browser["name"])} ${valueText(browser["version"])}`}
        />
        {figures === undefined ? null : (
          <Tile
            label="Browsers"
            value={count(figures.browsers.running)}
            detail={`${count(figures.browsers.started)} started, ${count(figures.browsers.lost)} lost`}
          />
        )}
      </Tiles>
      {figures === undefined ? null : <Busy figures={figures} />}
      <Providers search={health["search"]} />
      <Panel title="Fonts">
        {Array.isArray(fonts) && fonts.length > 0 ? (
          <p>Pages are shown without fonts for: {fonts.map(valueText).join(", ")}.</p>
        ) : (
          <p class="soft">{Array.isArray(fonts) ? "Pages have fonts for all kinds of text." : "Not known yet."}</p>
        )}
      </Panel>
    </>
  );
}

function Providers({ search }: { readonly search: Json | undefined }) {
  const providers: readonly Json[] = Array.isArray(search) ? search : [];
  return (
    <Panel title="Search providers">
      {providers.length === 0 ? (
        <Empty title="No search providers">
          They are named in <code>content.search.providers</code>.
        </Empty>
      ) : (
        <ul class="lines">
          {providers.map((provider) => {
            const { name, state, last_failure: failure } = isJsonObject(provider) ? provider : {};
            const word = valueText(state);
            const fails = failure !== undefined && word === "closed";
            return (
              <li key={valueText(name)}>
                <span class="lines-main">{valueText(name)}</span>
                <Badge tone={fails ? "warn" : (PROVIDER_TONES[word] ?? "none")}>
                  {fails ? `its last request failed: ${valueText(failure)}` : (PROVIDER_STATES[word] ?? word)}
                </Badge>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

function valueText(value: Json | undefined): string {
  return value === undefined || value === null ? NONE : typeof value === "string" ? value : JSON.stringify(value);
}
