import { describe, expect, test } from "bun:test";
import { NO_PLACEHOLDERS } from "../tree/extraction.ts";
import { signOfCode } from "./script-code.ts";

function signIn(script: string): string | undefined {
  return signOfCode(script, { ...NO_PLACEHOLDERS })?.sign;
}

const FLAG = "const [on, setOn] = useState(false);";
const SHOWN = 'return jsx("main", { children: on && jsx("p", { children: "Open today" }) })';

describe("a component that changes its state when it is in the page", () => {
  test.each([
    [
      "loads a part",
      `export default function A(){let[P,set]=useState(null);useEffect(()=>{import("./part.js").then(m=>set(()=>m.default))},[]);${SHOWN}}`,
    ],
    ["sets a text after a while", 'let[t,s]=d("");return h(()=>{setTimeout(()=>s("It rang."),9)},[]),_("p",null,t)'],
    [
      "requests data from a computed address",
      "let[l,s]=useState([]);useEffect(()=>{get(API).then(s)},[]);return l.map(row)",
    ],
  ])("is found if it %s", (_what, script) => {
    expect(signIn(script)).toBe("client-state");
  });

  test.each([
    [
      "sets it in a handler",
      `function A(){${FLAG} return jsx("button", { onClick: () => setOn(true), children: on && jsx("p") }) }`,
    ],
    ["sets a flag", `function A(){${FLAG} useEffect(() => { setOn(true) }, []); ${SHOWN} }`],
    ["shows only a button", 'let[m,s]=useState(!1);useEffect(()=>s(!0),[]);return m&&jsx("button",{})'],
    [
      "takes what this browser stores",
      'let[t,s]=useState("a");useEffect(()=>{s(localStorage.getItem("t"))},[]);return jsx(t)',
    ],
    ["waits for another change", `function A(){${FLAG} useEffect(() => { if (q) setOn(true) }, [q]); ${SHOWN} }`],
    [
      "sets it as the person scrolls",
      "let[y,s]=useState(0);useEffect(()=>{window.addEventListener('scroll',()=>s(scrollY))},[]);return y&&jsx(U)",
    ],
    [
      "changes it from time to time",
      "let[i,s]=useState(0);useEffect(()=>{const t=setInterval(()=>s(i+1),8e3);return()=>clearInterval(t)},[]);return jsx(i)",
    ],
    [
      "has a store of the window",
      "const v=useSyncExternalStore((f)=>{matchMedia(q).addEventListener('change',f);return()=>{}},g,()=>!1);return v?P:null",
    ],
    ["has the same store on the server", "const v = useSyncExternalStore(s.subscribe, s.get, s.get);"],
    [
      "closes what a person opened",
      'let[o,s]=d(!1);h(()=>{let f=e=>{r.current.contains(e.target)||s(!1)};document.addEventListener("mousedown",f)},[]);return o&&_("ul",{})',
    ],
    [
      "empties a field on another page",
      'let[q,s]=useState("");useEffect(()=>{s("")},[path]);return jsx("input",{value:q})',
    ],
    ["fills it on a condition", 'let[t,s]=d("");return h(()=>{if(i)s(format(i))},[i]),_("time",{children:t})'],
    ["fills it after a choice", 'let[t,s]=d("");return h(()=>{i&&s(format(i))},[i]),_("time",{children:t})'],
    ["copies a value that it has", "let[v,s]=useState(p.v);useEffect(()=>{s(p.v)},[p.v]);return jsx(v)"],
    [
      "marks the part in the window",
      'let[a,s]=d("");h(()=>{let o=new IntersectionObserver(e=>{s(e[0].target.id)});o.observe(r)},[]);return a?_("p",{}):null',
    ],
    ["keeps a callback", "let[m,s]=d(!1);const f=q(()=>{s(!0)},[]);return m&&_(P)"],
    ["writes the value of a field", "run(()=>{e.value=u});[a,b]=c"],
  ])("is not one that %s", (_what, script) => {
    expect(signIn(script)).toBeUndefined();
  });

  test("takes linear time", () => {
    const began = process.cpuUsage();
    signIn(`[a,b]=c;${"useEffect(()=>{b(!0)},[]);".repeat(20_000)}`);
    signIn(`[a,b]=c;${"h(()=>{".repeat(60_000)}`);
    const { user } = process.cpuUsage(began);
    expect(user).toBeLessThan(3_000_000);
  });
});
