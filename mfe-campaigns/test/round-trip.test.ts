// @vitest-environment node
import {
  CATEGORIES,
  type CampaignDetail,
  campaignsApi,
  foldIod,
  foldValue,
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
import { ensureIod, planImport } from '../src/queries/import'

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
) => {
  const headers = { authorization: `Bearer ${user.token}` }
  return (await fetch(`${stack.url}/api/v1/campaigns/${id}/export?format=${format}`, { headers })).text()
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
