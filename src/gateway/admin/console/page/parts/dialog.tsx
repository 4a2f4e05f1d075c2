import { type ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Undefined: Escape does not close the dialog. */
  readonly onClose?: (() => void) | undefined;
  readonly isWide?: boolean;
}

/** A modal dialog. When it is removed, the focus goes back to the element that had it. */
export function Dialog({ title, children, onClose, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // The dialog is already out of the page, so the browser does not restore the focus.
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      (isThere ? opener : document.getElementById("main"))?.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? "dialog wide" : "dialog"}
      aria-labelledby={`${id}title`}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 id={`${id}title`}>{title}</h2>
      {children}
    </dialog>
  );
}
