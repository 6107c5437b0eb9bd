import { canonicalApi, type Extraction, narrativesApi, profileApi } from '@iodine/contracts'
import type { AiProvider } from '@iodine/test-kit'
import { expect, type Person, test } from '../support/fixtures.js'

type Triplet = Extraction['triplets'][number]
const tripletOf = (subject: string, verb: string, object: string): Triplet => ({ subject, verb, object })

/** Five claims, each in six wordings. The last two have the same meaning but share no word. */
const CLAIMS: Triplet[][] = [
  [
    tripletOf('Giant mirrors', 'heat', 'Lake Varnel'),
    tripletOf('giant mirrors', 'heated', 'the Lake Varnel'),
    tripletOf('The giant mirrors', 'are heating', 'Lake Varnel'),
    tripletOf('A giant mirror', 'heats', 'lake Varnel'),
    tripletOf('Lake Varnel', 'is heated by', 'giant mirrors'),
    tripletOf('these giant mirrors', 'have heated', 'Lake Varnel'),
  ],
  [
    tripletOf('The Grid Authority', 'switched off', 'Port Sellane'),
    tripletOf('Grid Authority', 'switches off', 'Port Sellane'),
    tripletOf('the Grid Authority', 'has switched off', 'Port Sellane'),
    tripletOf('The grid authority', 'is switching off', 'Port Sellane'),
    tripletOf('Grid Authority', 'switched off', 'port Sellane'),
    tripletOf('Port Sellane', 'was switched off by', 'the Grid Authority'),
  ],
  [
    tripletOf('Blue water', 'heats', 'the blood'),
    tripletOf('The blue water', 'heated', 'the blood'),
    tripletOf('blue water', 'is heating', 'blood'),
    tripletOf('Blue waters', 'heat', 'the blood'),
    tripletOf('the blue water', 'heats', 'blood'),
    tripletOf('Blue water', 'has heated', 'the blood'),
  ],
  [
    tripletOf('The mayor', 'signed', 'a contract'),
    tripletOf('the mayor', 'has signed', 'the contract'),
    tripletOf('The mayor', 'signs', 'the contract'),
    tripletOf('a mayor', 'signed', 'the contract'),
    tripletOf('The mayor', 'is signing', 'contracts'),
    tripletOf('mayor', 'signed', 'a contract'),
  ],
  [
    tripletOf('Sun satellites', 'warm', 'the reservoir'),
    tripletOf('sun satellites', 'warmed', 'the reservoir'),
    tripletOf('The sun satellites', 'are warming', 'the reservoir'),
    tripletOf('Sun satellites', 'have warmed', 'reservoir'),
    tripletOf('the sun satellites', 'warm', 'the reservoir'),
    tripletOf('A sun satellite', 'warms', 'the reservoir'),
  ],
]
const SOURCES = ['https://varnelwatch.example/a', 'https://memo.example/b', 'channels.example/nightfall/9']
const PATH = '/dashboard/narratives/canonical'

const extractText = async ({ api }: Person, ai: AiProvider, triplet: Triplet, n: number): Promise<void> => {
  ai.next({ triplets: [triplet] })
  const text = `It was a warm night, people say. ${triplet.subject} ${triplet.verb} ${triplet.object}. Nobody asks why. ${n}.`
  await api.call(narrativesApi.createNarrative, { body: { text, src: SOURCES[n % SOURCES.length] } })
}
const gathered = async ({ api }: Person): Promise<void> => {
  const pending = async () => (await api.call(canonicalApi.getCanonicalState)).pending
  await expect.poll(pending, { timeout: 60_000 }).toBe(false)
}

test('thirty texts become five narratives, which users merge, split and undo', {
  tag: '@long',
}, async ({ page, person, openAs, ai }) => {
  test.setTimeout(240_000)
  const ana = await person('ana')
  await ana.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-canonical' } })
  for (const [n, triplet] of CLAIMS.flat().entries()) await extractText(ana, ai, triplet, n)
  await gathered(ana)

  const list = page.getByRole('list', { name: 'Canonical narratives' })
  const rows = list.getByRole('listitem')
  const title = page.getByRole('heading', { level: 1 })
  const spellings = (part: string) => page.getByRole('region', { name: part, exact: true })
  const toast = (text: string) => page.getByText(text, { exact: true }).first()

  await test.step('the list is sorted by reach', async () => {
    await openAs(ana, '/dashboard/narratives')
    await page.getByRole('tab', { name: 'Canonical narratives' }).click()
    await expect(page.getByText('5 narratives')).toBeVisible()
    await expect(rows).toHaveCount(5)
    await expect(rows.first()).toContainText('6 sentences from 3 sources')
    await page.getByPlaceholder('Search variants...').fill('varnel')
    await expect(rows).toHaveCount(1)
  })

  await test.step('a narrative shows its sentences within their texts', async () => {
    await list.getByRole('link', { name: /giant mirrors/i }).click()
    await expect(title).toHaveText(/giant mirrors · heat.* · .*Lake Varnel/i)
    await expect(page.getByText(/^6 sentences from 3 sources/)).toBeVisible()
    const sentences = page.getByRole('list', { name: 'Sentences', exact: true })
    await expect(sentences.getByText('Nobody asks why.')).toHaveCount(6)
    await expect(
      sentences.locator('mark', { hasText: 'Lake Varnel is heated by giant mirrors.' }),
    ).toBeVisible()
    await page.getByRole('button', { name: /memo\.example/ }).click()
    await expect(sentences.locator('mark')).toHaveCount(2)
    await sentences.getByRole('link', { name: 'Show in text' }).first().click()
    await expect(page.getByRole('article')).toBeVisible()
    await expect(page.locator('mark')).toContainText(/mirror/i)
    await page.goBack()
  })

  await test.step('a user merges two narratives', async () => {
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
    await expect(page.getByText(/^12 sentences from 3 sources/)).toBeVisible()
    await expect(spellings('Subject')).toContainText('Sun satellites')
  })

  await test.step('a user splits a narrative', async () => {
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
    await expect(toast('Variants split off')).toBeVisible()
    await expect(page.getByText(/^5 sentences/)).toBeVisible()
    await expect(spellings('Object')).not.toContainText('contracts')
  })

  await test.step('a contradicting decision is rejected with the name of the earlier one', async () => {
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
    await expect(dialog.getByRole('alert')).toContainText(/This contradicts earlier decisions: .*warm/)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('both decisions apply to a new text', async () => {
    await extractText(ana, ai, tripletOf('the sun satellites', 'heat', 'the Lake Varnel'), 31)
    await extractText(ana, ai, tripletOf('The mayor', 'signed', 'contracts'), 32)
    await gathered(ana)
    await page.goto(PATH)
    await expect(rows).toHaveCount(5)
    await expect(rows.first()).toContainText('13 sentences')
    await expect(list.getByRole('link', { name: /mayor/i })).toHaveCount(2)
  })

  await test.step('the graph merges variants', async () => {
    await list.getByRole('link').first().click()
    await page.getByRole('button', { name: 'Show in graph' }).click()
    await expect(page).toHaveURL(/graph\?canonical=true&node=entity/)
    await expect(page.getByRole('region', { name: 'Node details' })).toContainText('13')
    await expect(page.getByText('9 entities')).toBeVisible()
    const entities = page.getByRole('list', { name: 'Counts' }).getByText(/entities/)
    const canonical = Number.parseInt((await entities.textContent()) ?? '', 10)
    await page.getByText('Merge variants').click()
    await expect(page).not.toHaveURL(/canonical/)
    await expect
      .poll(async () => Number.parseInt((await entities.textContent()) ?? '', 10))
      .toBeGreaterThan(canonical)
  })

  await test.step('undo reverts a decision', async () => {
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

  await test.step('three clicks at one position delete one narrative', async () => {
    const listed = async () => (await ana.api.call(narrativesApi.listNarratives)).map(({ id }) => id)
    const ids = await listed()
    const heading = (count: number) =>
      page.getByRole('heading', { name: `Analyzed narratives (${count})`, exact: true })
    const buttons = page.getByRole('button', { name: /^Delete narrative/ })
    const placeholder = page.getByRole('group', { name: 'Deleted narrative' })
    const boxOfFirst = async () => {
      const box = await buttons.first().boundingBox()
      if (!box) throw new Error('no Delete button is on the page')
      return box
    }
    await page.goto('/dashboard/narratives')
    await expect(heading(ids.length)).toBeVisible()
    await buttons.first().scrollIntoViewIfNeeded()
    const box = await boxOfFirst()
    const position = [box.x + box.width / 2, box.y + box.height / 2] as const
    let deletions = 0
    page.on('request', request => {
      if (request.method() === 'DELETE') deletions++
    })
    await page.mouse.click(...position)
    await expect(heading(ids.length - 1)).toBeVisible()
    await expect(placeholder).toHaveCount(1)
    // No toast covers the position.
    const receives = await placeholder.evaluate(
      (element, [x, y]) => element.contains(document.elementFromPoint(x, y)),
      position,
    )
    expect(receives).toBe(true)
    await page.mouse.click(...position)
    await page.mouse.click(...position)
    await expect(placeholder).toHaveCount(1)
    expect(await listed()).toEqual(ids.slice(1))
    expect(deletions).toBe(1)
    // Without the placeholder, the next button is at the same position.
    await page.mouse.move(1, 1)
    await expect(placeholder).toHaveCount(0)
    await expect.poll(boxOfFirst).toEqual(box)
  })
})
