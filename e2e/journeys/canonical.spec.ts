import { canonicalApi, type Extraction, narrativesApi, profileApi } from '@iodine/contracts'
import type { AiProvider } from '@iodine/test-kit'
import { expect, type Person, test } from '../support/fixtures.js'

type Triplet = Extraction['triplets'][number]
const said = (subject: string, verb: string, object: string): Triplet => ({ subject, verb, object })

/** Five claims, each in six wordings; the last two are the same claim to a reader, but share no word. */
const CLAIMS: Triplet[][] = [
  [
    said('Giant mirrors', 'heat', 'Lake Varnel'),
    said('giant mirrors', 'heated', 'the Lake Varnel'),
    said('The giant mirrors', 'are heating', 'Lake Varnel'),
    said('A giant mirror', 'heats', 'lake Varnel'),
    said('Lake Varnel', 'is heated by', 'giant mirrors'),
    said('these giant mirrors', 'have heated', 'Lake Varnel'),
  ],
  [
    said('The Grid Authority', 'switched off', 'Port Sellane'),
    said('Grid Authority', 'switches off', 'Port Sellane'),
    said('the Grid Authority', 'has switched off', 'Port Sellane'),
    said('The grid authority', 'is switching off', 'Port Sellane'),
    said('Grid Authority', 'switched off', 'port Sellane'),
    said('Port Sellane', 'was switched off by', 'the Grid Authority'),
  ],
  [
    said('Blue water', 'heats', 'the blood'),
    said('The blue water', 'heated', 'the blood'),
    said('blue water', 'is heating', 'blood'),
    said('Blue waters', 'heat', 'the blood'),
    said('the blue water', 'heats', 'blood'),
    said('Blue water', 'has heated', 'the blood'),
  ],
  [
    said('The mayor', 'signed', 'a contract'),
    said('the mayor', 'has signed', 'the contract'),
    said('The mayor', 'signs', 'the contract'),
    said('a mayor', 'signed', 'the contract'),
    said('The mayor', 'is signing', 'contracts'),
    said('mayor', 'signed', 'a contract'),
  ],
  [
    said('Sun satellites', 'warm', 'the reservoir'),
    said('sun satellites', 'warmed', 'the reservoir'),
    said('The sun satellites', 'are warming', 'the reservoir'),
    said('Sun satellites', 'have warmed', 'reservoir'),
    said('the sun satellites', 'warm', 'the reservoir'),
    said('A sun satellite', 'warms', 'the reservoir'),
  ],
]
const SOURCES = ['https://varnelwatch.example/a', 'https://memo.example/b', 'channels.example/nightfall/9']
const PATH = '/dashboard/narratives/canonical'

const tell = async ({ api }: Person, ai: AiProvider, triplet: Triplet, n: number): Promise<void> => {
  ai.next({ triplets: [triplet] })
  const text = `It was a warm night, people say. ${triplet.subject} ${triplet.verb} ${triplet.object}. Nobody asks why. ${n}.`
  await api.call(narrativesApi.createNarrative, { body: { text, src: SOURCES[n % SOURCES.length] } })
}
const gathered = async ({ api }: Person): Promise<void> => {
  const pending = async () => (await api.call(canonicalApi.getCanonicalState)).pending
  await expect.poll(pending, { timeout: 60_000 }).toBe(false)
}

test('thirty texts become a handful of narratives, which people merge, split and undo', {
  tag: '@long',
}, async ({ page, person, openAs, ai }) => {
  test.setTimeout(240_000)
  const ana = await person('ana')
  await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-canonical' } })
  for (const [n, triplet] of CLAIMS.flat().entries()) await tell(ana, ai, triplet, n)
  await gathered(ana)

  const list = page.getByRole('list', { name: 'Canonical narratives' })
  const rows = list.getByRole('listitem')
  const title = page.getByRole('heading', { level: 1 })
  const spellings = (part: string) => page.getByRole('region', { name: part, exact: true })
  const toast = (text: string) => page.getByText(text, { exact: true }).first()

  await test.step('the list has the claims by reach', async () => {
    await openAs(ana, '/dashboard/narratives')
    await page.getByRole('tab', { name: 'Canonical narratives' }).click()
    await expect(page.getByText('5 narratives')).toBeVisible()
    await expect(rows).toHaveCount(5)
    await expect(rows.first()).toContainText('6 sentences of 3 sources')
    await page.getByPlaceholder('Search spellings...').fill('varnel')
    await expect(rows).toHaveCount(1)
  })

  await test.step('one is opened on its sentences, which stand in their texts', async () => {
    await list.getByRole('link', { name: /giant mirrors/i }).click()
    await expect(title).toHaveText(/giant mirrors · heat.* · .*Lake Varnel/i)
    await expect(page.getByText(/Said by 6 sentences of 3 sources/)).toBeVisible()
    const sentences = page.getByRole('list', { name: 'Sentences', exact: true })
    await expect(sentences.getByText('Nobody asks why.')).toHaveCount(6)
    await expect(
      sentences.locator('mark', { hasText: 'Lake Varnel is heated by giant mirrors.' }),
    ).toBeVisible()
    await page.getByRole('button', { name: /memo\.example/ }).click()
    await expect(sentences.locator('mark')).toHaveCount(2)
    await sentences.getByRole('link', { name: 'Read in its text' }).first().click()
    await expect(page.getByRole('article')).toBeVisible()
    await expect(page.locator('mark')).toContainText(/mirror/i)
    await page.goBack()
  })

  await test.step('two are merged', async () => {
    await page.getByRole('button', { name: 'Merge…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByPlaceholder('Search narratives...').fill('satellite')
    await expect(dialog.getByRole('radio')).toHaveCount(1)
    await dialog
      .locator('label')
      .filter({ hasText: /sun satellites/i })
      .click()
    await expect(dialog.getByText(/count as the same/)).toHaveCount(3)
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
    await expect(toast('Narratives merged')).toBeVisible()
    await expect(page.getByText(/Said by 12 sentences of 3 sources/)).toBeVisible()
    await expect(spellings('Subject')).toContainText('Sun satellites')
  })

  await test.step('one is split', async () => {
    await page.goto(`${PATH}?q=contract`)
    await list.getByRole('link').first().click()
    await page.getByRole('button', { name: 'Split the object' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .locator('label')
      .filter({ hasText: /^contracts/ })
      .click()
    await expect(dialog.getByLabel(/^contracts/)).toBeChecked()
    await dialog.getByRole('button', { name: 'Split off' }).click()
    await expect(toast('Members split off')).toBeVisible()
    await expect(page.getByText(/Said by 5 sentences/)).toBeVisible()
    await expect(spellings('Object')).not.toContainText('contracts')
  })

  await test.step('what contradicts a decision is refused with its name', async () => {
    await page.goto(`${PATH}?q=satellites`)
    await list.getByRole('link').first().click()
    await page.getByRole('button', { name: 'Split the verb' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .locator('label')
      .filter({ hasText: /^warm\b/ })
      .click()
    await expect(dialog.getByLabel(/^warm\b/)).toBeChecked()
    await dialog.getByRole('button', { name: 'Split off' }).click()
    await expect(dialog.getByRole('alert')).toContainText(/This contradicts what you decided: .*warm/)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('a new text arrives, and both decisions stand', async () => {
    await tell(ana, ai, said('the sun satellites', 'heat', 'the Lake Varnel'), 31)
    await tell(ana, ai, said('The mayor', 'signed', 'contracts'), 32)
    await gathered(ana)
    await page.goto(PATH)
    await expect(rows).toHaveCount(5)
    await expect(rows.first()).toContainText('13 sentences')
    await expect(list.getByRole('link', { name: /mayor/i })).toHaveCount(2)
  })

  await test.step('the graph shows the canonical form', async () => {
    await list.getByRole('link').first().click()
    await page.getByRole('button', { name: 'Show in graph' }).click()
    await expect(page).toHaveURL(/graph\?canonical=true&node=entity/)
    await expect(page.getByRole('region', { name: 'Node details' })).toContainText('13')
    await expect(page.getByText('9 entities')).toBeVisible()
    const entities = page.getByRole('list', { name: 'Counts' }).getByText(/entities/)
    const canonical = Number.parseInt((await entities.textContent()) ?? '', 10)
    await page.getByText('Canonical form').click()
    await expect(page).not.toHaveURL(/canonical/)
    await expect
      .poll(async () => Number.parseInt((await entities.textContent()) ?? '', 10))
      .toBeGreaterThan(canonical)
  })

  await test.step('undo takes a decision back', async () => {
    await page.goto(PATH)
    await page.getByRole('button', { name: 'History' }).click()
    const decisions = page.getByRole('list', { name: 'Decisions' })
    await expect(decisions.getByRole('button', { name: 'Undo' })).toHaveCount(2)
    await decisions.getByRole('button', { name: 'Undo' }).last().click()
    await expect(decisions.getByText('Undone')).toHaveCount(1)
    await gathered(ana)
    await page.goto(`${PATH}?q=satellites`)
    await expect(rows.first()).toContainText('6 sentences')
    await page.goto(PATH)
    await expect(list.getByRole('link', { name: /mayor/i })).toHaveCount(2)
  })
})
