import { CATEGORIES, type CampaignDetail, type Iod, SOURCE_TYPES, type Vote } from '@iodine/contracts'
import { anIod, aVote } from '@iodine/test-kit/iods'
import fc from 'fast-check'
import { iodKey } from '../src/index.js'

let made = 0
const newId = () => (++made).toString(16).padStart(24, '0')

export const campaign = (iods: Iod[], fields: Partial<CampaignDetail> = {}): CampaignDetail => ({
  id: newId(),
  name: 'Mirrors',
  description: 'About mirrors',
  created_by_id: newId(),
  created_by_username: 'ann',
  created_at: '2026-10-30T10:00:00.000Z',
  iod_count: iods.length,
  iods,
  ...fields,
})

/** Text that the API accepts, including characters that break file formats. */
const text = fc
  .oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('=', '+', "'", '"', ',', ';', '\t', '\r', '\n', '\\', ' ', 'a', '\uFEFF'),
    }),
    fc.constantFrom(
      'https://example.org/a?b=c',
      'example.org',
      '10.0.0.1',
      '::1',
      ...[32, 40, 64, 128].map(length => 'd4'.repeat(length / 2)),
    ),
  )
  .filter(each => !each.includes('\0'))

export const anyCampaign: fc.Arbitrary<CampaignDetail> = fc
  .record({
    name: text,
    description: text,
    iods: fc.uniqueArray(
      fc
        .record({
          value: text.filter(value => value.trim() !== ''),
          category: fc.constantFrom(...CATEGORIES),
          description: text,
          source_type: fc.constantFrom(...SOURCE_TYPES),
          source: fc.constantFrom(null, 'https://example.org/p,"q"', 'exports/=1.txt'),
          votes: fc.array(fc.constantFrom<Vote['vote_type']>('POSITIVE', 'NEGATIVE'), { maxLength: 3 }),
          comments: fc.array(text, { maxLength: 2 }),
        })
        .map(({ votes, comments, ...fields }) =>
          anIod({
            ...fields,
            votes: votes.map(type => aVote('bo', type)),
            comments: comments.map(content => {
              const { vote_type: _, ...said } = aVote('di', 'POSITIVE')
              return { ...said, content }
            }),
          }),
        ),
      { selector: iodKey, maxLength: 12 },
    ),
  })
  .map(({ iods, ...fields }) => campaign(iods, fields))
