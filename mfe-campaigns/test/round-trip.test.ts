// @vitest-environment node
import {
  CATEGORIES,
  type CampaignDetail,
  campaignsApi,
  evidenceApi,
  foldIod,
  foldValue,
  type ImportedQuote,
  type Iod,
  type NewIod,
  SOURCE_TYPES,
} from '@iodine/contracts'
import { startTestStack, type TestStack } from '@iodine/harness'
import { createApiClient } from '@iodine/mfe-kit/host'
import { rounds, type SignedInUser } from '@iodine/test-kit'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addToCampaign } from '../src/queries/add'
import { ensureIod, importEvidence, planImport } from '../src/queries/import'

const FORMATS = ['json', 'stix', 'csv'] as const

/** Texts that the API accepts, including the special characters of the file formats. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).filter(each => !each.includes('\0')),
  fc.string({
    unit: fc.constantFrom('=', '#', '@', "'", '"', ',', ';', '\t', '\r', '\n', '\\', '{', ' ', 'a', '\uFEFF'),
  }),
  fc.constantFrom('https://example.org/a?b=c', 'example.org', '10.0.0.1', '::1', 'a'.repeat(64)),
)
const newIod: fc.Arbitrary<NewIod> = fc.record({
  value: text.filter(value => foldValue(value) !== ''),
  category: fc.constantFrom(...CATEGORIES),
  description: text,
  source_type: fc.constantFrom(...SOURCE_TYPES),
  source: fc.constantFrom(null, 'https://example.org/p,"q"', 'exports/=1.txt'),
})
const iods = fc.uniqueArray(newIod, {
  minLength: 3,
  maxLength: 30,
  selector: iod => `${iod.category} ${foldIod(iod)}`,
})

/** The content of an IOD, without its id, creation time, creator, votes and comments. */
const essence = ({ value, category, description, source_type, source }: Iod) => ({
  value,
  category,
  description,
  source_type,
  source,
})

/** A stack with a signed-in user, and the section's API client. */
const open = async () => {
  const stack = await startTestStack()
  const user = await stack.signUp()
  const api = createApiClient({ baseUrl: `${stack.url}/api/v1`, getToken: () => user.token })
  return { stack, user, api }
}
type Open = Awaited<ReturnType<typeof open>>

const createCampaign = async ({ api }: SignedInUser) =>
  (await api.call(campaignsApi.createCampaign, { body: { name: 'x' } })).id
const detailOf = ({ api }: SignedInUser, id: string): Promise<CampaignDetail> =>
  api.call(campaignsApi.getCampaign, { params: { id } })
const exportOf = async (
  { stack, user }: { stack: TestStack; user: SignedInUser },
  id: string,
  format: string,
  evidence = false,
) => {
  const headers = { authorization: `Bearer ${user.token}` }
  return (
    await fetch(`${stack.url}/api/v1/campaigns/${id}/export?format=${format}&evidence=${evidence}`, {
      headers,
    })
  ).text()
}

let from: Open
beforeAll(async () => {
  from = await open()
})
afterAll(() => from?.stack.stop())

test('exported, imported into an empty stack and exported again, a campaign holds the same IODs', async () => {
  const roundTrip = async (all: NewIod[]) => {
    const to = await open()
    try {
      for (const [index, format] of FORMATS.entries()) {
        const part = all.filter((_, n) => n % FORMATS.length === index)
        const original = await createCampaign(from.user)
        const made = part.map(iod => ({ state: 'new', place: '', iod }) as const)
        const given = await addToCampaign(from.api, original, made, entry => ensureIod(from.api, entry))
        expect(given).toMatchObject({ done: part.length })
        const file = await exportOf(from, original, format)

        const copy = await createCampaign(to.user)
        const plan = await planImport(to.api, copy, file)
        expect(plan.entries.map(({ state }) => state)).toEqual(part.map(() => 'new'))
        await addToCampaign(to.api, copy, plan.todo, entry => ensureIod(to.api, entry))
        const [before, after] = [await detailOf(from.user, original), await detailOf(to.user, copy)]
        expect(after.iods.map(essence)).toEqual(before.iods.map(essence))

        // Both files contain the same IODs, and importing one into the other's campaign adds none.
        const again = await planImport(from.api, original, await exportOf(to, copy, format))
        const repeated = await planImport(to.api, copy, file)
        expect(again.entries.map(entry => 'iod' in entry && entry.iod)).toEqual(
          plan.todo.map(({ iod }) => iod),
        )
        for (const { entries, todo } of [again, repeated]) {
          expect(entries.map(({ state }) => state)).toEqual(part.map(() => 'member'))
          expect(todo).toEqual([])
        }
      }
    } finally {
      await to.stack.stop()
    }
  }
  await fc.assert(fc.asyncProperty(iods, roundTrip), { numRuns: rounds(1), endOnFailure: true })
}, 3_600_000)

test('evidence goes along where it is asked for, as not verified, once', async () => {
  const to = await open()
  try {
    for (const format of ['json', 'stix'] as const) {
      const value = `Mirrors "heat" the <lake> 🛰 ${format}`
      const iod = { value, category: 'SENTENCE', description: '', source_type: 'MANUAL' } as const
      const { id } = await from.api.call('POST /iods', { body: iod })
      const exact = `So they say: ${value}`
      const quotes: ImportedQuote[] = [
        {
          role: 'text',
          pointer: '',
          start: 7,
          end: 7 + exact.length,
          exact,
          prefix: '\n',
          suffix: '.',
          url: 'https://example.org/p?"q"',
          captured_at: '2026-11-20T10:00:00+01:00',
        },
        {
          role: 'record',
          pointer: '/main/description',
          start: 0,
          end: value.length,
          exact: value,
          prefix: '',
          suffix: '',
          url: null,
          captured_at: null,
        },
      ]
      await from.api.call('POST /iods/:id/evidence/import', { params: { id }, body: { quotes } })
      const original = await createCampaign(from.user)
      await addToCampaign(from.api, original, [id], each => each)
      expect(await exportOf(from, original, format)).not.toContain('So they say')
      const file = await exportOf(from, original, format, true)

      const copy = await createCampaign(to.user)
      const plan = await planImport(to.api, copy, file)
      expect(plan.quoted.map(({ evidence }) => evidence)).toEqual([{ quotes, refused: 0 }])
      const [made] = plan.todo
      const iodId = await ensureIod(to.api, made ?? expect.unreachable())
      await addToCampaign(to.api, copy, [iodId], each => each)
      const take = () => importEvidence(to.api, plan.quoted, () => iodId)
      expect(await take()).toEqual({ added: 2, known: 0, left_out: 0 })
      expect(await take()).toEqual({ added: 0, known: 2, left_out: 0 })
      const listed = await to.user.api.call(evidenceApi.listEvidence, { params: { id: iodId } })
      expect(listed).toMatchObject(quotes.map(quote => ({ ...quote, kind: 'imported', seal: null })))
      // Both files hold the same quotes.
      const again = await planImport(from.api, original, await exportOf(to, copy, format, true))
      expect(again.quoted.map(({ state, evidence }) => [state, evidence])).toEqual([
        ['member', { quotes, refused: 0 }],
      ])
    }
  } finally {
    await to.stack.stop()
  }
}, 240_000)
