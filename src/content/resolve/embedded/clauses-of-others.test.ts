import { describePages } from "../testing/describe-sides.ts";

/** Clauses about another thing or another time, beside the words of the question, and the words of newsrooms for an outcome. */
describePages([
  [
    "Will Halden Air resume flights to Corvale in 2026?",
    "2026-09-14",
    [
      ["YES", "Halden Air resumed flights to Corvale on 12 September 2026."],
      ["YES", "Halden Air's flights to Corvale resumed on Saturday."],
      ["YES?", "Halden Air resumed flights over Corvale on 12 September 2026."],
      ["YES?", "Halden Air resumed flights to Corvale on 12 September 2026, but suspended them again."],
    ],
  ],
  [
    "Will Castor Vane become the oldest person to climb Mount Tarn?",
    "2026-09-14",
    [
      ["YES", "Castor Vane became the oldest person to climb Mount Tarn on Thursday."],
      ["YES", "Castor Vane made history on Thursday as the oldest person to climb Mount Tarn."],
      ["YES?", "Castor Vane became the oldest person to climb Little Mount Tarn on Thursday."],
      ["", "Castor Vane wants to become the oldest person to climb Mount Tarn."],
    ],
  ],
  [
    "Will the Aster-5 rocket launch before 1 December 2026?",
    "2026-11-19",
    [
      ["YES", "The Aster-5 rocket launched on 18 November."],
      ["YES?", "The Aster-5 rocket launch was scrubbed on 18 November."],
    ],
  ],
  [
    "Will Lena Orlow win the Tarn Open in 2026?",
    "2026-09-14",
    [
      ["YES", "Lena Orlow beat Dara Finn in the Tarn Open final on Sunday."],
      ["YES?", "Lena Orlow beat Dara Finn in the Tarn Open mixed doubles final on Sunday."],
      ["", "Lena Orlow beat Dara Finn in the Tarn Open on Sunday."],
      ["", "Lena Orlow has won the Tarn Open eleven times."],
    ],
  ],
  [
    "Will the inquiry begin by 1 May 2026?",
    "2026-06-14",
    [
      ["YES", "The inquiry began on 12 April 2026, and Ines Marlow resigned on 3 May 2026."],
      ["NO", "Ines Marlow resigned on 12 April 2026, and the inquiry began on 3 May 2026."],
    ],
  ],
  [
    "Will at least 20 ships be detained in the port of Velmar in 2026?",
    "2027-01-04",
    [
      ["YES", "A total of 23 ships were detained in the port of Velmar in 2026."],
      ["", "A total of 23 ships faced being detained in the port of Velmar in 2026."],
    ],
  ],
  [
    "Will the River Elda at Port Lorn exceed 6 metres in October 2026?",
    "2026-10-18",
    [
      ["YES", "The River Elda at Port Lorn crested at 6.4 metres on 17 October."],
      ["", "The flood wall at the River Elda at Port Lorn is 6.4 metres high."],
    ],
  ],
  [
    "Will turnout in the regional election in Ostmark be above 70 percent?",
    "2026-10-12",
    [
      ["NO", "Turnout in the regional election in Ostmark was 64.2 percent."],
      ["", "Turnout among first-time voters in the regional election in Ostmark was 64.2 percent."],
    ],
  ],
  [
    "Will the Corvale Grand Prix be held on 6 September 2026?",
    "2026-09-04",
    [["NO", "The Corvale Grand Prix on 6 September was called off on Thursday."]],
  ],
  [
    "Will Corvane Air be fined by the competition authority in 2026?",
    "2026-10-16",
    [
      ["YES", "The competition authority fined Corvane Air 40 million euros on Wednesday."],
      ["YES", "Corvane Air was hit with a 40 million euro fine by the competition authority on Wednesday."],
      ["", "The competition authority imposed a suspended fine on Corvane Air on Wednesday."],
    ],
  ],
  [
    "Elena Sarti vincerà il Premio Lorna 2026?",
    "2026-09-07",
    [
      ["YES", "Elena Sarti ha vinto il Premio Lorna domenica."],
      ["", "Elena Sarti ha presentato chi ha vinto il Premio Lorna domenica."],
      ["", "Elena Sarti ha vinto il Premio Lorna nel 2019."],
    ],
  ],
  [
    "O Banco Lorna será comprado pelo grupo Meridiano?",
    "2026-09-04",
    [["YES", "O Banco Lorna foi comprado pelo grupo Meridiano."]],
  ],
  [
    "Will Mira Halloran win the 2026 Corvale Marathon?",
    "2026-10-12",
    [
      ["YES", "Mira Halloran won the Corvale Marathon on Sunday."],
      ["NO", "Mira Halloran was pipped by Joan Teller, who won the Corvale Marathon on Sunday."],
    ],
  ],
  [
    "Will fewer than 5,000 people attend the Lorn Book Fair in 2026?",
    "2026-10-04",
    [
      ["NO", "Some 7,400 people attended the Lorn Book Fair in 2026."],
      ["", "Some 7,400 people were invited to attend the Lorn Book Fair in 2026."],
    ],
  ],
  [
    "Le tribunal de Sarne rejettera-t-il la plainte de la société Orval ?",
    "2026-09-04",
    [
      ["YES", "Le tribunal de Sarne a rejeté la plainte de la société Orval jeudi."],
      ["YES?", "Le tribunal de Sarne a rejeté la plainte contre la société Orval jeudi."],
    ],
  ],
  [
    "¿Será Marta Olmos nombrada directora del Museo de Sarna?",
    "2026-09-10",
    [
      ["YES", "Marta Olmos fue nombrada directora del Museo de Sarna el miércoles."],
      ["", "Marta Olmos fue nombrada directora de comunicación del Museo de Sarna el miércoles."],
      ["", "Marta Olmos fue nombrada por la directora del Museo de Sarna el miércoles."],
    ],
  ],
]);
