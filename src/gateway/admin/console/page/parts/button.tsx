import { type ComponentChildren } from "preact";
import { useMayChange } from "./access.ts";

interface ButtonProps {
  readonly label: string;
  /** The thing that it acts on, for screen readers. */
  readonly of?: string;
  /** Classes beside `button`. */
  readonly kind?: string;
  readonly isDisabled?: boolean;
  readonly title?: string | undefined;
  readonly onClick: () => void;
}

/** A button that does something on this page. */
export function Button({ label, of, kind = "", isDisabled = false, title, onClick }: ButtonProps) {
  return (
    <button class={`button ${kind}`} type="button" disabled={isDisabled} title={title} onClick={onClick}>
      <Label label={label} of={of} />
    </button>
  );
}

interface LinkProps extends Pick<ButtonProps, "label" | "of" | "kind"> {
  readonly href: string;
}

/** A link to another view, drawn as a button. */
export function ButtonLink({ label, of, kind = "", href }: LinkProps) {
  return (
    <a class={`button ${kind}`} href={href}>
      <Label label={label} of={of} />
    </a>
  );
}

function Label({ label, of }: { readonly label: string; readonly of: string | undefined }) {
  return (
    <>
      {label}
      {of === undefined ? null : <span class="visually-hidden"> {of}</span>}
    </>
  );
}

interface PagesProps {
  /** The place of each page after the first, up to the page that is shown. */
  readonly begins: readonly string[];
  /** The place of the page after it. */
  readonly next: string | undefined;
  readonly onTurn: (begins: readonly string[]) => void;
}

/** Turns the pages of a list. */
export function Pages({ begins, next, onTurn }: PagesProps) {
  // Until the next page has arrived, the shown one still names the place of that page.
  const isLast = next === undefined || next === begins.at(-1);
  return (
    <nav class="table-more" aria-label="Pages">
      <Button label="Newer" kind="small" isDisabled={begins.length === 0} onClick={() => onTurn(begins.slice(0, -1))} />
      <Button
        label="Older"
        kind="small"
        isDisabled={isLast}
        onClick={() => onTurn(isLast ? begins : [...begins, next])}
      />
    </nav>
  );
}

/** Buttons and forms for changes. */
export function Changes({ children }: { readonly children: ComponentChildren }) {
  return useMayChange() ? <>{children}</> : null;
}
