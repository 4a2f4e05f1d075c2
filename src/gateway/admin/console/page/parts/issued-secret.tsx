import { useEffect, useRef } from "preact/hooks";
import { tell } from "./told.tsx";
import { Button } from "./button.tsx";

interface IssuedSecretProps {
  readonly label: string;
  readonly secret: string;
  readonly onDismiss: () => void;
}

/** A key or token that the gateway does not show again. It is gone when the user leaves the view. */
export function IssuedSecret({ label, secret, onDismiss }: IssuedSecretProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), [secret]);
  const copy = (): void => {
    input.current?.select();
    // The clipboard exists only over TLS and on loopback. Otherwise the text is selected, for the user to copy.
    (navigator.clipboard as Clipboard | undefined)?.writeText(secret).then(
      () => tell("Copied."),
      () => undefined,
    );
  };
  return (
    <div class="notice good" role="status">
      <p>
        <b>{label}</b> Copy it now: it is not shown again.
      </p>
      <div class="search">
        <input
          ref={input}
          class="input search-text mono"
          aria-label={label}
          readOnly
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button label="Copy" onClick={copy} />
        <Button label="Done" onClick={onDismiss} />
      </div>
    </div>
  );
}
