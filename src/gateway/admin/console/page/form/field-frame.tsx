import { type ComponentChildren } from "preact";
import { fieldId, useForm } from "./form-state.ts";
import { boundsText, defaultText, type Path, type SchemaNode } from "./schema.ts";

export interface FieldProps {
  readonly node: SchemaNode;
  readonly path: Path;
  readonly isRequired: boolean;
}

/** Ids and ARIA states that connect a control with its label, help and messages. */
export function useField(path: Path) {
  const { messagesAt } = useForm();
  const messages = messagesAt(path);
  const id = fieldId(path);
  return {
    id,
    messages,
    aria: { "aria-invalid": messages.length > 0, "aria-describedby": `${id}-help ${id}-messages` },
  };
}

export function keyOf(path: Path): string {
  const last = path.at(-1);
  return typeof last === "number" ? `${String(path.at(-2) ?? "")}[${last}]` : (last ?? "");
}

/** A control with its key above it, and with its description and errors below it. */
export function FieldFrame({
  node,
  path,
  isRequired,
  children,
  isWide = false,
  extraHelp,
}: FieldProps & {
  readonly children: ComponentChildren;
  readonly isWide?: boolean;
  readonly extraHelp?: string | undefined;
}) {
  const { id } = useField(path);
  return (
    <div class={isWide ? "field wide" : "field"}>
      <label class="field-key" for={id}>
        <code>{keyOf(path)}</code>
        {isRequired ? <span class="soft small"> required</span> : null}
      </label>
      {children}
      <Messages path={path} />
      <Help node={node} path={path} extra={extraHelp} />
    </div>
  );
}

export function Help({
  node,
  path,
  extra,
}: Pick<FieldProps, "node" | "path"> & { readonly extra?: string | undefined }) {
  const value = defaultText(node);
  const facts = [boundsText(node), value === undefined ? undefined : `default ${value}`, extra].filter(
    (fact) => fact !== undefined,
  );
  const text = (node.description ?? "").replace(" Turnpike's own key.", "");
  return (
    <p class="field-help" id={`${fieldId(path)}-help`}>
      <Prose text={text} />
      {facts.length === 0 ? null : <span class="num">{` ${capital(facts.join(", "))}.`}</span>}
    </p>
  );
}

/** Text with `code` between backquotes. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** The text with a capital letter at its beginning. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function Messages({ path }: { readonly path: Path }) {
  const { id, messages } = useField(path);
  return (
    <div id={`${id}-messages`} class="field-messages">
      {messages.map((message) => (
        <p key={message} class="field-error">
          {message}
        </p>
      ))}
    </div>
  );
}
