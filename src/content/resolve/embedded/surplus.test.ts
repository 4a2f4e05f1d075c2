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
