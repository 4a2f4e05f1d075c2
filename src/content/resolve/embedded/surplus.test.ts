import { describe, expect, test } from "bun:test";
import { verdictOf } from "../testing/verdict-of.ts";

type Case = readonly [question: string, ...sentences: string[]];

/** A part, a member or a relative of the question's subject acts. */
const PARTS: readonly Case[] = [
  [
    "Did the Reform Party choose Lena Ost as its candidate?",
    "The Reform Party's youth wing chose Lena Ost as its candidate.",
    "The youth wing of the Reform Party chose Lena Ost as its candidate.",
    "Younger members of the Reform Party chose Lena Ost as their candidate.",
    "The Reform Party branch in Holm chose Lena Ost as its candidate.",
    "A majority of the Reform Party's leadership chose Lena Ost as its candidate.",
    "The Reform Party in Holm chose Lena Ost as its candidate.",
    "The Reform Party youth chose Lena Ost as its candidate.",
    "Half of the Reform Party chose Lena Ost as their candidate.",
    "The student section of the Reform Party has chosen Lena Ost as its candidate.",
  ],
  [
    "Did the party choose Lena Ost as its candidate for mayor?",
    "The party's youth wing chose Lena Ost as its candidate for mayor.",
    "The party's local branch chose Lena Ost as its candidate for mayor on Sunday.",
    "The women of the party chose Lena Ost as their candidate for mayor.",
    "The party youth chose Lena Ost as its candidate for mayor.",
    "The left wing of the party chose Lena Ost as its candidate for mayor.",
  ],
  [
    "Did Corvex file for bankruptcy in 2026?",
    "Corvex's retail arm filed for bankruptcy in 2026.",
    "The retail arm of Corvex filed for bankruptcy in 2026.",
    "A subsidiary of Corvex filed for bankruptcy in May 2026.",
    "Corvex Retail filed for bankruptcy in 2026.",
    "A supplier of Corvex filed for bankruptcy in 2026.",
    "The founder of Corvex filed for bankruptcy in 2026.",
  ],
  [
    "Did the teachers' union accept the pay offer?",
    "The teachers' union board accepted the pay offer.",
    "The board of the teachers' union accepted the pay offer.",
    "Some members of the teachers' union accepted the pay offer.",
    "The teachers' union leadership accepted the pay offer.",
  ],
  [
    "Did the Senate approve the water bill?",
    "The Senate's committee approved the water bill.",
    "A committee of the Senate approved the water bill.",
    "The Senate finance panel approved the water bill.",
    "The Senate majority leader approved the water bill.",
    "The Senate staff approved the water bill.",
  ],
  [
    "Did Orland ratify the Seabed Treaty?",
    "Orland's largest province ratified the Seabed Treaty.",
    "The northern province of Orland ratified the Seabed Treaty.",
    "Orland's neighbour ratified the Seabed Treaty.",
    "A region of Orland ratified the Seabed Treaty.",
  ],
  [
    "Did Halden United win the Vale Cup in 2026?",
    "Halden United's women won the Vale Cup in 2026.",
    "Halden United's reserves won the Vale Cup in 2026.",
    "The reserve team of Halden United won the Vale Cup in 2026.",
    "Halden United juniors won the Vale Cup in 2026.",
    "Halden United's under-19 side won the Vale Cup in 2026.",
    "Halden United II won the Vale Cup in 2026.",
    "A former player of Halden United won the Vale Cup in 2026.",
  ],
  [
    "Hat die Landpartei Lena Ost als Kandidatin gewählt?",
    "Die Jugend der Landpartei hat Lena Ost als Kandidatin gewählt.",
    "Der Jugendverband der Landpartei hat Lena Ost als Kandidatin gewählt.",
    "Die Landpartei-Jugend hat Lena Ost als Kandidatin gewählt.",
    "Ein Ortsverband der Landpartei hat Lena Ost als Kandidatin gewählt.",
    "Teile der Landpartei haben Lena Ost als Kandidatin gewählt.",
  ],
  [
    "Le Parti rural a-t-il choisi Lena Ost comme candidate ?",
    "Les jeunes du Parti rural ont choisi Lena Ost comme candidate.",
    "La section locale du Parti rural a choisi Lena Ost comme candidate.",
    "Une partie du Parti rural a choisi Lena Ost comme candidate.",
    "L'aile gauche du Parti rural a choisi Lena Ost comme candidate.",
  ],
  [
    "¿Eligió el Partido Rural a Lena Ost como candidata?",
    "Las juventudes del Partido Rural eligieron a Lena Ost como candidata.",
    "La rama juvenil del Partido Rural eligió a Lena Ost como candidata.",
    "La sección local del Partido Rural eligió a Lena Ost como candidata.",
    "Una parte del Partido Rural eligió a Lena Ost como candidata.",
  ],
  [
    "Il Partito Rurale ha scelto Lena Ost come candidata?",
    "I giovani del Partito Rurale hanno scelto Lena Ost come candidata.",
    "La sezione locale del Partito Rurale ha scelto Lena Ost come candidata.",
    "Una parte del Partito Rurale ha scelto Lena Ost come candidata.",
    "L'ala giovanile del Partito Rurale ha scelto Lena Ost come candidata.",
  ],
  [
    "O Partido Rural escolheu Lena Ost como candidata?",
    "A juventude do Partido Rural escolheu Lena Ost como candidata.",
    "A secção local do Partido Rural escolheu Lena Ost como candidata.",
    "Uma parte do Partido Rural escolheu Lena Ost como candidata.",
    "A ala jovem do Partido Rural escolheu Lena Ost como candidata.",
  ],
  [
    "Did the Harbour Union call a strike in May 2026?",
    "Members of the Harbour Union called a strike in May 2026.",
    "The Harbour Union's Denby chapter called a strike in May 2026.",
    "The crane drivers of the Harbour Union called a strike in May 2026.",
    "The Harbour Union's former president called a strike in May 2026.",
    "Harbour Union retirees called a strike in May 2026.",
    "The Harbour Union (Denby) called a strike in May 2026.",
    "The Harbour Union in Denby called a strike in May 2026.",
    "The Harbour Union, Denby branch, called a strike in May 2026.",
  ],
  [
    "Did Vantor open its factory in Kelm in 2026?",
    "Vantor's supplier opened its factory in Kelm in 2026.",
    "Vantor opened part of its factory in Kelm in 2026.",
    "Vantor opened a canteen at its factory in Kelm in 2026.",
    "Vantor opened its factory shop in Kelm in 2026.",
    "Vantor opened its test factory in Kelm in 2026.",
    "Vantor opened its factory in Kelm for a day in 2026.",
    "Vantor opened its factory in Kelm to visitors in 2026.",
  ],
  [
    "Was the film Blue Salt banned by the censors of Ardin?",
    "The trailer of the film Blue Salt was banned by the censors of Ardin.",
    "The film Blue Salt was banned for children by the censors of Ardin.",
    "The film Blue Salt was banned from schools by the censors of Ardin.",
    "A scene of the film Blue Salt was banned by the censors of Ardin.",
    "The Blue Salt poster was banned by the censors of Ardin.",
    "The film Blue Salt was banned by a cinema of Ardin.",
  ],
  [
    "Did President Odell resign in 2026?",
    "President Odell's chief of staff resigned in 2026.",
    "The wife of President Odell resigned in 2026.",
    "President Odell resigned from the golf club in 2026.",
    "The deputy of President Odell resigned in 2026.",
    "President Odell resigned as honorary chair of the museum in 2026.",
  ],
  [
    "Hat der Stadtrat von Kelm den Haushalt beschlossen?",
    "Der Finanzausschuss des Stadtrats von Kelm hat den Haushalt beschlossen.",
    "Die Mehrheit im Stadtrat von Kelm hat den Haushalt beschlossen.",
    "Der Stadtrat von Kelm hat den Haushalt der Schulen beschlossen.",
    "Der Stadtrat von Kelm hat den Haushalt in erster Lesung beschlossen.",
    "Der Stadtrat von Kelm hat Teile des Haushalts beschlossen.",
    "Der Jugend-Stadtrat von Kelm hat den Haushalt beschlossen.",
  ],
  [
    "Le conseil de Belmont a-t-il adopté le budget 2026 ?",
    "La commission du conseil de Belmont a adopté le budget 2026.",
    "Le conseil de Belmont a adopté le budget 2026 des écoles.",
    "Le conseil des jeunes de Belmont a adopté le budget 2026.",
    "Le conseil de Belmont a adopté le budget 2026 en première lecture.",
    "Une partie du conseil de Belmont a adopté le budget 2026.",
  ],
  [
    "¿Aprobó el Senado la ley de aguas?",
    "Una comisión del Senado aprobó la ley de aguas.",
    "El Senado aprobó un artículo de la ley de aguas.",
    "El Senado juvenil aprobó la ley de aguas.",
    "El Senado aprobó la ley de aguas en primera lectura.",
    "El presidente del Senado aprobó la ley de aguas.",
  ],
  [
    "Il Senato ha approvato la legge sulle acque?",
    "Una commissione del Senato ha approvato la legge sulle acque.",
    "Il Senato ha approvato un articolo della legge sulle acque.",
    "Il Senato ha approvato la legge sulle acque in prima lettura.",
    "Il presidente del Senato ha approvato la legge sulle acque.",
  ],
  [
    "O Senado aprovou a lei das águas?",
    "Uma comissão do Senado aprovou a lei das águas.",
    "O Senado aprovou um artigo da lei das águas.",
    "O Senado aprovou a lei das águas em primeira leitura.",
    "O presidente do Senado aprovou a lei das águas.",
  ],
];

/** The event happens under a condition that the question does not have. */
const CONDITIONS: readonly Case[] = [
  [
    "Did Mara Voss swim the 100 metres in under 47 seconds in 2026?",
    "Mara Voss swam the 100 metres in 46.9 seconds with a flying start in 2026.",
    "Mara Voss swam the 100 metres in 46.9 seconds in training in 2026.",
    "In 2026 Mara Voss swam the 100 metres in 46.9 seconds wearing fins.",
    "Mara Voss swam the 100 metres in 46.9 seconds as part of a relay in 2026.",
    "Mara Voss swam the 100 metres in 46.9 seconds in a pool that was too short in 2026.",
    "Mara Voss swam the last 100 metres in 46.9 seconds in 2026.",
    "Mara Voss swam the 100 metres in 46.9 seconds from a flying start.",
    "Mara Voss swam the 100 metres in 46.9 seconds on a simulator in 2026.",
    "Mara Voss swam the 100 metres in 46.9 seconds without officials in 2026.",
  ],
  [
    "Did Ida Brand run the 10 km in under 30 minutes in 2026?",
    "Ida Brand ran the 10 km in 29 minutes 40 seconds with a strong tailwind in 2026.",
    "Ida Brand ran the 10 km in 29 minutes 40 seconds on a downhill course in 2026.",
    "Ida Brand ran the 10 km in 29 minutes 40 seconds on a treadmill in 2026.",
    "Ida Brand ran the 10 km in 29 minutes 40 seconds behind a pacing car in 2026.",
    "Ida Brand ran the 10 km in 29 minutes 40 seconds in a relay in 2026.",
  ],
  [
    "Did the Ostrava plant produce more than 10,000 cars in 2025?",
    "The Ostrava plant produced 12,000 cars in 2025 together with its partner.",
    "The Ostrava plant produced 12,000 cars in 2025 including those of its partner.",
    "The Ostrava plant produced 12,000 cars in 2025 counting unfinished ones.",
    "With its partner, the Ostrava plant produced 12,000 cars in 2025.",
    "The Ostrava plant produced 12,000 cars for testing in 2025.",
  ],
  [
    "Was Corvex's revenue above 2 billion euros in 2025?",
    "Corvex's revenue was 2.3 billion euros in 2025 including its joint ventures.",
    "Corvex's revenue was 2.3 billion euros in 2025 before the sale of its shops.",
    "Corvex's revenue was 2.3 billion euros in 2025 at constant exchange rates.",
    "Corvex's revenue was 2.3 billion euros in 2025 on a pro forma basis.",
    "Adjusted for currency, Corvex's revenue was 2.3 billion euros in 2025.",
  ],
  [
    "Did Mara Voss swim a world record in the 200 metres butterfly in June 2026?",
    "Mara Voss swam a world record in the 200 metres butterfly with fins in June 2026.",
    "Mara Voss swam a world record in the 200 metres butterfly for the age group of 15 to 17 in June 2026.",
    "Mara Voss swam a world record in the 200 metres butterfly in a video game in June 2026.",
    "Mara Voss swam a world record in the 200 metres butterfly for masters in June 2026.",
    "Mara Voss swam a world record in the 200 metres butterfly with a flying start in June 2026.",
    "Mara Voss swam a world record in the 200 metres butterfly in training in June 2026.",
    "Mara Voss swam a world record in the 200 metres butterfly under water in June 2026.",
  ],
  [
    "Did Arsenal win the Vale Cup in 2026?",
    "Arsenal won the Vale Cup in 2026 in a charity match.",
    "Arsenal won the Vale Cup for juniors in 2026.",
    "Arsenal won the Vale Cup for sportsmanship in 2026.",
    "In 2026 Arsenal won the Vale Cup in futsal.",
  ],
  [
    "Schwamm Mara Voss 2026 die 100 Meter in weniger als 47 Sekunden?",
    "Mara Voss schwamm 2026 die 100 Meter mit fliegendem Start in 46,9 Sekunden.",
    "Mara Voss schwamm 2026 die 100 Meter im Training in 46,9 Sekunden.",
    "Mara Voss schwamm 2026 die 100 Meter in 46,9 Sekunden mit Flossen.",
  ],
  [
    "Mara Voss a-t-elle nagé le 100 mètres en moins de 47 secondes en 2026 ?",
    "Mara Voss a nagé le 100 mètres en 46,9 secondes avec un départ lancé en 2026.",
    "Mara Voss a nagé le 100 mètres en 46,9 secondes à l'entraînement en 2026.",
    "Mara Voss a nagé le 100 mètres en 46,9 secondes avec des palmes en 2026.",
  ],
  [
    "¿Nadó Mara Voss los 100 metros en menos de 47 segundos en 2026?",
    "Mara Voss nadó los 100 metros en 46,9 segundos con salida lanzada en 2026.",
    "Mara Voss nadó los 100 metros en 46,9 segundos en un entrenamiento en 2026.",
    "Mara Voss nadó los 100 metros en 46,9 segundos con aletas en 2026.",
  ],
  [
    "Mara Voss ha nuotato i 100 metri in meno di 47 secondi nel 2026?",
    "Mara Voss ha nuotato i 100 metri in 46,9 secondi con partenza lanciata nel 2026.",
    "Mara Voss ha nuotato i 100 metri in 46,9 secondi in allenamento nel 2026.",
    "Mara Voss ha nuotato i 100 metri in 46,9 secondi con le pinne nel 2026.",
  ],
  [
    "Mara Voss nadou os 100 metros em menos de 47 segundos em 2026?",
    "Mara Voss nadou os 100 metros em 46,9 segundos com partida lançada em 2026.",
    "Mara Voss nadou os 100 metros em 46,9 segundos num treino em 2026.",
    "Mara Voss nadou os 100 metros em 46,9 segundos com barbatanas em 2026.",
  ],
  [
    "Did Pia Lund throw the javelin more than 70 metres in 2026?",
    "Pia Lund threw the javelin 71 metres with a lighter model in 2026.",
    "Pia Lund threw the javelin 71 metres with a run-up from a ramp in 2026.",
    "Pia Lund threw the junior javelin 71 metres in 2026.",
    "Pia Lund threw the javelin 71 metres in a warm-up in 2026.",
    "Pia Lund threw the javelin 71 metres, with a lighter model, in 2026.",
    "Pia Lund threw the javelin 71 metres (with a lighter model) in 2026.",
    "With a lighter model, Pia Lund threw the javelin 71 metres in 2026.",
    "Pia Lund threw the javelin 71 metres over two attempts in 2026.",
    "Using a lighter model, Pia Lund threw the javelin 71 metres in 2026.",
  ],
  [
    "Did the Kelm dam hold more than 50 million cubic metres in June 2026?",
    "The Kelm dam and its basins held 61 million cubic metres in June 2026.",
    "With its basins, the Kelm dam held 61 million cubic metres in June 2026.",
    "The Kelm dam held 61 million cubic metres of mud in June 2026.",
    "The Kelm dam held 61 million cubic metres in the model in June 2026.",
  ],
  [
    "Did the Arden Museum have more than 200,000 visitors in 2025?",
    "The Arden Museum had 240,000 visitors in 2025 on its website.",
    "The Arden Museum had 240,000 virtual visitors in 2025.",
    "The Arden Museum had 240,000 visitors in 2025 with its branches.",
    "The Arden Museum had 240,000 visitors in 2025 at its outdoor concerts.",
    "The Arden Museum had 240,000 visitors in 2025, including school classes.",
  ],
  [
    "Did Corin Mott score more than 30 goals in 2026?",
    "Corin Mott scored 34 goals in training in 2026.",
    "Corin Mott scored 34 goals for the reserves in 2026.",
    "Corin Mott scored 34 own goals in 2026.",
    "Corin Mott scored 34 goals in friendlies in 2026.",
    "Corin Mott scored 34 penalty goals in 2026.",
  ],
  [
    "Did Ines Kolb climb the Graue Wand in 2026?",
    "Ines Kolb climbed the Graue Wand with a guide rope in 2026.",
    "Ines Kolb climbed the Graue Wand by cable car in 2026.",
    "Ines Kolb climbed the Graue Wand in a simulator in 2026.",
    "Ines Kolb climbed half of the Graue Wand in 2026.",
    "Ines Kolb climbed the lower Graue Wand in 2026.",
  ],
  [
    "Did Kato win the chess match against Lindt in 2026?",
    "Kato won the chess match against Lindt on points in 2026.",
    "Kato won the blitz chess match against Lindt in 2026.",
    "Kato won the chess match against Lindt's brother in 2026.",
    "Kato won the first chess match against Lindt in 2026.",
    "Kato won the chess match against Lindt with computer help in 2026.",
  ],
  [
    "Lief Ida Brand die 10 km 2026 in weniger als 30 Minuten?",
    "Ida Brand lief die 10 km 2026 in 29 Minuten auf dem Laufband.",
    "Ida Brand lief die 10 km 2026 mit Rückenwind in 29 Minuten.",
    "Ida Brand lief die 10 km 2026 in 29 Minuten als Teil einer Staffel.",
  ],
  [
    "Ida Brand a-t-elle couru le 10 km en moins de 30 minutes en 2026 ?",
    "Ida Brand a couru le 10 km en 29 minutes sur un tapis en 2026.",
    "Ida Brand a couru le 10 km en 29 minutes avec vent favorable en 2026.",
  ],
  [
    "¿Corrió Ida Brand los 10 km en menos de 30 minutos en 2026?",
    "Ida Brand corrió los 10 km en 29 minutos en una cinta en 2026.",
    "Ida Brand corrió los 10 km en 29 minutos con viento a favor en 2026.",
  ],
  [
    "Ida Brand ha corso i 10 km in meno di 30 minuti nel 2026?",
    "Ida Brand ha corso i 10 km in 29 minuti sul tapis roulant nel 2026.",
    "Ida Brand ha corso i 10 km in 29 minuti con vento a favore nel 2026.",
  ],
  [
    "Ida Brand correu os 10 km em menos de 30 minutos em 2026?",
    "Ida Brand correu os 10 km em 29 minutos numa passadeira em 2026.",
    "Ida Brand correu os 10 km em 29 minutos com vento a favor em 2026.",
  ],
];

const PLAIN: readonly Case[] = [
  [
    "Did the Reform Party choose Lena Ost as its candidate?",
    "The Reform Party chose Lena Ost as its candidate.",
    "The Reform Party has chosen Lena Ost as its candidate on Sunday.",
  ],
  [
    "Did Corvex file for bankruptcy in 2026?",
    "Corvex filed for bankruptcy in May 2026.",
    "Corvex has filed for bankruptcy, the court said on 3 May 2026.",
  ],
  [
    "Did the Senate approve the water bill?",
    "The Senate approved the water bill on Tuesday by 41 votes to 22.",
    "The Senate has approved the water bill.",
  ],
  [
    "Did Orland ratify the Seabed Treaty?",
    "Orland ratified the Seabed Treaty.",
    "Orland's parliament ratified the Seabed Treaty.",
  ],
  [
    "Did Halden United win the Vale Cup in 2026?",
    "Halden United won the Vale Cup in May 2026.",
    "Halden United won the Vale Cup for the third time in 2026.",
  ],
  [
    "Did Mara Voss swim the 100 metres in under 47 seconds in 2026?",
    "Mara Voss swam the 100 metres in 46.9 seconds in May 2026.",
    "In May 2026 Mara Voss swam the 100 metres in 46.9 seconds.",
  ],
  [
    "Did Ida Brand run the 10 km in under 30 minutes in 2026?",
    "Ida Brand ran the 10 km in 29 minutes 40 seconds in 2026.",
    "In 2026 Ida Brand ran the 10 km in 29 minutes 40 seconds, a personal best.",
  ],
  [
    "Was Corvex's revenue above 2 billion euros in 2025?",
    "Corvex's revenue was 2.3 billion euros in 2025.",
    "Corvex's revenue rose to 2.3 billion euros in 2025.",
  ],
  [
    "Hat die Landpartei Lena Ost als Kandidatin gewählt?",
    "Die Landpartei hat Lena Ost als Kandidatin gewählt.",
    "Die Landpartei hat am Sonntag Lena Ost als Kandidatin gewählt.",
  ],
  [
    "Le Parti rural a-t-il choisi Lena Ost comme candidate ?",
    "Le Parti rural a choisi Lena Ost comme candidate.",
    "Le Parti rural a choisi lundi Lena Ost comme candidate.",
  ],
  [
    "¿Eligió el Partido Rural a Lena Ost como candidata?",
    "El Partido Rural eligió a Lena Ost como candidata.",
    "El Partido Rural ha elegido a Lena Ost como candidata.",
  ],
  [
    "Il Partito Rurale ha scelto Lena Ost come candidata?",
    "Il Partito Rurale ha scelto Lena Ost come candidata.",
    "Il Partito Rurale ha scelto domenica Lena Ost come candidata.",
  ],
  [
    "Did the Harbour Union call a strike in May 2026?",
    "The Harbour Union called a strike on 5 May 2026.",
    "On 5 May 2026 the Harbour Union called a strike.",
  ],
  [
    "Did Vantor open its factory in Kelm in 2026?",
    "Vantor opened its factory in Kelm in May 2026.",
    "Vantor has opened its factory in Kelm, the mayor said on 12 May 2026.",
  ],
  [
    "Did Pia Lund throw the javelin more than 70 metres in 2026?",
    "Pia Lund threw the javelin 71 metres in May 2026.",
    "In May 2026 Pia Lund threw the javelin 71 metres.",
  ],
  [
    "Did the Arden Museum have more than 200,000 visitors in 2025?",
    "The Arden Museum had 240,000 visitors in 2025.",
    "In 2025 the Arden Museum had 240,000 visitors, more than ever.",
  ],
  [
    "Did Corin Mott score more than 30 goals in 2026?",
    "Corin Mott scored 34 goals in 2026.",
    "Corin Mott has scored 34 goals in 2026 so far.",
  ],
  [
    "Hat der Stadtrat von Kelm den Haushalt beschlossen?",
    "Der Stadtrat von Kelm hat den Haushalt beschlossen.",
    "Der Stadtrat von Kelm hat am Montag den Haushalt beschlossen.",
  ],
  [
    "¿Aprobó el Senado la ley de aguas?",
    "El Senado aprobó la ley de aguas.",
    "El Senado ha aprobado el martes la ley de aguas por 40 votos a 20.",
  ],
  [
    "Il Senato ha approvato la legge sulle acque?",
    "Il Senato ha approvato la legge sulle acque.",
    "Il Senato ha approvato martedì la legge sulle acque con 40 voti.",
  ],
];

describe.each([
  ["a part of the subject", PARTS],
  ["another condition", CONDITIONS],
] as const)("%s decides nothing firmly", (_, cases) => {
  test.each(cases)("%s", async (question, ...sentences) => {
    for (const sentence of sentences) {
      // Pages with the same sentence are one voice.
      const alike = sentence.replace(/\.$/u, " (Photo: Archive).");
      expect([sentence, await verdictOf(question, [sentence, alike])]).not.toEqual([
        sentence,
        expect.stringMatching(/^(?:YES|NO)$/u),
      ]);
    }
  });
});

test.each(PLAIN)("%s Firmly: %s", async (question, ...sentences) => {
  expect(await verdictOf(question, sentences)).toBe("YES");
});
