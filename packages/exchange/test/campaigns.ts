import {
  BLOB_ROLES,
  CATEGORIES,
  type CampaignDetail,
  EVIDENCE_KINDS,
  type Evidence,
  type Iod,
  QUOTE_RELATIONS,
  SOURCE_TYPES,
  type Vote,
} from '@iodine/contracts'
import { anEvidence, anIod, aVote } from '@iodine/test-kit/iods'
import fc from 'fast-check'
import { type EvidenceById, iodKey } from '../src/index.js'

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
      'https://example.org/[x] 100%/a#b#c',
      '10.0.0.1',
      '10.0.0.0/8',
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

/** Evidence as in API responses; the IOD's id must be set. */
const anyEvidence: fc.Arbitrary<Evidence> = fc
  .record({
    exact: text.filter(each => each !== ''),
    start: fc.nat(1_000_000),
    prefix: text.map(each => each.slice(0, 64)).filter(each => each.isWellFormed()),
    suffix: text.map(each => each.slice(0, 64)).filter(each => each.isWellFormed()),
    kind: fc.constantFrom(...EVIDENCE_KINDS),
    relation: fc.constantFrom(...QUOTE_RELATIONS),
    role: fc.constantFrom(...BLOB_ROLES),
    pointer: fc.constantFrom('', '/main/description', '/a~1b/0/~0'),
    url: fc.constantFrom(null, 'https://example.org/p,"q"', 'http://example.org/été'),
    captured_at: fc.constantFrom(null, '2026-11-20T10:00:00+01:00', '2026-11-20T09:00:00.123Z'),
    created_by_username: fc.constantFrom(null, 'bo'),
    isSealed: fc.boolean(),
  })
  .map(({ isSealed, ...fields }) => anEvidence({ ...fields, ...(!isSealed && { seal: null }) }))

/** A campaign with up to three different pieces of evidence for each IOD. */
export const anyCampaignWithEvidence: fc.Arbitrary<{ detail: CampaignDetail; evidence: EvidenceById }> =
  anyCampaign.chain(detail =>
    fc
      .array(fc.uniqueArray(anyEvidence, { selector: ({ exact }) => exact, maxLength: 3 }), {
        minLength: detail.iods.length,
        maxLength: detail.iods.length,
      })
      .map(lists => ({
        detail,
        evidence: new Map(
          detail.iods.flatMap((iod, n) => {
            const all = (lists[n] ?? []).map(each => ({ ...each, iod_id: iod.id }))
            return all.length > 0 ? [[iod.id, all] as const] : []
          }),
        ),
      })),
  )
