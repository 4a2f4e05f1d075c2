import { describePages } from "../testing/describe-sides.ts";

/** Statements of authorities, parliaments and clubs in German, French, Spanish, Italian and Portuguese. */
describePages([
  [
    "Wird die EZB im Oktober 2026 die Leitzinsen senken?",
    "2026-10-29",
    [
      ["YES", "Die EZB senkt die Leitzinsen um 0,25 Prozentpunkte."],
      ["NO", "Die EZB lässt die Leitzinsen unverändert."],
      ["", "Die EZB dürfte die Leitzinsen im Dezember senken."],
    ],
  ],
  [
    "Wird die Inflationsrate in Deutschland im September 2026 über 2,0 Prozent liegen?",
    "2026-10-10",
    [
      [
        "YES",
        "Die Inflationsrate in Deutschland lag im September 2026 bei +2,4 %.",
        "www.destatis.de",
        "Inflationsrate im September 2026",
      ],
      ["", "Die Kerninflation in Deutschland lag im September bei 2,8 Prozent."],
    ],
  ],
  [
    "Wird der Bundestag das Rentenpaket bis zum 31. Oktober 2026 beschließen?",
    "2026-10-20",
    [
      ["YES", "Der Bundestag hat das Rentenpaket am Freitag mit 318 zu 224 Stimmen beschlossen."],
      ["YES", "Der Bundestag hat das Rentenpaket verabschiedet."],
      ["NO", "Der Bundestag hat das Rentenpaket am Freitag abgelehnt."],
      ["", "Der Bundesrat hat dem Rentenpaket zugestimmt."],
      ["", "Der Haushaltsausschuss des Bundestags hat das Rentenpaket gebilligt."],
    ],
  ],
  [
    "L'inflation en France sera-t-elle supérieure à 1 % en septembre 2026 ?",
    "2026-10-15",
    [
      [
        "YES?",
        "Sur un an, les prix à la consommation augmentent de 1,2 % en septembre 2026.",
        "www.insee.fr",
        "Indice des prix à la consommation, France",
      ],
      ["YES", "En France, l'inflation a atteint 1,2 % en septembre."],
      ["NO", "L'inflation en France a ralenti à 0,8 % en septembre."],
    ],
  ],
  [
    "Le Sénat adoptera-t-il la loi Plages avant le 31 octobre 2026 ?",
    "2026-10-20",
    [
      ["YES", "Le Sénat a adopté mardi la loi Plages par 212 voix contre 98."],
      ["YES", "La loi Plages a été adoptée par le Sénat."],
      ["NO", "Le Sénat a rejeté mardi la loi Plages."],
      ["", "L'Assemblée nationale a adopté mardi la loi Plages."],
    ],
  ],
  [
    "¿Será la inflación de España en septiembre de 2026 superior al 2,5 %?",
    "2026-10-15",
    [
      [
        "YES?",
        "La tasa de variación anual del IPC en España en septiembre se sitúa en el 2,9 %.",
        "www.ine.es",
        "Índice de Precios de Consumo, septiembre 2026",
      ],
      ["YES", "La inflación en España subió al 2,9 % en septiembre."],
      ["NO", "La inflación en España bajó al 2,1 % en septiembre."],
    ],
  ],
  [
    "¿Dimitirá la ministra Ana Ruiz antes del 31 de octubre de 2026?",
    "2026-10-20",
    [
      ["YES", "La ministra Ana Ruiz ha presentado su dimisión este lunes."],
      ["", "La oposición exige la dimisión de la ministra Ana Ruiz."],
    ],
  ],
  [
    "L'inflazione in Italia sarà superiore al 2% a settembre 2026?",
    "2026-10-15",
    [
      ["YES", "A settembre l'inflazione in Italia è salita al 2,3%."],
      ["YES", "L'inflazione in Italia si attesta al 2,3% a settembre."],
      ["NO", "L'inflazione in Italia è scesa all'1,6% a settembre."],
    ],
  ],
  [
    "O Copom vai cortar a taxa Selic em outubro de 2026?",
    "2026-10-29",
    [
      ["YES?", "O Copom decidiu por unanimidade reduzir a taxa Selic em 0,25 ponto percentual."],
      ["YES", "O Copom cortou a taxa Selic para 14,5%."],
      ["NO", "O Copom manteve a taxa Selic em 15%."],
      ["NO?", "O Copom decidiu manter a taxa Selic em 15% ao ano."],
      ["", "O Copom deve cortar a taxa Selic em dezembro."],
    ],
  ],
  [
    "Wird Emil Kranz bis zum 31. Oktober 2026 zum Ministerpräsidenten gewählt?",
    "2026-10-20",
    [
      ["YES", "Der Landtag hat Emil Kranz am Dienstag zum Ministerpräsidenten gewählt."],
      ["", "Emil Kranz soll im November zum Ministerpräsidenten gewählt werden."],
    ],
  ],
  [
    "Wird der FC Halmstedt das Pokalfinale am 18. Oktober 2026 gewinnen?",
    "2026-10-19",
    [
      ["YES", "Der FC Halmstedt hat das Pokalfinale am Sonntag mit 2:1 gewonnen."],
      ["NO", "Der FC Halmstedt hat das Pokalfinale gegen Nordau mit 1:2 verloren."],
      ["NO", "Nordau gewinnt das Pokalfinale gegen den FC Halmstedt."],
    ],
  ],
]);
