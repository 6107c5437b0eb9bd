import {
  type BodyOf,
  type Client,
  campaignCommentsApi,
  campaignsApi,
  type Iod,
  iodCommentsApi,
} from '@iodine/contracts'

/** A comment of the demo. The key makes a repeated fill return the existing one. */
interface DemoComment {
  key: string
  /** Index of the author's account. */
  by: number
  content: string
  /** Whether it replies to the first comment of its list. */
  replies?: true
}

const keyOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const ON_IOD: readonly DemoComment[] = [
  {
    key: keyOf(1),
    by: 2,
    content:
      'The same sentence stands under the clip of the evening before. @mirror_desk, do you have its time?',
  },
  {
    key: keyOf(2),
    by: 0,
    content: '21:14, on the channel. The page copied it two hours later.',
    replies: true,
  },
  { key: keyOf(3), by: 4, content: 'The local paper measured the water: https://paper.example/lake-varnel' },
]
const ON_CAMPAIGN: readonly DemoComment[] = [
  { key: keyOf(4), by: 3, content: 'Who adds the French clips? I can take the first ten.' },
  { key: keyOf(5), by: 0, content: 'Please do, @grid_notes.', replies: true },
]

/** Discusses the first campaign and one of its IODs. Idempotent. */
export const discuss = async (people: readonly Client['call'][], iods: readonly Iod[]): Promise<void> => {
  const [first] = people as [Client['call']]
  const iod = iods.find(({ category }) => category === 'SENTENCE')
  const campaign = (await first(campaignsApi.listMyCampaigns)).at(-1)
  type Send = (
    call: Client['call'],
    body: BodyOf<typeof iodCommentsApi.createComment>,
  ) => Promise<{ id: string }>
  const write = async (comments: readonly DemoComment[], send: Send) => {
    let first: string | undefined
    for (const { key, by, content, replies } of comments) {
      const reply_to = replies ? first : null
      const { id } = await send(people[by] as Client['call'], { key, content, reply_to })
      first ??= id
    }
  }
  if (iod)
    await write(ON_IOD, (call, body) => call(iodCommentsApi.createComment, { params: { id: iod.id }, body }))
  if (campaign)
    await write(ON_CAMPAIGN, (call, body) =>
      call(campaignCommentsApi.createComment, { params: { id: campaign.id }, body }),
    )
}
