import { type ComponentChildren, toChildArray } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { count, milliseconds, NONE } from "../format/numbers.ts";
import { ago, clock, fullTime, isoTime } from "../format/times.ts";
import { type Latency } from "../../../figures/latency.ts";

export type Tone = "good" | "warn" | "bad" | "accent" | "none";

/** A state in one word, with a mark that is clear without colour. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span class="badge-mark" aria-hidden="true" />
      {children}
    </span>
  );
}

/** The header of a view: its name, a description, and its buttons. */
export function Head({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${title} · Turnpike console`;
  }, [title]);
  return (
    <header class="head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead === undefined ? null : <p class="soft">{lead}</p>}
      </div>
      {children === undefined ? null : <div class="actions">{children}</div>}
    </header>
  );
}

/** A named part of a view. */
export function Panel({
  title,
  aside,
  children,
  isFlush = false,
}: {
  readonly title: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
  /** The content reaches the edges, for example a table. */
  readonly isFlush?: boolean;
}) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={`${id}title`}>
      <div class="panel-head">
        <h2 id={`${id}title`}>{title}</h2>
        {aside === undefined ? null : <div class="panel-aside">{aside}</div>}
      </div>
      <div class={isFlush ? "panel-body flush" : "panel-body"}>{children}</div>
    </section>
  );
}

/** A figure with its name, in a list of figures. */
export function Tile({
  label,
  value,
  unit,
  detail,
  tone,
}: {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly unit?: string | undefined;
  readonly detail?: ComponentChildren;
  readonly tone?: Tone | undefined;
}) {
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd>
        <span class={`tile-value num ${tone ?? "none"}`}>
          {value}
          {unit === undefined ? null : <span class="tile-unit">{unit}</span>}
        </span>
        {detail === undefined ? null : <span class="tile-detail num">{detail}</span>}
      </dd>
    </div>
  );
}

export function Tiles({ children }: { readonly children: ComponentChildren }) {
  const { length } = toChildArray(children);
  return (
    <dl class="tiles" style={{ "--count": length, "--half": Math.ceil(length / 2) }}>
      {children}
    </dl>
  );
}

/** A time in the user's time zone. The date and the zone are in its tooltip. */
export function Time({ ms }: { readonly ms: number | undefined }) {
  if (ms === undefined || ms <= 0) return <>{NONE}</>;
  return (
    <time class="num" dateTime={isoTime(ms)} title={fullTime(ms)}>
      {clock(ms)}
    </time>
  );
}

const AGO_DRAWN_MS = 1_000;

/** The time that has passed since a moment. */
export function Ago({ ms }: { readonly ms: number | undefined }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), AGO_DRAWN_MS);
    return () => clearInterval(timer);
  }, []);
  if (ms === undefined || ms <= 0) return <>{NONE}</>;
  return (
    <time class="num" dateTime={isoTime(ms)} title={fullTime(ms)}>
      {ago(ms, now)}
    </time>
  );
}

/** The same as a cell of a table. */
export function agoCell(ms: number) {
  return <Ago ms={ms} />;
}

/** A number of errors. It stands out unless it is 0. */
export function errorCount(errors: number) {
  return <span class={errors > 0 ? "text-bad" : undefined}>{count(errors)}</span>;
}

/** A name and its value, in a list of facts. */
export function Fact({ name, children }: { readonly name: ComponentChildren; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

export function latencyText(latency: Latency | undefined): string {
  if (latency === undefined) return NONE;
  return latency.isAbove ? `> ${milliseconds(latency.ms)}` : milliseconds(latency.ms);
}
