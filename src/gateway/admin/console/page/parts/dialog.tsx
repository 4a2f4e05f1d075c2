import { type ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Undefined: it cannot be left by Escape. */
  readonly onClose?: (() => void) | undefined;
  readonly isWide?: boolean;
}

/** A modal dialog while it is drawn; then the focus goes back to where it was. */
export function Dialog({ title, children, onClose, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // It is out of the page by now, where the browser gives no focus back.
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
