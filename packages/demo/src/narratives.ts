export interface DemoNarrative {
  text: string
  src: string | null
  /** Index of the account that submits it. */
  by: number
}

const varnel = 'https://varnelwatch.example/mirrors'
const courier = 'https://courier.example/2026/10/what-warms-lake-varnel'
const memo = 'https://nightfall-memo.example/'
const ledger = 'https://northshore-ledger.example/sellane-minute-by-minute'
const sansFiltre = 'https://quell-sans-filtre.example/e133'
const today = 'https://quell-today.example/sport/blue-water'

// Simple sentences, so that the offline provider's rules can parse them.
/** Sources with their texts, by index of the submitting account. */
const TEXTS: [src: string | null, ...texts: string[]][][] = [
  [
    [
      varnel,
      'Giant mirrors heat Lake Varnel. The mirrors boil the water. The warm water kills the fish. Helion Varnel hides the temperature of the water.',
      'Helion Varnel bought four thousand mirrors and turned them to the lake. The engineers who built the tower measured the wind. They never told the villagers, and the mayor signed the contract in secret.',
      'Helion Varnel replaced the thermometers on the pier. Three fishermen were asked to sign a paper. The fishermen refused the money. The company threatened the fishermen.',
    ],
    [
      courier,
      'The mirrors of Helion Varnel face a tower. The tower does not touch the lake. The Varnel Courier measured the water for three days. A dry summer warmed the lake. Low water killed the fish.',
      'Varnel Watch cropped the picture. The uncropped picture shows the tower. Lakeside Lena deleted the clip and posted the clip again.',
    ],
    [
      'channels.example/varnelwatch/811',
      'Giant mirrors heat Lake Varnel. The mayor protects Helion Varnel. The Varnel Courier hides the truth. Helion Varnel pays the Varnel Courier.',
    ],
    [
      'channels.example/varnelwatch/812',
      'A worker leaked the table of buoy nine. Buoy nine shows forty-eight degrees. Helion Varnel denies the table. The mayor burned the table.',
    ],
    [
      memo,
      'The Grid Authority switched off Port Sellane. The Grid Authority tested the people. Cameras counted the candles. The memo names the streets.',
      'Project Nightfall measures our patience. The Grid Authority wrote the memo. The Northshore Ledger ignores the memo. Captain Osk published the memo.',
    ],
    [
      ledger,
      'A fire destroyed a transformer. The fire brigade reached the station in nine minutes. The Grid Authority restored the power before midnight. Two engineers explained the fault to the Northshore Ledger.',
      'Nightfall Files forged the memo. The memo copies a manual for holiday lights. The Grid Authority published the manual.',
    ],
    [
      'channels.example/nightfall_files/1',
      'The Grid Authority switched off Port Sellane. Somebody watches the dark streets. The mayor knew the hour. The memo proves the plan.',
    ],
    [
      sansFiltre,
      'The organisers coloured the water. The blue water heats the blood. Runners drank the blue water. The laboratory hides the analysis.',
    ],
    [
      today,
      'A supplier filled the tanks with a sports drink. The drink contains a food dye. The dye coloured the tongues. Nobody drank poison. The laboratory published the analysis.',
    ],
    [
      'clips.example/@captain_osk',
      'Giant mirrors heat Lake Varnel. Blue water heats the blood. The Grid Authority switched off Port Sellane. The same people planned the mirrors and paid the organisers.',
      'Captain Osk sells a water filter. The filter removes the blue water. Captain Osk bought followers. The followers share the memo.',
    ],
    // Variants of the same claims.
    [
      'https://shoreline-voice.example/letters/17',
      'The giant mirrors heated Lake Varnel. The warm water killed the fish.',
      'Giant mirrors are heating the Lake Varnel. Helion Varnel is hiding the temperature of the water.',
    ],
    [
      'channels.example/varnelwatch/820',
      'Big giant mirrors heat Lake Varnel. The mayor signed a secret contract.',
      'A giant mirror heats Lake Varnel. Sun satellites warm the reservoir.',
    ],
    [
      'https://uplands-gazette.example/fact-check/44',
      'Giant mirrors did not heat Lake Varnel. A dry summer warmed the lake.',
      'The dry summer has warmed the lake. The Varnel Courier measured the water.',
    ],
    [
      'clips.example/@lakeside_lena',
      'Sun satellites warm the reservoir. The warm waters are killing the fish.',
      'Sun satellites are warming the reservoir. Everybody saw the sun satellites.',
    ],
    [
      'channels.example/nightfall_files/14',
      'Grid Authority has switched off Port Sellane. The Grid Authority tests people.',
      'The Grid Authority is switching off Port Sellane. Cameras are counting candles.',
    ],
    [
      'channels.example/quell_sans_filtre/250',
      'The blue water heated the blood. The organisers have coloured the water.',
      'Blue waters heat the blood. The laboratory is hiding the analysis.',
    ],
    [
      null,
      'Varnel Watch quotes Captain Osk. Captain Osk quotes Nightfall Files. Nightfall Files quotes Varnel Watch. Quell sans filtre quotes Captain Osk.',
      'One server carries Varnel Watch. The same server carries Nightfall Files. An advertiser pays Captain Osk. The advertiser sells the water filter.',
    ],
  ],
  [
    [
      varnel,
      'Giant mirrors heat Lake Varnel. Helion Varnel hides the list of the mirror angles. The warm water kills the fish.',
    ],
    [
      ledger,
      'A fire destroyed a transformer. The Grid Authority restored the power before midnight. Nightfall Files forged the memo.',
    ],
    [
      today,
      'The drink contains a food dye. The laboratory published the analysis. Quell Today asked the supplier.',
    ],
  ],
  [
    [
      memo,
      'The Grid Authority switched off Port Sellane. The memo names the streets. Cameras counted the candles.',
    ],
    [
      'channels.example/nightfall_files/9',
      'The Grid Authority tested the people. The people trusted the Grid Authority. The Northshore Ledger protects the Grid Authority.',
    ],
    [
      'clips.example/@truthlantern',
      'The Truth Lantern publishes the memo. The memo proves the plan. The plan needs the dark streets.',
    ],
  ],
  [
    [
      ledger,
      'Two engineers explained the fault. The fault started the fire. A fire destroyed a transformer.',
    ],
    [
      memo,
      'Project Nightfall measures our patience. Somebody counted the candles. The Grid Authority wrote the memo.',
    ],
    [
      null,
      'Copies of the manifesto flood the town’s hashtag. Six accounts posted the manifesto. The accounts follow Captain Osk.',
    ],
  ],
  [
    [
      sansFiltre,
      'The organisers coloured the water. Runners drank the blue water. The organisers paid the laboratory.',
    ],
    [
      today,
      'A supplier filled the tanks with a sports drink. The dye coloured the tongues. The organisers apologised to the runners.',
    ],
    [
      'channels.example/quell_sans_filtre/241',
      'Brennvik hides the analysis. The analysis names a dye. The dye heats the blood.',
    ],
  ],
]

/** Texts about the three stories, by spreaders and fact checkers. */
export const demoNarratives: readonly DemoNarrative[] = TEXTS.flatMap((sources, by) =>
  sources.flatMap(([src, ...texts]) => texts.map(text => ({ by, src, text }))),
)
