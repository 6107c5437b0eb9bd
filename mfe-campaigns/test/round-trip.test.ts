// @vitest-environment node
/** @module-tag long */
import {
  CATEGORIES,
  type CampaignDetail,
  campaignsApi,
  evidenceApi,
  foldIod,
  foldValue,
  type ImportedQuote,
  type ImportFormat,
  type ImportState,
  type Iod,
  importsApi,
  type NewIod,
  SOURCE_TYPES,
} from '@iodine/contracts'
import { formatOf } from '@iodine/exchange'
import { startTestApp, type TestApp } from '@iodine/harness'
import { createApiClient } from '@iodine/mfe-kit/host'
import { propertyRuns, type SignedInUser } from '@iodine/test-kit'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { addIods } from '../src/queries/add'

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

/** Returns the content of an IOD, without its id, creation time, creator, votes and comments. */
const contentOf = ({ value, category, description, source_type, source }: Iod) => ({
  value,
  category,
  description,
  source_type,
  source,
})

/** Starts an app with a signed-in user, and the section's API client. */
const open = async () => {
  const app = await startTestApp()
  const user = await app.signUp()
  const api = createApiClient({ baseUrl: `${app.url}/api/v1`, getToken: () => user.token })
  return { app, user, api }
}
type Open = Awaited<ReturnType<typeof open>>

const createCampaign = async ({ api }: SignedInUser) =>
  (await api.call(campaignsApi.createCampaign, { body: { name: 'x' } })).id
const detailOf = ({ api }: SignedInUser, id: string): Promise<CampaignDetail> =>
  api.call(campaignsApi.getCampaign, { params: { id } })
const exportOf = async (
  { app, user }: { app: TestApp; user: SignedInUser },
  id: string,
  format: string,
  evidence = false,
) => {
  const headers = { authorization: `Bearer ${user.token}` }
  return (
    await fetch(`${app.url}/api/v1/campaigns/${id}/export?format=${format}&evidence=${evidence}`, {
      headers,
    })
  ).text()
}

/** Runs a test on two new apps, so that values of earlier runs exist in neither. */
const withTwoApps = async (work: (from: Open, to: Open) => Promise<void>) => {
  const from = await open()
  try {
    const to = await open()
    await work(from, to).finally(() => to.app.stop())
  } finally {
    await from.app.stop()
  }
}

/** Imports a file like the dialog. Resolves to its plan and to the completed import. */
const importFile = async ({ user }: Open, campaign_id: string, format: ImportFormat, file: string) => {
  const body = new TextEncoder().encode(file)
  const { id } = await user.api.call(importsApi.createImport, { query: { campaign_id, format }, body })
  const become = (state: ImportState) =>
    vi.waitFor(
      async () => {
        const now = await user.api.call(importsApi.getImport, { params: { id } })
        expect(now).toMatchObject({ state, problem: null })
        return now
      },
      { timeout: 60_000, interval: 50 },
    )
  const plan = await become('planned')
  await user.api.call(importsApi.applyImport, { params: { id }, body: {} })
  return { plan, done: await become('done') }
}

test('exports a campaign, imports it into an empty app and exports it again with the same IODs', async () => {
  const roundTrip = (all: NewIod[]) =>
    withTwoApps(async (from, to) => {
      for (const [index, format] of FORMATS.entries()) {
        const part = all.filter((_, n) => n % FORMATS.length === index)
        const original = await createCampaign(from.user)
        const ids: string[] = []
        for (const body of part) ids.push((await from.api.call('POST /iods', { body })).id)
        expect(await addIods(from.api, original, ids, () => {})).toMatchObject({ done: part.length })
        const file = await exportOf(from, original, format)
        expect(formatOf(file)).toBe(format)

        const copy = await createCampaign(to.user)
        const { plan, done } = await importFile(to, copy, format, file)
        expect(plan).toMatchObject({ iods: part.length, known_iods: 0, member_iods: 0, refused: 0 })
        // An export of Iodine needs no imported objects: its IODs contain everything.
        expect(done.format).toBe(format === 'csv' ? 'csv' : 'json')
        const [before, after] = [await detailOf(from.user, original), await detailOf(to.user, copy)]
        expect(after.iods.map(contentOf)).toEqual(before.iods.map(contentOf))

        // Both files contain the same IODs, and importing one into the other's campaign adds none.
        const members = { iods: part.length, known_iods: part.length, member_iods: part.length, refused: 0 }
        const again = await importFile(from, original, format, await exportOf(to, copy, format))
        const repeated = await importFile(to, copy, format, file)
        for (const { plan } of [again, repeated]) expect(plan).toMatchObject(members)
        expect((await detailOf(from.user, original)).iods.map(contentOf)).toEqual(before.iods.map(contentOf))
        expect((await detailOf(to.user, copy)).iods.map(contentOf)).toEqual(before.iods.map(contentOf))
      }
    })
  // A run with 16 IODs, which cover nearly all special cases of the formats.
  await fc.assert(fc.asyncProperty(iods, roundTrip), { ...propertyRuns(1, 384), endOnFailure: true })
}, 3_600_000)

test('exports evidence on request, and imports it once as not verified', {
  timeout: 240_000,
}, async () => {
  await withTwoApps(async (from, to) => {
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
      await addIods(from.api, original, [id], () => {})
      expect(await exportOf(from, original, format)).not.toContain('So they say')
      const file = await exportOf(from, original, format, true)

      const copy = await createCampaign(to.user)
      const { plan, done } = await importFile(to, copy, format, file)
      expect(plan).toMatchObject({ iods: 1, quotes: 2, refused_quotes: 0 })
      expect(done.evidence).toEqual({ added: 2, known: 0, left_out: 0 })
      const again = await importFile(to, copy, format, file)
      expect(again.done.evidence).toEqual({ added: 0, known: 2, left_out: 0 })
      const [made] = (await detailOf(to.user, copy)).iods
      const listed = await to.user.api.call(evidenceApi.listEvidence, { params: { id: made?.id ?? '' } })
      expect(listed).toMatchObject(quotes.map(quote => ({ ...quote, kind: 'imported', seal: null })))
      // Both files contain the same quotes.
      const back = await importFile(from, original, format, await exportOf(to, copy, format, true))
      expect(back.plan).toMatchObject({ member_iods: 1, quotes: 2, refused_quotes: 0 })
      expect(back.done.evidence).toEqual({ added: 0, known: 2, left_out: 0 })
    }
  })
})

test('exports comments, and imports them once with their authors’ names', { timeout: 240_000 }, async () => {
  await withTwoApps(async (from, to) => {
    for (const format of ['json', 'stix'] as const) {
      const value = `Mirrors heat the lake ${format}`
      const iod = { value, category: 'SENTENCE', description: '', source_type: 'MANUAL' } as const
      const { id } = await from.api.call('POST /iods', { body: iod })
      for (const content of ['Seen <b>before</b> 🛰', 'Where?'])
        await from.api.call('POST /iods/:id/comments', { params: { id }, body: { content } })
      const original = await createCampaign(from.user)
      await addIods(from.api, original, [id], () => {})
      const [before] = (await detailOf(from.user, original)).iods
      const file = await exportOf(from, original, format)

      const copy = await createCampaign(to.user)
      const { plan, done } = await importFile(to, copy, format, file)
      expect(plan).toMatchObject({ iods: 1, comments: 2, refused_comments: 0 })
      expect(done.discussion).toEqual({ added: 2, known: 0, left_out: 0 })
      const again = await importFile(to, copy, format, file)
      expect(again.done.discussion).toEqual({ added: 0, known: 2, left_out: 0 })
      const [made] = (await detailOf(to.user, copy)).iods
      expect(made?.comments).toEqual(before?.comments.map(comment => ({ ...comment, user_id: null })))
      // The comments come back to their origin as known ones.
      const back = await importFile(from, original, format, await exportOf(to, copy, format))
      expect(back.done.discussion).toEqual({ added: 0, known: 2, left_out: 0 })
    }
  })
})
