import { type Word } from "./words.ts";

/**
 * Outcomes in questions, in the supported languages, and the outcomes that exclude them. Each line has a name, the
 * names of contrary outcomes, and words. A word with a star is a prefix.
 */
const LINES = `
win; lose; win award* attribué attribuée décern* revient-à erhielt erhält reçu reçoit recibió recibe ricevuto riceve recebeu recebe verliehen otorgad* assegnat* atribuíd* ausgezeichnet wins won winning winner victory victorious triumph* champion* beat beats beating defeats defeating gewinn* gewann* gewonnen sieg* gagne* gagné* remport* victoire gana ganó ganado ganar ganadora victoria vence venció vincono vince vincere vinse vinto vittoria trionf* batte battuto battono sconfigg* sconfitto aggiudic* conquist* venc* venceu vitória ganhou ganha ganham derrotou derrot* campeã* campeón* campion* besieg* bezwang* bezwing* derrotó battu battent defeated conquers conquered crowned clinch* took takes taken lifts lifted secures secured captures captured scoop* outpoint* overcame edged ousts ousted triumphed holt holte geholt sichert sicherte gesichert setzte-sich schlägt schlug geschlagen décroch* enlev* empoch* s-impose s-est-imposé se-llevó se-lleva se-alzó se-impuso se-impone superó-a aggiudicato impone impose vincitore vincitrice vencedor vencedora arrebat* levou gewinner ganador lauréat lauréate premiad* laureat* prevail* takes-home taken-home carry-off carries-off carried-off walks-off-with walked-off-with edge-out edges-out pips pipped sees-off saw-off comes-out-on-top came-out-on-top pocketed bagged
lose; win; gescheitert lose loses lost losing runner-up verlier* verlor* niederlage unterlag perd perdu perdent défaite pierde perdió derrota perde perso persero sconfitta perdeu perdem perdieron beaten bezwungen conced* trails runners-up finalist* subcampe* vice-campeã* zweiter zweite finaliste finalista battuta perdente
survive; lose; survive survives survived überstand überstanden
approve; reject; approve* approval authoriz* authoris* ratif* endorse* greenlight* clear* adopt* genehmig* zugelassen zulass* gebilligt billig* ratifizier* verabschied* stimmt zugestimmt approuv* autoris* aprob* aprueba autoriz* ratific* approv* autorizz* aprov* ratifica* ratifi* adoptée pass passes passed passage enact* verabschiedet adopté aprobó approvato approvata aprovado aprovada aprovou adopted votes-through voted-through green-lit waves-through waved-through rubber-stamp* gives-the-nod gave-the-nod backs backed okays okayed angenommen beschließen beschloss beschlossen beschließt nimmt-an voté votée valid* promulg* varat* licenziat* deliberat* delibera
reject; approve; reject* rejection veto* voted-down turn-down turned-down blocks blocked abgelehnt lehnt ablehn* rejet* refus* rechaz* veta vetó respin* boccia* rifiut* rejeit* recus* vetou chumb* vetoed votes-down rejeté repouss* shoots-down shot-down throws-out threw-out thrown-out turns-down strikes-down struck-down block* prohibit* kippt verwarf verworfen abgewiesen weist-ab écart* tumb* desestim* denegó denegad* negou reprov* vetad* bocciat*
veto; sign enact; veto* vetó vetou vetoed
enact; reject; enter-into-force take-effect come-into-force become-law becomes-law became-law signed-into-law enters-into-force entered-into-force takes-effect took-effect taken-effect comes-into-force came-into-force tritt-in-kraft trat-in-kraft entre-en-vigueur entré-en-vigueur entró-en-vigor entrata-in-vigore entrou-em-vigor
sign; ; sign signs signed signing signature unterzeichn* unterschrieb* unterschrieben signe signé signée signent firma firmó firmado firmaron firm* sottoscri* assin* promulg* signed-into-law signs-into-law unterzeichnete unterschreibt unterschrieb paraphé rubric* rubriqu*
resign; stay; leave-office leaves-office left-office resign* quit quits step-down steps-down stepped-down stepping-down stood-down zurücktret* zurückgetreten rücktritt tritt-zurück trat-zurück démission* dimit* dimisión dimite renunci* dimette dimesso dimessa dimissioni demite demitiu demissão renunciou rassegn* steps-aside stepped-aside bows-out bowed-out gives-up gave-up relinquish* hands-in handed-in niedergelegt legt-nieder legte-nieder abgetreten tritt-ab trat-ab hört-auf hörte-auf wirft-hin quitte-ses-fonctions jette-l-éponge abandona-el-cargo deja-el-cargo dejó-el-cargo lascia-l-incarico si-dimette deixou-o-cargo deixa-o-cargo pede-demissão pediu-demissão rücktritts
stay; resign; remains-in-office stay-on stays-on remain-in-office bleibt-im-amt reste-en-poste sigue-en-el-cargo resta-in-carica rimane-in-carica permanece-no-cargo
die; live; kill kills killing death-toll deaths fatalities die dies died dead deceased passes-away passed-away gestorben starb verstorben tot mort morte décéd* muere murió murieron muerto falleci* muore morto morta morì decedut* morre morreu faleceu perished killed verunglückt ums-leben kam-ums tué tués tuée perec* falecid* perdió-la-vida lost-his-life lost-her-life lost-their-lives claimed-the-lives
live; die; alive survive* lebt überleb* vivant survécu vivo sobreviv* viva sopravviss*
rise; fall; rise* rose expand* increase* increasing grew grow* climb* surge surged surges surging soar* jump* gain gains gained hike hikes hiked boost* raise* raising steig* stieg gestiegen erhöh* augment* hausse relèv* relev* sube subió aument* eleva* elevo* elevó salito salita salì salit* cresc* cresciut* sobe subiu aumentou crebbe
fall; rise; fall shrank shrunk shrink* falls fell fallen falling drop* decline* declining decrease* decreasing dip dips dipped plunge* slump* trims trimmed trimming trim slash* shave* slips slipped slid slides tumbl* cut cuts cutting lower* lowering reduce* reducing reduction sink* sank gesunken senk* gesenkt baiss* abaiss* réduit diminu* baja bajó reduc* redujo recort* disminu* cala calò calat* scende sceso cai caiu desceu reduz* baixou cortar corta cortou cortado cortada taglia* tagliò
persist; resign dismiss close cancel end repeal suspend free lose lift; continue continues continued holds-on-to held-on-to clings-to clung-to remain* stays stayed keeps kept retain* still bleibt blieb bleiben behält behielt weiterhin reste restent resté toujours garde conserv* sigue siguen siguió permanec* mantien* mantuvo resta restano rimane rimasto ancora mantém manteve continua conserva
unchanged; rise fall; unchanged steady hold-rates holds-rates held-rates keeps-rates kept-rates unverändert manteve mantém manter inchangé* maintien* maintenu sin-cambios mantuvo mantiene invariat* inalterad*
launch; cancel postpone; launch* lift-off lifted-off went-up liftoff blast* took-off gestartet startet start* lanc* décoll* lanza lanzó lanzado despeg* lanci* decoll* lanç* lançou partì lifts-off blasts-off blasted-off took-to-the-sky goes-up abgehoben hebt-ab hob-ab décollé decollato descol* despegó
release; cancel postpone; release* releasing veröffentlich* erschien* erscheint sort sorti sortie publi* estren* pubblic* esce uscit* lançament* publicou released releases issues issued ships shipped rolls-out rolled-out comes-out came-out hits-the-shelves goes-on-sale went-on-sale herausgebracht bringt-heraus brachte-heraus paraît paru parue salió sale-a-la-venta publicó publicad* pubblicat* saiu-do launched launches lancé lancée lanzado lanzada lanzó lançado lançada lançou lanciato lanciata
postpone; ; postpon* delay* push-back pushed-back scrubbed deferred reschedul* verschob* verschieb* vertag* reporté reportée reportés ajourn* aplaz* pospon* pospuesto retras* rinvi* rimand* posticip* adia* adiou put-off puts-off put-back puts-back held-over moved-to verschoben vertagt reporté repoussé posposto
cancel; uphold; stripped vacated disallowed throws-out threw-out thrown-out withdraw* withdrew struck-down strikes-down strike-down cancel* call-off called-off scrap* abandon* shelve* abgesagt abgebrochen abbrech* annul* annull* cancell* cancelou revog* revoked void voided null nullif* overturn* quash* aufgehoben anuló anula anulad* anulou annulé cancels cancelled canceled calls-off struck-out set-aside sets-aside annulled annuls voids repeal* rescind* nichtig ungültig hinfällig zurückgezogen widerrufen storniert gestrichen kassiert invalid* cass* anulaç* anulación annullament* invalidó dejó-sin-efecto revocat* revoc*
uphold; cancel repeal; affirm* upheld upholds uphold stands stand valid confirmed-by bestätigt gültig rechtskräftig validé validée validés validées confirmé confirmée válida válido valida valido confermato confermata confirmó confirmado confirmada mantida
ban; allow; ban bans banned banning prohibit* outlaw* verbot* verbiet* interdit* interdire prohíb* prohib* vietat* proib* bannit* forbids forbidden forbade bars barred untersagt untersag* verbietet verbot
allow; ban; allow* permit* legaliz* legalis* erlaub* legalisier* autoris* permite légalis* permess* permett* permitiu
arrest; free; arrest* detain* in-custody verhaft* festgenommen arrêt* interpell* detenid* detuv* preso presa detid* prendeu took-into-custody taken-into-custody nabbed festnahm* arresta* deteve detidos detidas detido arrestat* detenção
free; arrest; freed walks-free walked-free set-free released-from freigelassen libér* liber* liberat* rilasci* libertad*
convict; acquit; convict* guilty verurteilt condamn* coupable condena* culpable condann* colpevole condenou condenad* found-guilty schuldig verurteilte condamné condamnée condenó
acquit; convict; cleared-of clears-of acquit* not-guilty exonerat* freigesprochen freispruch acquitt* relax* absuel* absuelto assol* absolv*
elect; lose; elect elects elected re-elected gewählt wählt élu élue élit elegid* elig* elett* elegg* eleit* elegeu voted-in choose chooses chose chosen gewählte elezione élus won-the-election wins-the-election
become; ; become becomes became take-over-as takes-over-as took-over-as taken-over-as sworn-in deviendra devient devenu devenue diventa diventato diventata convirtió-en torna-se tornou-se
nominate; ; nominate nominates nominated nominating nominiert names-as picks picked
join; leave; join joins joined joining beitritt beigetreten tritt-bei rejoint adhér* se-une unió ingres* aderi* entra-nella ader* juntou-se accedes acceded enrolled become-a-member becomes-a-member became-a-member beitrat trat-bei
leave; join; quit leave leaves leaving left withdraw* withdrew exit exits exited quits austritt ausgetreten verlässt quitt* retir* abandona salió lascia lasciat* esce-dal deix* saiu abandon* pulls-out pulled-out walks-out walked-out zieht-sich-zurück verlassen verließ ausgestiegen steigt-aus
acquire; ; acquir* acquis* acquier* acquér* buy buys bought purchase* takeover takes-over took-over übernehm* übernimmt übernahm* übernommen kauft rach* rachet* compra compró adquir* adquier* acquis* comprou comprato comprata rileva rilevat* kaufen kaufte erwerben taken-over takes-control took-control snaps-up snapped-up swallow* erwirbt erwarb erworben gekauft schluckt s-offre acquiert acquis racheté adquiriu adquire adquirió acquista acquistato acquistata comprad*
merge; ; merge* merging merger fusion* fonde* merges merged fusioniert fusionne fusionné fusionan fusionó fusionado
close; open; close closure closes closed closing shut shuts shutdown schließ* geschlossen ferm* cierra cerró cerrad* schloss clôtur* chius* chiud* chiuse fech* encerr* closes-its-doors shut-down shuts-down stillgelegt dichtgemacht macht-dicht schließt baisse-le-rideau echó-el-cierre
open; close; open opens opened opening reopen* eröffn* öffn* geöffnet ouvr* ouvert* abre abrió abiert* inaugur* rouvr* rouvert* reabr* reabiert* riapr* riapert* reabert* wiedereröffn* apert* apre aprì apriron* abri* abert* opens-its-doors opened-its-doors back-in-service back-in-operation back-in-use returned-to-service inaugurat* eingeweiht freigegeben mis-en-service mise-en-service entra-in-funzione entrata-in-funzione entrato-in-funzione entrera-in-funzione entre-en-service entré-en-service entrée-en-service entrera-en-service entra-en-servicio entró-en-servicio entrará-en-servicio entrou-em-operação entra-em-operação entrará-em-operação entrou-em-funcionamento entrará-em-funcionamento in-betrieb-genommen ging-in-betrieb
agree; ; agree* agreement deal reach-a-deal einig* vereinbar* accord acuerd* accord* acordo
ceasefire; ; ceasefire cease-fire truce waffenruhe waffenstillstand cessez-le-feu trêve tregua alto-el-fuego cessate-il-fuoco cessar-fogo trégua
strike; ; go-on-strike goes-on-strike went-on-strike gone-on-strike walkout streik* grève huelga sciopero greve
bankrupt; ; go-bankrupt goes-bankrupt went-bankrupt gone-bankrupt bankrupt insolven* pleite faillite quiebra bancarrota fallit* fallimento falência falid* insolvency entered-administration goes-bust went-bust sought-bankruptcy seeks-bankruptcy declared-bankruptcy declares-bankruptcy files-for-bankruptcy filed-for-bankruptcy insolvenz zahlungsunfähig
default; ; default* zahlungsausfall défaut impago
invade; ; invad* invasion einmarsch* envahi* invas* invadiu invaded einmarschiert marschierte-ein
impeach; ; impeach* amtsenthebung destitu*
extend; ; extend* extension verlänger* prolong* ampl* prorrog* prolung* prorog* extends extended verlängert prolongé prolongée
renew; cancel; renew*
lift; impose extend; lift lifts lifted lifting hebt-auf hob-auf aufgehob* levé levée levés levées lève levantó levanta levantad* levantou revocat* revocado rimosso rimosse rimossi tolto tolta
impose; lift; impose* imposing verhäng* impos* inflig*
sentence; acquit; sentence* jailed jails imprison*
recall; ; recall* rückruf* rappel* retira recalled calls-back called-back zurückgerufen ruft-zurück rief-zurück rappelle rappelé rappelés richiam* recolh*
confirm; ; confirmed-as senate-confirmed
indict; ; indict* charged angeklagt inculp* mis-en-examen imputad*
host; ; host hosts hosted hosting ausrichten accueill* acog* ospit* stages staged
occur; cancel; take-place takes-place took-place taken-place go-ahead goes-ahead went-ahead gone-ahead findet-statt fand-statt stattgefunden stattfind* a-lieu aura-lieu a-eu-lieu avoir-lieu se-celebró se-celebrará si-terrà si-è-tenuto si-è-tenuta teve-lugar terá-lugar realizou-se
qualify; eliminate; qualif* advance* advances qualifizier* einzug clasific* qualific* apurou
eliminate; qualify; eliminat* knocked-out ausgeschieden élimin* elimin* eliminad*
record; ; record-high all-time-high rekordhoch rekordhöhe
complete; cancel; complet* finish* fertig* achev* termine* terminar* terminad* terminat* terminó terminou conclu* termina terminano terminan terminam terminaron terminaram ultimat* completed finishes wraps-up wrapped-up fertiggestellt vollendet abgeschlossen achève achevé terminó terminado concluyó concluso completat* concluiu concluíd*
appoint; dismiss; appoint* ernannt ernenn* nomm* nombr* nomina* nominato nominata nomeou nomead* named names berufen beruft designat* desig* désign* nommé nommée nombrado nombrada nomeado nomeada nominat*
dismiss; appoint; removed-from-office removes-from-office remove-from-office removed-from-his-post removed-from-her-post fire fires fired sack* oust* dismiss* entlassen limog* licencié licenciés licenciée licenciées licencie licencient licencier licenciement* despid* desped* destitu* licenzi* demit* esoner* exoner* dismissed entlässt gefeuert freigestellt abberufen licenciado renvoyé renvoyée destituyó demitido demitida exonerad* sollevat* révoqu* évinc* congédi* démis remerci* abberuf* destituid*
land; ; touch-down land lands landed landing touchdown gelandet landet landung atterri* aterriz* atterr* aterr* pous* touches-down touched-down aufgesetzt se-posa s-est-posé atterri allunat*
list; ; list-on lists-on listed-on ipo goes-public went-public börsengang introduction-en-bourse go-public gone-public going-public stock-market-debut stock-exchange-debut market-debut begin-trading begins-trading began-trading begun-trading started-trading starts-trading an-die-börse cotizar-en salir-a-bolsa sale-a-bolsa salió-a-bolsa entre-en-bourse entré-en-bourse entrée-en-bourse quotat* sbarca-in-borsa
suspend; ; suspend* ausgesetz* sospes* halt* paus* eingestellt unterbroch* unterbricht interromp* interrump* suspendió sospende
depart; arrive; depart* sail sails sailed sailing abgefahren abgelegt abreis* appareill* zarp* salp* partit* zarpou partiu
repeal; ; repeal* rescind* abrog* abolish* aufgehob* derog* revog* repeals repealed revokes revoked scraps scrapped
start; cancel postpone; start starts started starting begin begins began begun commence* beginn* begann begonnen commenc* début* empiez* empez* comenz* comienz* inizi* comincia* começ*
resume; end cancel; resum* restart* back-in-service back-in-operation back-in-use returned-to-service wiederaufgenommen wiederaufnahme reprend* reprise* repris reanud* reanudó riprend* ripres* retom* retomou
end; ; end ends ended ending endet endete beendet beend* termine* terminar* terminad* terminat* terminó terminou finit finì finisc* acab* encerr* conclu*
landfall; ; make-landfall makes-landfall made-landfall making-landfall comes-ashore came-ashore come-ashore crashed-ashore
relegate; stay-up; relegat*
stay-up; relegate; stays-up stayed-up stay-up
overtake; ; overtake overtakes overtook overtaken überholt überholte
score; ; score scores scored scoring
break; ; set-a set-an set-the set-new sets-a sets-an sets-the set-his set-her setting-a aufgestellt établi établit estableció establecido stabilito stabilito estabeleceu stellte-einen break breaks broke broken breaking bricht brach gebrochen battu bat rompió bate batió battuto batteu smash* shatter* eclips* surpass* topped effacé efface pulvéris* superó supera superado superat* ultrapassou übertroffen übertraf verbessert verbesserte
arrive; ; arriv* reach reaches reached enter enters entered angekommen erreicht llegó llega chegou chega
publish; ; publish* veröffentlich* publi* pubblic* published issues issued herausgegeben erschienen
build; ; built build builds building gebaut construi* costrui*
pay; ; pay pays paid paying bezahl* gezahlt paye* pagó pagato pagou
sell; ; sell sells sold selling verkauf* vendu vendido venduto vendeu vendió sells-off sold-off veräußert verkaufte cédé cédée
`;

interface Concept {
  readonly name: string;
  readonly contrary: readonly string[];
}

const CONCEPTS: ReadonlyMap<string, Concept> = new Map();
const WHOLE = new Map<string, Set<string>>();
const BEGINNINGS = new Map<string, Set<string>>();
/** An outcome of several words: those behind the first. */
interface Phrase {
  readonly words: readonly string[];
  readonly name: string;
}

/** Outcomes of several words, by their first word. */
const PHRASES = new Map<string, Phrase[]>();
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
  map.getOrInsertComputed(key, () => new Set()).add(name);
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
  for (const { name } of phrasesAt(words, at)) found.add(name);
  return found.size > 0 ? found : outcomesOfFuture(word.text);
}

/** The outcomes of several words that a text names from a word on. */
function phrasesAt(words: readonly Word[], at: number): readonly Phrase[] {
  return (PHRASES.get(words[at]?.text ?? "") ?? []).filter(({ words: others }) =>
    others.every((other, n) => words[at + 1 + n]?.text === other),
  );
}

/** The number of words that name the outcome at a word: 2 for "go public". */
export function outcomeLength(words: readonly Word[], at: number): number {
  return 1 + Math.max(0, ...phrasesAt(words, at).map(({ words: others }) => others.length));
}

/** Romance futures, without accents, and endings of other forms of their verbs. */
const FUTURE = /^(\p{L}{3,})(?:[aei]ra|[aei]ront|[aei]rao|[aei]ran|[aei]ranno)$/u;
const OTHER_FORMS = ["e", "a", "ee", "ado", "ada", "ato", "ata", "ido", "ito", "u", "uto", "ou", "eu", "iu", "o"];

/** The outcomes that another form of a Romance future names: "anulará" for "anuló". */
function outcomesOfFuture(text: string): ReadonlySet<string> {
  const root = FUTURE.exec(text)?.[1];
  if (root === undefined) return new Set();
  return new Set(OTHER_FORMS.flatMap((ending) => [...(WHOLE.get(`${root}${ending}`) ?? [])]));
}

/** The outcomes that the words of a text name. */
export function conceptsIn(words: readonly Word[]): Set<string> {
  return new Set(words.flatMap((_, at) => [...conceptsAt(words, at)]));
}

/** Whether one outcome excludes the other. */
export function areContrary(a: string, b: string): boolean {
  return (CONCEPTS.get(a)?.contrary.includes(b) ?? false) || (CONCEPTS.get(b)?.contrary.includes(a) ?? false);
}
