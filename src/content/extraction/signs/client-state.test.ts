import { describe, expect, test } from "bun:test";
import { NO_PLACEHOLDERS } from "../extraction.ts";
import { signOfCode } from "./script-code.ts";

function signIn(script: string): string | undefined {
  return signOfCode(script, { ...NO_PLACEHOLDERS })?.sign;
}

const FLAG = "const [on, setOn] = useState(false);";
const SHOWN = 'return jsx("main", { children: on && jsx("p", { children: "Open today" }) })';

describe("a component that changes its state when it is in the page", () => {
  test.each([
    ["sets a flag", `function A(){${FLAG} useEffect(() => { setOn(true) }, []); ${SHOWN} }`],
    [
      "is minified",
      '[m,s]=(0,r.useState)(!1);(0,r.useEffect)(()=>{s(!0)},[]);return(0,j.jsx)("main",{children:m&&(0,j.jsx)("p",{})})',
    ],
    ["has renamed hooks", 'let[m,s]=d(!1);return h(()=>s(!0),[]),_("main",null,m&&_("p",null))'],
    [
      "loads a part",
      `function A(){let[P,set]=useState(null);useEffect(()=>{import("./part.js").then(m=>set(()=>m.default))},[]);${SHOWN}}`,
    ],
    [
      "requests data from a computed address",
      "let[l,s]=useState([]);useEffect(()=>{get(API).then(s)},[]);return l.map(row)",
    ],
    ["shows its children only then", "let[m,s]=useState(!1);useEffect(()=>{s(!0)},[]);return m?t:null"],
    ["sets a reference", "const m=ref(!1);onMounted(()=>{m.value=!0});return()=>m.value?a():b()"],
    ["sets its data", "export default { data: () => ({ open: false }), mounted() { this.open = true } }"],
    ["is a class", "class A extends C { componentDidMount() { this.setState({ open: true }) } }"],
    ["has another store in the browser", 'const v = useSyncExternalStore(store.subscribe, store.get, () => "");'],
    ["has a store with a renamed hook", '[a,b]=c;let v=Gf(e.sub,e.get,()=>null);return v&&_("p",null)'],
    [
      "asks a hook whether it is in the browser",
      'var u=()=>x(()=>()=>{},()=>!0,()=>!1);[a,b]=c;function A(){let h=u();return h?j("table",{}):null}',
    ],
    [
      "formats a value that it is given",
      'let[t,s]=d("");return h(()=>{s(new Intl.DateTimeFormat("en").format(new Date(i)))},[i]),_("time",{children:t})',
    ],
    [
      "comes into the window",
      'let r=u(null),[v,s]=d(!1);h(()=>{let o=new IntersectionObserver(([e])=>{if(e.isIntersecting)s(!0)});o.observe(r.current)},[]);return v?_("p",{}):null',
    ],
    ["ends a wait", 'let[w,s]=d(!0);h(()=>{ready().then(()=>{s(!1)})},[]);return w?null:_("p",{})'],
    ["sets a signal", "let m=st(!1);on(()=>{put(m,!0)});if_(n,()=>get(m))/* onMount */"],
  ])("is found if it %s", (_what, script) => {
    expect(signIn(script)).toBe("client-state");
  });

  test.each([
    [
      "sets it in a handler",
      `function A(){${FLAG} return jsx("button", { onClick: () => setOn(true), children: on && jsx("p") }) }`,
    ],
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
