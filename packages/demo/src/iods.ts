import type { Category, NewIod, SourceType } from '@iodine/contracts'

type Story = 'mirrors' | 'nightfall' | 'bluewater'
export interface DemoIod extends NewIod {
  story: Story
}

const SITES: Record<Story, Partial<Record<SourceType, string>>> = {
  mirrors: {
    BLOG: 'https://varnelwatch.example/mirrors',
    TELEGRAM: 'https://channels.example/varnelwatch/811',
    TIKTOK: 'https://clips.example/@lakeside.lena/7423000000000000101',
  },
  nightfall: {
    BLOG: 'https://nightfall-memo.example/',
    TELEGRAM: 'https://channels.example/nightfall_files/1',
    TIKTOK: 'https://clips.example/@captain_osk/7431000000000000201',
  },
  bluewater: {
    BLOG: 'https://quell-sans-filtre.example/e133',
    TELEGRAM: 'https://channels.example/quell_sans_filtre/240',
    TIKTOK: 'https://clips.example/@mira.tolland/7437000000000000301',
  },
}

type Line = [Category, value: string, description: string, SourceType]

const LINES: Record<Story, Line[]> = {
  mirrors: [
    [
      'SENTENCE',
      'Giant mirrors heat the lake',
      'The claim that all other posts of this story repeat',
      'TIKTOK',
    ],
    [
      'SENTENCE',
      'The water at buoy nine has been warm since the mirrors turned',
      'Measured by nobody',
      'TIKTOK',
    ],
    ['SENTENCE', 'All 4,100 mirrors are turned to the water', 'They point at a tower', 'TELEGRAM'],
    ['SENTENCE', 'Three fishermen were asked to sign a paper', 'No name, no paper, no date', 'TIKTOK'],
    [
      'USERNAME',
      'lakeside.lena',
      'Posted the mirrors the morning after the page; 48,000 followers',
      'TIKTOK',
    ],
    [
      'USERNAME',
      'varnelwatch',
      'Channel of the site; its pictures were collected minutes after the page appeared',
      'TELEGRAM',
    ],
    ['USERNAME', 'sawt.albuhayra', 'Spreads the story in Arabic', 'TIKTOK'],
    ['FULL_NAME', 'Henrik Salvatierra-Noll', 'Wrote the check of the Courier; now a target', 'BLOG'],
    ['COMPANY', 'Helion Varnel', 'Runs the solar tower; accused in every post', 'BLOG'],
    ['DOMAIN', 'varnelwatch.example', 'Registered a week before the first post', 'BLOG'],
    ['URL', 'https://varnelwatch.example/mirrors', 'The page that the posts link to', 'BLOG'],
    [
      'URL',
      'https://courier.example/2026/10/what-warms-lake-varnel',
      'The answer of the local paper',
      'BLOG',
    ],
    [
      'TITLE',
      'GIANT MIRRORS HEAT THE LAKE: the proof',
      'The page with the earliest date of the story',
      'BLOG',
    ],
    ['TITLE', 'What warms Lake Varnel? Not the mirrors', 'Three days of measurements', 'BLOG'],
    ['HASHTAGS', '#LakeVarnel', 'Used before the story, flooded by it since', 'TIKTOK'],
    ['HASHTAGS', '#mirrors', 'Joins the lake to the blue water', 'TIKTOK'],
    ['KEYWORDS', 'buoy nine', 'The detail by which copies are found', 'TIKTOK'],
    ['KEYWORDS', 'mirror angles', 'Asked for in forty of fifty lines of a thread', 'TIKTOK'],
    [
      'HASH',
      '7b0f3a0fd7a95a3c4a0c4f5f0f1f0d6a3ad34b1d2a9f7f0f8c7f6e5d4c3b2a19',
      'The picture of the turned mirrors, cropped',
      'TELEGRAM',
    ],
    ['IP_ADDRESS', '192.0.2.44', 'Serves varnelwatch.example and two of its copies', 'MANUAL'],
  ],
  nightfall: [
    [
      'SENTENCE',
      'The grid did not fail in Port Sellane. It was switched off',
      'Opens every long post',
      'TIKTOK',
    ],
    [
      'SENTENCE',
      'Somebody watches how long we sit in the dark',
      'The motive that the story offers',
      'TIKTOK',
    ],
    [
      'SENTENCE',
      'The Grid Authority switched Port Sellane off on purpose',
      'First claim of the channel',
      'TELEGRAM',
    ],
    ['SENTENCE', 'The memo is real', 'Nobody has seen more than its first page', 'TIKTOK'],
    ['USERNAME', 'captain_osk', 'Tells all three stories to 1.2 million followers', 'TIKTOK'],
    ['USERNAME', 'nightfall_files', 'Began on the evening of the power cut', 'TELEGRAM'],
    ['USERNAME', 'truthlantern', 'Posts the memo every night at the same minute', 'TIKTOK'],
    ['FULL_NAME', 'Agathe Brunswijk', 'Reported minute by minute', 'BLOG'],
    ['COMPANY', 'Grid Authority', 'Said to have ordered the test', 'TELEGRAM'],
    ['COMPANY', 'Nightfall Files', 'Names itself a publisher, has no address', 'BLOG'],
    ['DOMAIN', 'nightfall-memo.example', 'Holds the memo and a trap', 'BLOG'],
    ['DOMAIN', 'longreads.example', 'Republishes the manifesto', 'BLOG'],
    ['URL', 'https://nightfall-memo.example/', 'Where all copies of the memo lead to', 'BLOG'],
    [
      'URL',
      'https://northshore-ledger.example/sellane-minute-by-minute',
      'What happened, by the minute',
      'BLOG',
    ],
    [
      'TITLE',
      'How long do we sit in the dark?',
      'A manifesto of fifty paragraphs that say one thing',
      'BLOG',
    ],
    [
      'TITLE',
      'Port Sellane: a transformer fire, minute by minute',
      'The answer of the regional paper',
      'BLOG',
    ],
    ['HASHTAGS', '#nightfall', 'Made for this story', 'TIKTOK'],
    ['HASHTAGS', '#PortSellane', 'The town’s own, taken over', 'TIKTOK'],
    ['KEYWORDS', 'Project Nightfall', 'The name of the memo', 'TIKTOK'],
    ['KEYWORDS', 'street by street', 'A phrase that only copies of the manifesto use', 'TIKTOK'],
    [
      'HASH',
      'c1d0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0',
      'The memo as a document; all copies are alike',
      'TELEGRAM',
    ],
    ['IP_ADDRESS', '198.51.100.17', 'Serves nightfall-memo.example', 'MANUAL'],
    ['IP_ADDRESS', '2001:db8::9f31', 'Serves it as well', 'MANUAL'],
  ],
  bluewater: [
    ['SENTENCE', 'My tongue is BLUE after the Quell marathon', 'True, and where the story starts', 'TIKTOK'],
    ['SENTENCE', 'Blue water heats the blood', 'Ties it to the mirrors', 'TIKTOK'],
    ['SENTENCE', "L'eau bleue n'était pas une erreur", 'The claim in French', 'BLOG'],
    ['SENTENCE', 'Same people. Same plan.', 'Ends the posts that join the three stories', 'TIKTOK'],
    ['USERNAME', 'mira.tolland', 'A runner; her clip is used without her', 'TIKTOK'],
    ['USERNAME', 'quell_sans_filtre', 'Asks for analyses that are public', 'TELEGRAM'],
    ['USERNAME', 'la_veille_de_quell', 'Quotes the channel, is quoted by it', 'TIKTOK'],
    ['FULL_NAME', 'Odile Ferrandier-Moss', 'Writes for channel and blog', 'TELEGRAM'],
    ['FULL_NAME', 'Tomasz Okafor-Lindh', 'Asked the supplier', 'BLOG'],
    ['COMPANY', 'Brennvik', 'The laboratory whose result is quoted by halves', 'TELEGRAM'],
    ['COMPANY', 'Quell Today Media', 'Publisher of the local news', 'BLOG'],
    ['DOMAIN', 'quell-sans-filtre.example', 'Blog of the channel', 'BLOG'],
    ['DOMAIN', 'quell-today.example', 'Local news', 'BLOG'],
    ['URL', 'https://quell-sans-filtre.example/e133', 'Most linked page of the story', 'BLOG'],
    ['URL', 'https://quell-today.example/sport/blue-water', 'What was in the tanks', 'BLOG'],
    ['TITLE', 'E133 : ce que personne ne dit', 'Everybody says it: a food dye', 'BLOG'],
    ['TITLE', 'Blue water at the Quell marathon: E133, a food dye, by mistake', 'The answer', 'BLOG'],
    ['HASHTAGS', '#bluewater', 'Next to #mirrors where both stories are joined', 'TIKTOK'],
    ['HASHTAGS', '#eaubleue', 'Its French twin', 'TIKTOK'],
    ['KEYWORDS', 'E133', 'Brilliant blue, a permitted dye, told as a secret', 'TELEGRAM'],
    ['KEYWORDS', 'kilometre 30', 'Where the tanks stood', 'BLOG'],
    [
      'HASH',
      '0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7',
      'Picture of a flask, older than the marathon',
      'TELEGRAM',
    ],
    ['IP_ADDRESS', '203.0.113.80', 'Serves the blog and the page of captain_osk', 'MANUAL'],
  ],
}

/** Indicators of the three stories. */
export const demoIods: readonly DemoIod[] = (Object.keys(LINES) as Story[]).flatMap(story =>
  LINES[story].map(([category, value, description, source_type]) => ({
    story,
    category,
    value,
    description,
    source_type,
    source: SITES[story][source_type] ?? null,
  })),
)

export interface DemoCampaign {
  name: string
  description: string
  /** Index of the creating account. */
  by: number
  includes: (iod: DemoIod) => boolean
  /** Ids of DISARM's techniques. */
  techniques: readonly string[]
}

const JOINED =
  /captain_osk|Same people|heats the blood|#mirrors|#bluewater|203\.0\.113|192\.0\.2|^Project Nightfall$/

export const demoCampaigns: readonly DemoCampaign[] = [
  {
    name: 'Giant mirrors over Lake Varnel',
    description:
      'A solar tower is said to boil a lake. From a page and a channel of one evening to clips in three languages within three days; the local paper measured and answered.',
    by: 0,
    includes: ({ story }) => story === 'mirrors',
    techniques: ['T0023.001', 'T0084.001', 'T0098'],
  },
  {
    name: 'Project Nightfall',
    description:
      'A transformer fire told as a test of obedience. Built on a memo of which nobody has seen page two.',
    by: 2,
    includes: ({ story }) => story === 'nightfall',
    techniques: ['T0022', 'T0068'],
  },
  {
    name: 'Blue water at the Quell marathon',
    description:
      'A food dye in the tanks of kilometre 30. In English and in French, by people who know the analysis.',
    by: 4,
    includes: ({ story, category }) => story === 'bluewater' && category !== 'IP_ADDRESS',
    techniques: ['T0101', 'T0023.001'],
  },
  {
    name: 'Same people, same plan',
    description:
      'What the three stories share: accounts, addresses and sentences that lead from one to the next.',
    by: 0,
    includes: ({ value }) => JOINED.test(value),
    techniques: ['T0119'],
  },
]
