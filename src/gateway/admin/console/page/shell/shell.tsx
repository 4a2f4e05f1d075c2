import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { offlineSince, session } from "../api/client.ts";
import { viewLocation } from "../live/view-location.ts";
import { useStore } from "../api/store.ts";
import { Questions } from "../parts/ask.tsx";
import { Time } from "../parts/bits.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Told, Warnings } from "../parts/told.tsx";
import { LogInForm } from "../views/log-in.tsx";
import { Menu } from "./menu.tsx";
import { CurrentView } from "./current-view.tsx";

/** The page around every view: the menu, connection problems, and the log-in after a session has ended. */
export function Shell() {
  const state = useStore(session);
  const { view, query } = useStore(viewLocation);
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // Before the view is painted, so that the focus never leaves a field that the operator has chosen since.
  useLayoutEffect(() => {
    setMenuOpen(false);
    if (isFirst.current) isFirst.current = false;
    else {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
  }, [view, query.toString()]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <div class="shell">
        <header class="side">
          <SideHead isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
          <Menu isOpen={isMenuOpen} view={view} />
        </header>
        <div class="page">
          <main id="main" ref={main} tabIndex={-1}>
            <Offline />
            <Warnings />
            <CurrentView key={`${view}?${query.toString()}`} view={view} query={query} />
          </main>
          <Told />
        </div>
      </div>
      <Questions />
      {state.kind === "none" ? (
        <Dialog title="Your session ended">
          <p class="soft">Log in again to continue. Your input is still there.</p>
          <LogInForm />
        </Dialog>
      ) : null}
    </>
  );
}

function SideHead({ isMenuOpen, onMenu }: { readonly isMenuOpen: boolean; readonly onMenu: () => void }) {
  return (
    <div class="side-head">
      <a class="brand" href="#/overview">
        <img src="/favicon.svg" alt="" width="24" height="24" />
        Turnpike
      </a>
      <button
        class="button small menu-button"
        type="button"
        aria-expanded={isMenuOpen}
        aria-controls="menu"
        onClick={onMenu}
      >
        Menu
      </button>
    </div>
  );
}

function Offline() {
  const since = useStore(offlineSince);
  return (
    <div role="status" class="offline-place">
      {since === undefined ? null : (
        <p class="notice warn">
          The gateway has not responded since <Time ms={since} />. Figures below are from before. Trying again…
        </p>
      )}
    </div>
  );
}
