import type { NewIod } from '@iodine/contracts'
import iods from '../data/iods.json' with { type: 'json' }

export interface DemoIod extends NewIod {
  story: 'mirrors' | 'nightfall' | 'bluewater'
}

/** Indicators of the three stories. */
export const demoIods = iods as readonly DemoIod[]

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
