import type {
  CampaignDetail,
  ReportDetail,
  ReportDraft,
  ReportPreview,
  ReportSummary,
} from '@iodine/contracts'
import { config, openSection, type Routes, user } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { compareTexts } from '../src/model/compare'
import { changesOf, missingOf, problemsOf, tagsOf, tidyDraft } from '../src/model/reports'
import { parcel } from '../src/parcel'
import { SIDE_ROUTES } from './fixtures'

const ID = 'a'.repeat(24)
const IOD = 'b'.repeat(24)
const AT = '2026-11-20T10:00:00.000Z'

const draft: ReportDraft = {
  language: 'en',
  title: 'Copies',
  aliases: [],
  summary: 'A summary',
  findings: [{ text: 'One owner', confidence: 'medium', evidence_ids: [] }],
  unknown: '',
  method: 'By hand',
  references: [],
  attribution: null,
  licence: 'CC-BY-4.0',
  doi: null,
  signed: false,
  listed: false,
  change: '',
}

const summary: ReportSummary = {
  id: ID,
  campaign_id: 'c'.repeat(24),
  slug: 'abcdefghijklmnop',
  title: 'Copies',
  state: 'draft',
  latest: null,
  withdrawn_at: null,
  revision: null,
  own: true,
}

const detail = (fields: Partial<ReportDetail> = {}): ReportDetail => ({
  ...summary,
  draft,
  problem: null,
  approvable_at: null,
  versions: [],
  replies: [],
  withdrawn_reason: null,
  ...fields,
})

const preview: ReportPreview = {
  html: '<h1>The page</h1>',
  left_out: [{ reason: 'personal', kind: 'iod', count: 1 }],
  held_back: [{ iod_id: IOD, value: '@copyist', category: 'USERNAME', let_in: false, reason: null }],
}

beforeEach(() => sessionStorage.clear())

/** Opens a report's page with a service that stores its draft. */
const open = async (first: ReportDetail, routes: Routes = {}, is_admin = false, change = {}) => {
  let kept = first
  const section = await openSection(
    parcel,
    '/dashboard/campaigns',
    `/dashboard/campaigns/reports/${ID}`,
    {
      'GET /reports/:id': () => [200, kept],
      'PATCH /reports/:id': ({ body }) => {
        kept = { ...kept, draft: { ...kept.draft, ...(body as Partial<ReportDraft>) } }
        return [200, kept]
      },
      'GET /reports/:id/citable': [200, []],
      'GET /reports/:id/preview': () => [200, preview],
      ...routes,
    },
    { is_admin, ...change },
  )
  await screen.findByRole('heading', { level: 1, name: 'Copies' })
  const sent = (route: string) => section.calls.filter(call => call.route === route).map(({ body }) => body)
  return { ...section, sent }
}

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name: label }), { target: { value } })
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }))
const dialog = async () => within(await screen.findByRole('dialog'))
/** Keys of texts that are not saved. */
const unsaved = () => Object.keys(sessionStorage).filter(key => key.endsWith(`:report:${ID}`))

const campaign: CampaignDetail = {
  id: 'c'.repeat(24),
  name: 'Copies',
  description: '',
  created_by_id: null,
  created_by_username: 'ada',
  created_at: AT,
  iod_count: 0,
  iods: [],
}
describe('the reports of a campaign', () => {
  const openTab = async (routes: Routes, created_by_id?: string) => {
    const section = await openSection(parcel, '/dashboard/campaigns', `/dashboard/campaigns/${campaign.id}`, {
      'GET /campaigns': [200, []],
      'GET /campaigns/my': [200, []],
      'GET /campaigns/:id': () => [200, { ...campaign, created_by_id: created_by_id ?? user.id }],
      ...SIDE_ROUTES,
      ...routes,
    })
    fireEvent.click(await screen.findByRole('tab', { name: 'Reports' }))
    return section
  }

  it('are created by the creator of the campaign, and a refusal states its reason', async () => {
    const answers: [number, unknown][] = [
      [409, { detail: 'Only a TLP:CLEAR campaign can be published' }],
      [201, { id: ID }],
    ]
    const { path } = await openTab({
      'GET /campaigns/:id/reports': [200, []],
      'POST /campaigns/:id/reports': () => answers.shift() ?? [500],
      'GET /reports/:id': [200, detail()],
      'GET /reports/:id/citable': [200, []],
    })
    fireEvent.click(await screen.findByRole('button', { name: 'New report' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Only a TLP:CLEAR campaign')
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'New report' })
    await waitFor(() => expect(button.disabled).toBe(false))
    fireEvent.click(button)
    await waitFor(() => expect(path()).toBe(`/dashboard/campaigns/reports/${ID}`))
  })

  it('are listed with their states, and only the public page of another user’s is linked', async () => {
    const theirs = { ...summary, id: 'd'.repeat(24), title: 'Theirs', own: false, latest: 2 }
    await openTab({ 'GET /campaigns/:id/reports': [200, [summary, theirs]] }, 'e'.repeat(24))
    expect(await screen.findByRole('link', { name: 'Copies' })).toBeTruthy()
    expect(screen.queryByRole('link', { name: 'Theirs' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Open page of Theirs' }).getAttribute('href')).toBe(
      '/reports/abcdefghijklmnop',
    )
    expect(screen.getByText('Published: version 2')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'New report' })).toBeNull()
  })
})

it('says so where reports are off', async () => {
  config.reports = false
  onTestFinished(() => {
    config.reports = true
  })
  const id = 'c'.repeat(24)
  await openSection(parcel, '/dashboard/campaigns', `/dashboard/campaigns/${id}`, {
    'GET /campaigns': [200, []],
    'GET /campaigns/my': [200, []],
    'GET /campaigns/:id': () => [200, { ...campaign, created_by_id: user.id }],
    ...SIDE_ROUTES,
    'GET /campaigns/:id/reports': [200, []],
  })
  fireEvent.click(await screen.findByRole('tab', { name: 'Reports' }))
  expect(await screen.findByText(/Public reports are off at this site/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'New report' })).toBeNull()
})

describe('the draft of a report', () => {
  it('is saved with its changed fields only', async () => {
    const { sent } = await open(detail())
    type('Title (required)', 'Copies of papers')
    fireEvent.change(screen.getByRole('textbox', { name: /Other names/ }), {
      target: { value: 'Mirrors\n\n Doubles ' },
    })
    press('Save draft')
    await screen.findByText('Saved')
    expect(sent('PATCH /reports/:id')).toEqual([
      { title: 'Copies of papers', aliases: ['Mirrors', 'Doubles'] },
    ])
    expect(unsaved()).toEqual([])
  })

  it('keeps text that is not saved when the page is left, and when saving fails', async () => {
    const same = { id: '7'.repeat(24) }
    const { toasts } = await open(
      detail(),
      { 'PATCH /reports/:id': [503, { detail: 'Try again later' }] },
      false,
      same,
    )
    type('Summary', 'Half a sentence')
    expect(unsaved()).toHaveLength(1)
    press('Save draft')
    await waitFor(() => expect(toasts.at(-1)?.description).toBe('Try again later'))
    expect(screen.getByText('Unsaved changes, kept in this tab')).toBeTruthy()
    await open(detail(), {}, false, same)
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Summary' }).value).toBe(
      'Half a sentence',
    )
    press('Discard changes')
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Summary' }).value).toBe('A summary')
    await waitFor(() => expect(unsaved()).toEqual([]))
  })

  it('is not sent with wrong fields, which are marked', async () => {
    const { sent } = await open(detail())
    press('Add reference')
    type('Title of reference 1', 'The Paper')
    type('URL of reference 1', 'javascript:alert(1)')
    press('Save draft')
    expect((await screen.findByRole('alert')).textContent).toContain('cannot be saved')
    const field = screen.getByRole('textbox', { name: 'URL of reference 1' })
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(field)
    expect(sent('PATCH /reports/:id')).toEqual([])
  })

  it('moves and removes findings, and rests them on chosen exhibits', async () => {
    const quote = { id: 'f'.repeat(24), value: 'copy.example', exact: 'Read it', url: null, captured_at: AT }
    const { sent } = await open(detail(), {
      'GET /reports/:id/citable': [
        200,
        [
          { ...quote, citable: true },
          { ...quote, id: '9'.repeat(24), exact: 'Private', citable: false },
        ],
      ],
    })
    press('Add finding')
    type('Finding 2', 'Another')
    press('Choose exhibits of finding 2')
    const choice = await dialog()
    const boxes = await choice.findAllByRole<HTMLInputElement>('checkbox')
    expect(boxes.map(({ disabled }) => disabled)).toEqual([false, true])
    fireEvent.click(boxes[0] as HTMLElement)
    fireEvent.click(choice.getByRole('button', { name: 'Use 1 exhibit' }))
    press('Move finding 2 up')
    expect(await screen.findByText('“Read it”')).toBeTruthy()
    press('Remove finding 2')
    press('Save draft')
    await screen.findByText('Saved')
    expect(sent('PATCH /reports/:id')).toEqual([
      { findings: [{ text: 'Another', confidence: 'medium', evidence_ids: [quote.id] }] },
    ])
  })

  it('is previewed with what is left out, and lets personal data in for a reason', async () => {
    const { sent } = await open(detail(), { 'PUT /reports/:id/decisions/:iod_id': [200, { ok: true }] })
    fireEvent.click(screen.getByRole('tab', { name: 'Preview' }))
    expect(await screen.findByText('1 IOD: hold or name personal data that is not let in')).toBeTruthy()
    const frame = screen.getByTitle('Page of the report')
    expect(frame.getAttribute('sandbox')).toBe('allow-same-origin')
    await waitFor(() => expect(frame.getAttribute('src')).toMatch(/^blob:/))
    fireEvent.change(screen.getByLabelText('Decision on @copyist'), { target: { value: 'asset' } })
    await waitFor(() =>
      expect(sent('PUT /reports/:id/decisions/:iod_id')).toEqual([{ let_in: true, reason: 'asset' }]),
    )
  })

  it('is handed in once it is complete', async () => {
    const { sent } = await open(detail({ draft: { ...draft, method: '', findings: [] } }), {
      'POST /reports/:id/review': [202, { ok: true }],
    })
    press('Hand in for review')
    let shown = await dialog()
    expect(shown.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'at least one finding',
      'a method',
    ])
    fireEvent.click(shown.getByRole('button', { name: 'Continue writing' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    type('Method', 'By hand')
    press('Add finding')
    type('Finding 1', 'One owner')
    press('Hand in for review')
    shown = await dialog()
    fireEvent.click(await shown.findByRole('button', { name: 'Hand in' }))
    await waitFor(() => expect(sent('POST /reports/:id/review')).toHaveLength(1))
    expect(sent('PATCH /reports/:id')).toHaveLength(1)
  })
})

describe('the review', () => {
  const inReview = (fields: Partial<ReportDetail> = {}) => detail({ state: 'review', own: false, ...fields })
  const page = { ...preview, n: 1, sha256: 'ab'.repeat(32), text: 'One\nTwo', previous: null }

  it('offers no approval before its time', async () => {
    const later = new Date(Date.now() + 86_400_000).toISOString()
    await open(inReview(), { 'GET /reports/:id/review': [200, { ...page, approvable_at: later }] }, true)
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Approve and publish' })
    expect(button.disabled).toBe(true)
    expect(screen.getByText(/the members it quotes can take their content out/)).toBeTruthy()
  })

  it('approves the bytes that were read, after the attribution of the authors is accepted', async () => {
    const attribution = { by: 'ours' as const, text: 'An agency', grounds: 'Invoices' }
    const { sent, toasts } = await open(
      inReview({ draft: { ...draft, attribution } }),
      {
        'GET /reports/:id/review': [200, { ...page, approvable_at: AT }],
        'POST /reports/:id/approve': [403, { detail: 'Sign in with a passkey to do this' }],
      },
      true,
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Approve and publish' }))
    const form = await dialog()
    const submit = form.getByRole<HTMLButtonElement>('button', { name: 'Publish' })
    expect(submit.disabled).toBe(true)
    fireEvent.click(form.getByRole('checkbox'))
    fireEvent.click(submit)
    await waitFor(() => expect(toasts.at(-1)?.description).toBe('Sign in with a passkey to do this'))
    expect(sent('POST /reports/:id/approve')).toEqual([{ sha256: page.sha256, attribution: true }])
  })

  it('shows the changes since the published version, and refuses with a reason', async () => {
    const { sent } = await open(
      inReview({ latest: 1 }),
      {
        'GET /reports/:id/review': [200, { ...page, previous: 'One\nThree', approvable_at: AT }],
        'POST /reports/:id/refuse': [200, { ok: true }],
      },
      true,
    )
    fireEvent.click(await screen.findByRole('tab', { name: 'Changes since version 1' }))
    const changes = await screen.findByRole('region', { name: 'Changes of the text' })
    await waitFor(() => expect(changes.textContent).toContain('Added: Two'))
    expect(changes.textContent).toContain('Removed: Three')
    press('Refuse')
    const form = await dialog()
    fireEvent.change(form.getByRole('textbox', { name: 'Why' }), { target: { value: 'Vague' } })
    fireEvent.click(form.getByRole('button', { name: 'Refuse' }))
    await waitFor(() => expect(sent('POST /reports/:id/refuse')).toEqual([{ why: 'Vague' }]))
  })

  it('gives its author no buttons of a reviewer, also an administrator', async () => {
    await open(
      inReview({ own: true }),
      { 'GET /reports/:id/review': [200, { ...page, approvable_at: AT }] },
      true,
    )
    expect(await screen.findByText(/waits for an administrator other than you/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Approve and publish' })).toBeNull()
  })
})

it('a published report is withdrawn with a reason, erased and replied to by administrators', async () => {
  const version = { n: 1, state: 'published' as const, sha256: 'ab'.repeat(32), change: '' }
  const published = detail({
    own: false,
    latest: 1,
    versions: [{ ...version, made_at: AT, published_at: AT }],
  })
  const { sent } = await open(
    published,
    {
      'POST /reports/:id/erase': [200, published],
      'POST /reports/:id/replies': [201, published],
      'POST /reports/:id/withdraw': [200, published],
    },
    true,
  )
  press('Erase version 1')
  let form = await dialog()
  fireEvent.change(form.getByRole('textbox'), { target: { value: 'Court order 12' } })
  fireEvent.click(form.getByRole('button', { name: 'Erase' }))
  await waitFor(() => expect(sent('POST /reports/:id/erase')).toEqual([{ n: 1, law: 'Court order 12' }]))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  press('Add reply')
  form = await dialog()
  fireEvent.change(form.getByRole('textbox', { name: /From/ }), { target: { value: 'The Paper' } })
  fireEvent.change(form.getByRole('textbox', { name: 'Reply' }), { target: { value: 'We disagree.' } })
  fireEvent.click(form.getByRole('button', { name: 'Show reply' }))
  await waitFor(() =>
    expect(sent('POST /reports/:id/replies')).toEqual([{ from: 'The Paper', text: 'We disagree.' }]),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  press('Withdraw')
  form = await dialog()
  fireEvent.change(form.getByRole('textbox', { name: 'Reason' }), { target: { value: 'An error' } })
  fireEvent.click(form.getByRole('button', { name: 'Withdraw' }))
  await waitFor(() => expect(sent('POST /reports/:id/withdraw')).toEqual([{ reason: 'An error' }]))
})

it('a quoted member takes their content out of a report', async () => {
  let quoted = [
    { ...summary, own: false, until: AT, items: 22, texts: ['copies.example', '<b>They said</b>'] },
  ]
  await openSection(parcel, '/dashboard/campaigns', '/dashboard/campaigns/reports', {
    'GET /reports/quoted': () => [200, quoted],
    'POST /reports/:id/take-out': () => {
      quoted = []
      return [200, { taken_out: 22 }]
    },
  })
  expect(await screen.findByText('<b>They said</b>')).toBeTruthy()
  expect(screen.getByText('20 more')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Take my quotes out of Copies' }))
  const question = await dialog()
  expect(question.getByText(/without your 22 items/)).toBeTruthy()
  fireEvent.click(question.getByRole('button', { name: 'Take out' }))
  expect(await screen.findByText('No report in review quotes you')).toBeTruthy()
})

describe('a draft', () => {
  it('is tidied, and compared field by field', () => {
    const typed = { ...draft, aliases: [' A ', ''], references: [{ title: ' ', url: '' }], doi: ' ' }
    expect(changesOf(draft, tidyDraft(typed))).toEqual({ aliases: ['A'] })
  })

  it.each<[string, Partial<ReportDraft>]>([
    ['title', { title: ' ' }],
    ['summary', { summary: '🙂'.repeat(1_501) }],
    ['findings.0', { findings: [{ text: '', confidence: 'low', evidence_ids: [] }] }],
    ['references.0.url', { references: [{ title: 'A', url: 'data:text/html,x' }] }],
    ['attribution.grounds', { attribution: { by: 'ours', text: 'A', grounds: '' } }],
    ['doi', { doi: '11.5281/x' }],
    ['aliases', { aliases: Array.from({ length: 21 }, () => 'A') }],
  ])('has a problem at %s', (path, change) => {
    expect(Object.keys(problemsOf({ ...draft, ...change }))).toEqual([path])
  })

  it('has no problem at its limits', () => {
    expect(problemsOf({ ...draft, summary: '🙂'.repeat(1_500), doi: '10.5281/zenodo.1234' })).toEqual({})
  })

  it('of a correction must state what it corrects', () => {
    expect(missingOf(draft, false)).toEqual([])
    expect(missingOf(draft, true)).toEqual(['what this version corrects'])
  })
})

it.each<[Partial<ReportSummary>, string[]]>([
  [{}, ['Draft']],
  [{ state: 'making' }, ['Being prepared for review']],
  [{ latest: 1 }, ['Published: version 1']],
  [{ latest: 1, state: 'review' }, ['Published: version 1', 'In review']],
  [{ latest: 1, revision: 'level' }, ['Under revision']],
  [{ latest: 1, withdrawn_at: AT, revision: 'level' }, ['Withdrawn']],
])('a report %o has the states %o', (fields, labels) => {
  expect(tagsOf({ ...summary, ...fields }).map(({ label }) => label)).toEqual(labels)
})

it('a comparison has the changed lines with two lines around them', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`)
  const after = lines.with(10, 'other').join('\n')
  const shown = (await compareTexts(lines.join('\n'), after)).map(({ kind, text }) => `${kind} ${text}`)
  expect(shown).toEqual([
    'gap …',
    'same line 8',
    'same line 9',
    'removed line 10',
    'added other',
    'same line 11',
    'same line 12',
    'gap …',
  ])
  expect(await compareTexts('a', 'a')).toEqual([])
})
