import { type ComponentChildren } from "preact";
import { type Problem } from "../api/problem.ts";
import { type Diagnostic } from "../api/shapes.ts";
import { type Resource } from "../live/resource.ts";
import { Button } from "./button.tsx";

/** Errors or warnings about the configuration, each with its place. */
export function Diagnostics({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }) {
  return (
    <ul class="diagnostics">
      {diagnostics.map(({ path, message }) => (
        <li key={path + message}>
          {path === "" ? null : <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

/** The reason why something cannot be shown or done. */
export function ProblemNotice({ problem, onRetry }: { readonly problem: Problem; readonly onRetry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
      <p>{sentenceOf(problem)}</p>
      {problem.diagnostics.length === 0 ? null : <Diagnostics diagnostics={problem.diagnostics} />}
      {problem.body.instance === undefined ? null : (
        <p class="small soft">
          Request <code>{problem.body.instance}</code>
        </p>
      )}
      {onRetry === undefined ? null : <Button label="Try again" kind="small" onClick={onRetry} />}
    </div>
  );
}

function sentenceOf(problem: Problem): string {
  if (problem.status === 0) return "The gateway does not respond. It may be starting again.";
  return problem.message;
}

/** The text of an empty list: why it is empty, and what to do next. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <div class="soft">{children}</div>}
    </div>
  );
}

/** The content after it was read. Before that, placeholder lines, or the reason why it cannot be read. */
export function Loaded<T>({
  resource,
  children,
}: {
  readonly resource: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, problem } = resource;
  if (data !== undefined) {
    return (
      <>
        {problem === undefined || problem.status === 0 || problem.status === 401 ? null : (
          <ProblemNotice problem={problem} onRetry={resource.reload} />
        )}
        {children(data)}
      </>
    );
  }
  if (problem !== undefined) return <ProblemNotice problem={problem} onRetry={resource.reload} />;
  return <Loading />;
}

export function Loading() {
  return (
    <div class="loading" aria-busy="true">
      <span class="visually-hidden">Loading…</span>
      <span class="bone" />
      <span class="bone" />
      <span class="bone" />
    </div>
  );
}
