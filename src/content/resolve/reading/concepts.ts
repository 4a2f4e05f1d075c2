import { type Word } from "./words.ts";

/**
 * Outcomes in questions, in the supported languages, and the outcomes that exclude them. Each line has a name, the
 * names of contrary outcomes, and words. A word with a star is a prefix.
 */
const LINES = `
win; lose; win wins won winning winner victory victorious triumph* champion* beat beats beating defeats defeating gewinn* gewann* gewonnen sieg* gagne* gagné* remport* victoire gana ganó ganado ganar ganadora victoria vence venció vincono vincere vinse vinto vittoria trionf* batte battuto battono sconfigg* sconfitto aggiudic* conquist* venc* venceu vitória ganhou ganha ganham derrotou derrot* campeã* campeón* campion* besieg* bezwang* bezwing* derrotó battu battent
lose; win; lose loses lost losing defeated runner-up verlier* verlor* niederlage unterlag perd perdu perdent défaite pierde perdió derrota perde perso persero sconfitta perdeu perdem perdieron
approve; reject; approve* approval authoriz* authoris* ratif* endorse* greenlight* clear* adopt* genehmig* zugelassen zulass* gebilligt billig* ratifizier* verabschied* stimmt zugestimmt approuv* autoris* aprob* aprueba autoriz* ratific* approv* autorizz* aprov* ratifica* ratifi* adoptée votó
reject; approve pass; reject* rejection veto* voted-down turn-down turned-down blocks blocked abgelehnt lehnt ablehn* rejet* refus* rechaz* veta vetó respin* boccia* rifiut* rejeit* recus* vetou chumb* vetoed votes-down rejeté repouss*
pass; reject; pass passes passed passage enact* verabschiedet adopté adoptée aprobó approvato approvata aprovado aprovada aprovou
sign; ; sign signs signed signing signature unterzeichn* unterschrieb* unterschrieben signe signé signée signent firma firmó firmado firmaron firm* sottoscri* assin* promulg*
resign; stay; resign* quit quits step-down steps-down stepped-down stepping-down stood-down zurücktret* zurückgetreten rücktritt tritt-zurück trat-zurück démission* dimit* dimisión dimite renunci* dimette dimesso dimessa dimissioni demite demitiu demissão renunciou rassegn*
stay; resign; remains-in-office stay-on stays-on remain-in-office bleibt-im-amt reste-en-poste sigue-en-el-cargo resta-in-carica rimane-in-carica permanece-no-cargo
die; live; die dies died dead deceased passes-away passed-away gestorben starb verstorben tot mort morte décéd* muere murió muerto falleci* muore morto morta morì decedut* morre morreu faleceu
live; die; alive survive* lebt überleb* vivant survécu vivo sobreviv* viva sopravviss*
rise; fall; rise* rose increase* increasing grew grow* climb* surge* soar* jump* gain gains gained hike hikes hiked raise* raising steig* stieg gestiegen erhöh* augment* hausse relèv* relev* sube subió aument* elev* salito salita salì salit* cresc* cresciut* sobe subiu aumentou crebbe
fall; rise; fall falls fell fallen falling drop* decline* declining decrease* decreasing dip dips dipped plunge* slump* cut cuts cutting lower* lowering reduce* reducing reduction sink* sank gesunken senk* gesenkt baiss* réduit diminu* baja bajó reduc* redujo recort* disminu* cala calò calat* scende sceso cai caiu desceu reduz* baixou tagliato tagliata
unchanged; rise fall; unchanged steady hold-rates holds-rates held-rates keeps-rates kept-rates unverändert inchangé* maintien* sin-cambios mantuvo mantiene invariat* inalterad*
launch; cancel postpone; launch* lift-off lifted-off went-up liftoff blast* took-off gestartet startet start* lanc* décoll* lanza lanzó lanzado despeg* lanci* decoll* lanç* lançou partì
release; cancel postpone; release* releasing unveil* veröffentlich* erschien* erscheint sort sorti sortie publi* estren* pubblic* esce uscit* lançament* publicou
postpone; ; postpon* delay* push-back pushed-back scrub* deferred reschedul* verschob* verschieb* vertag* report* ajourn* aplaz* pospon* pospuesto retras* rinvi* rimand* posticip* adia* adiou
cancel; ; cancel* call-off called-off scrap* abandon* shelve* abgesagt abgebrochen abbrech* annul* annull* cancell* cancelou revog* revoked void voided nullif* overturn* quash* aufgehoben anuló anula anulad* anulou annulé
ban; allow; ban bans banned banning prohibit* outlaw* verbot* verbiet* interdit* interdire prohíb* prohib* vietat* proib* bannit*
allow; ban; allow* permit* legaliz* legalis* erlaub* legalisier* autoris* permite légalis* permess* permett* permitiu
arrest; free; arrest* detain* in-custody verhaft* festgenommen arrêt* interpell* detenid* detuv* preso presa detid* prendeu
free; arrest; freed set-free released-from freigelassen libér* liber* liberat* rilasci* libertad*
convict; acquit; convict* guilty verurteilt condamn* coupable condena* culpable condann* colpevole condenou condenad*
acquit; convict; acquit* not-guilty exonerat* freigesprochen freispruch acquitt* relax* absuel* absuelto assol* absolv*
elect; lose; elect elects elected re-elected gewählt wählt élu élue élit elegid* elig* elett* elegg* eleit* elegeu
nominate; ; nominate nominates nominated nominating nominiert
join; leave; join joins joined joining beitritt beigetreten tritt-bei rejoint adhér* se-une unió ingres* aderi* entra-nella ader* juntou-se
leave; join; leave leaves leaving left withdraw* withdrew exit exits exited quits austritt ausgetreten verlässt quitt* retir* abandona salió lascia lasciat* esce-dal deix* saiu abandon*
acquire; ; acqui* buy buys bought purchase* takeover takes-over took-over übernimmt übernahm* übernommen kauft rach* rachet* compra compró adquir* adquier* acquis* comprou comprato comprata rileva rilevat*
merge; ; merge* merging merger fusion* fonde*
close; open; close closes closed closing shut shuts shutdown schließ* geschlossen ferm* cierra cerró cerrad* schloss clôtur* chius* chiud* chiuse fech* encerr*
open; close; open opens opened opening reopen* eröffn* öffn* ouvr* ouvert* abre abrió abiert* inaugur* rouvr* rouvert* reabr* reabiert* riapr* riapert* reabert* wiedereröffn* apert* apre aprì apriron* abri* abert*
agree; ; agree* agreement deal reach-a-deal einig* vereinbar* accord acuerd* accord* acordo
ceasefire; ; ceasefire cease-fire truce waffenruhe waffenstillstand cessez-le-feu trêve tregua alto-el-fuego cessate-il-fuoco cessar-fogo trégua
strike; ; walkout streik* grève huelga sciopero greve
bankrupt; ; bankrupt* insolven* pleite faillite quiebra bancarrota fallit* fallimento falência falid*
default; ; default* zahlungsausfall défaut impago
invade; ; invad* invasion einmarsch* envahi* invas* invadiu
impeach; ; impeach* amtsenthebung destitu*
extend; ; extend* extension verlänger* prolong* ampl* prorrog* prolung* prorog*
recall; ; recall* rückruf* rappel* retira
confirm; ; confirmed-as senate-confirmed
indict; ; indict* charged angeklagt inculp* mis-en-examen imputad*
host; ; host hosts hosted hosting ausrichten accueill* acog* ospit*
qualify; eliminate; qualif* advance* advances reach-the-final qualifizier* einzug clasific* qualific* apurou
eliminate; qualify; eliminat* knocked-out ausgeschieden élimin* elimin* eliminad*
record; ; record-high all-time-high rekordhoch rekordhöhe
complete; ; complet* finish* fertig* achev* termin* conclu* termina* ultimat*
appoint; dismiss; appoint* ernannt ernenn* nomm* nombr* nomina* nominato nominata nomeou nomead*
dismiss; appoint; fire fires fired sack* oust* dismiss* entlassen limog* despid* destitu* licenzi* demit* esoner* exoner*
land; ; land lands landed landing touchdown gelandet landet landung atterri* aterriz* atterr* aterr* pous*
list; ; ipo goes-public went-public börsengang introduction-en-bourse
suspend; ; suspend* ausgesetz* suspend* sospes*
depart; arrive; depart* sail sails sailed sailing abgefahren abgelegt abreis* appareill* zarp* salp* partit* zarpou partiu
repeal; ; repeal* rescind* abrog* abolish* aufgehob* derog* revog*
start; end cancel postpone; start starts started starting begin begins began begun commence* beginn* begann begonnen commenc* début* empiez* empez* comenz* comienz* inizi* comincia* começ*
end; start; end ends ended ending endet endete beendet beend* termin* finit finì finisc* acab* encerr* conclu*
score; ; score scores scored scoring
break; ; break breaks broke broken breaking bricht brach gebrochen battu bat rompió bate batió battuto batteu
arrive; ; arriv* angekommen erreicht llegó llega chegou chega
publish; ; publish* veröffentlich* publi* pubblic*
build; ; built build builds building gebaut construi* costrui*
pay; ; pay pays paid paying bezahl* gezahlt paye* pagó pagato pagou pagó
sell; ; sell sells sold selling verkauf* vendu vendido venduto vendeu vendió venduto
`;

interface Concept {
  readonly name: string;
  readonly contrary: readonly string[];
}

const CONCEPTS: ReadonlyMap<string, Concept> = new Map();
const WHOLE = new Map<string, Set<string>>();
const BEGINNINGS = new Map<string, Set<string>>();
/** Outcomes of several words, by their first word. */
const PHRASES = new Map<string, { readonly words: readonly string[]; readonly name: string }[]>();
/** Prefixes are looked up by their first characters. The shortest prefix has this length. */
const KEY = 3;

function plain(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").replace(/ß/g, "ss").toLowerCase();
}

function learn(): void {
  for (const line of LINES.trim().split("\n")) {
    const [name = "", contrary = "", words = ""] = line.split(";").map((part) => part.trim());
    const known = CONCEPTS as Map<string, Concept>;
    known.set(name, { name, contrary: contrary.split(" ").filter((other) => other !== "") });
    for (const word of words.split(" ")) {
      const form = plain(word);
      const [first = "", ...others] = form.split("-");
      if (others.length > 0) PHRASES.set(first, [...(PHRASES.get(first) ?? []), { words: others, name }]);
      else if (form.endsWith("*")) put(BEGINNINGS, form.slice(0, -1), name);
      else put(WHOLE, form, name);
    }
  }
}

function put(map: Map<string, Set<string>>, key: string, name: string): void {
  const names = map.get(key) ?? new Set();
  names.add(name);
  map.set(key, names);
}

learn();

/** The outcomes that a word of a text names, alone or with the words after it. */
export function conceptsAt(words: readonly Word[], at: number): ReadonlySet<string> {
  const word = words[at];
  const found = new Set<string>();
  if (word === undefined) return found;
  for (const name of WHOLE.get(word.text) ?? WHOLE.get(word.stem) ?? []) found.add(name);
  for (let length = KEY; length <= word.text.length; length += 1) {
    for (const name of BEGINNINGS.get(word.text.slice(0, length)) ?? []) found.add(name);
  }
  for (const { words: others, name } of PHRASES.get(word.text) ?? []) {
    if (others.every((other, n) => words[at + 1 + n]?.text === other)) found.add(name);
  }
  return found;
}

/** The outcomes that the words of a text name. */
export function conceptsIn(words: readonly Word[]): Set<string> {
  return new Set(words.flatMap((_, at) => [...conceptsAt(words, at)]));
}

/** Whether one outcome excludes the other. */
export function areContrary(a: string, b: string): boolean {
  return (CONCEPTS.get(a)?.contrary.includes(b) ?? false) || (CONCEPTS.get(b)?.contrary.includes(a) ?? false);
}
