import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { PARAGRAPHS, TITLE } from "./text.js";

function Article({ children }) {
  return (
    <main>
      <h1>{TITLE}</h1>
      {PARAGRAPHS.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {children}
    </main>
  );
}

function useData(path, first) {
  const [data, setData] = useState(first);
  useEffect(() => {
    fetch(path)
      .then((response) => response.json())
      .then(setData);
  }, []);
  return data;
}

function newStore() {
  let value = "";
  const listeners = new Set();
  return {
    get: () => value,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(next) {
      value = next;
      for (const listener of listeners) listener();
    },
  };
}

export function plain() {
  return <Article />;
}

export function toggle() {
  const [open, setOpen] = useState(false);
  return (
    <Article>
      <button onClick={() => setOpen(!open)}>Menu</button>
      {open && <p>The menu of the galley.</p>}
    </Article>
  );
}

export function theme() {
  const [dark, setDark] = useState(false);
  useEffect(() => {
    document.documentElement.classList.toggle("dark", dark);
    localStorage.setItem("theme", dark ? "dark" : "light");
  }, [dark]);
  return (
    <Article>
      <button aria-pressed={dark} onClick={() => setDark(!dark)}>
        Theme
      </button>
    </Article>
  );
}

export function accordion() {
  const [open, setOpen] = useState(false);
  return (
    <Article>
      <h2>
        <button aria-expanded={open} aria-controls="more" onClick={() => setOpen(!open)}>
          How is the weather?
        </button>
      </h2>
      <div id="more" role="region" hidden={!open}>
        <p>Fog stands on the river until nine, and wind comes with the evening.</p>
      </div>
    </Article>
  );
}

export function login() {
  const [failed, setFailed] = useState(false);
  async function submit(event) {
    event.preventDefault();
    const response = await fetch("/api/login", { method: "POST", body: new FormData(event.target) });
    setFailed(!response.ok);
  }
  return (
    <main>
      <h1>Members of the crew</h1>
      <p>Log in to read the captain's diary.</p>
      <form onSubmit={submit}>
        <label>
          Name <input name="name" />
        </label>
        <label>
          Password <input name="password" type="password" />
        </label>
        <button>Log in</button>
        {failed && <p>That is not right.</p>}
      </form>
    </main>
  );
}

export function like() {
  const [likes, setLikes] = useState(12);
  const [found, setFound] = useState([]);
  const more = async () => {
    const response = await fetch("/api/search?q=" + likes);
    setFound(await response.json());
  };
  return (
    <Article>
      <button onClick={() => fetch("/api/like", { method: "POST" }).then(() => setLikes(likes + 1))}>
        {likes} likes
      </button>
      <button onClick={more}>Search</button>
      <ul>
        {found.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </Article>
  );
}

export function price() {
  const data = useData("/api/price", { price: "--" });
  return (
    <Article>
      <p>
        A ticket today: <span id="price">{data.price}</span>
      </p>
    </Article>
  );
}

export function rows() {
  const data = useData("/api/rows", []);
  return (
    <Article>
      <table>
        <thead>
          <tr>
            <th>Pier</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody>
          {data.map(([pier, time]) => (
            <tr key={pier}>
              <td>{pier}</td>
              <td>{time}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Article>
  );
}

export function appended() {
  const data = useData("/api/items", []);
  return (
    <Article>
      <ul className="news">
        <li>The first notice of the board</li>
        <li>The second notice of the board</li>
        {data.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </Article>
  );
}

export function nothing() {
  const data = useData("/api/note", null);
  return <Article>{data && <aside>{data.note}</aside>}</Article>;
}

export function late() {
  const [here, setHere] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setHere(true), 1500);
    return () => clearTimeout(timer);
  }, []);
  return here ? <Article /> : null;
}

export function slow() {
  const data = useData("/api/slow", null);
  return data ? (
    <Article>
      <p>{data.note}</p>
    </Article>
  ) : (
    <p>Loading…</p>
  );
}

export function store() {
  const [tickets] = useState(newStore);
  const left = useSyncExternalStore(tickets.subscribe, tickets.get, () => "");
  useMemo(() => typeof window === "object" && queueMicrotask(() => tickets.set("fourteen left")), []);
  return <Article>{left && <p>Tickets: {left}</p>}</Article>;
}

export function timer() {
  const [rung, setRung] = useState([]);
  useEffect(() => {
    const bell = setTimeout(() => setRung(["The bell was rung at last."]), 2_500);
    return () => clearTimeout(bell);
  }, []);
  return (
    <Article>
      <ul>
        {rung.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Article>
  );
}
