import type { CampaignDetail, TechniqueProposals } from '@iodine/contracts'
import { DETAILS, LIMITS } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { parcel } from '../src/parcel'
import { SIDE_ROUTES } from './fixtures'

const detail: CampaignDetail = {
  id: 'a'.repeat(24),
  name: 'Mirrors',
  description: '',
  created_by_id: 'b'.repeat(24),
  created_by_username: 'bo',
  created_at: '2026-11-20T10:00:00.000Z',
  iod_count: 0,
  iods: [],
}

const run = (changes: Partial<TechniqueProposals> = {}): TechniqueProposals => ({
  id: 'd'.repeat(24),
  state: 'done',
  mode: 'offline',
  model: null,
  list: '1.6',
  failure: null,
  items: [
    { tid: 'T0151.004', exact: 'They met in <b>chat</b> groups.', start: 0, end: 31, decision: null },
    { tid: 'T0002', exact: 'State media repeat it.', start: 32, end: 54, decision: null },
  ],
  dropped: 0,
  sentences: 2,
  omitted: 0,
  ...changes,
})

const open = async (
  proposals: TechniqueProposals | (() => TechniqueProposals),
  routes: Routes = {},
  user = {},
) => {
  const bodies: unknown[] = []
  const decisions: unknown[] = []
  const section = await openSection(
    parcel,
    '/dashboard/campaigns',
    `/dashboard/campaigns/${detail.id}`,
    {
      ...SIDE_ROUTES,
      'GET /campaigns': [200, []],
      'GET /campaigns/my': [200, []],
      'GET /campaigns/:id': [200, detail],
      'GET /narratives/data': [
        200,
        [{ id: 'e'.repeat(24), text: 'Mirrors heat lakes.', src: null, triplets: [] }],
      ],
      'POST /campaigns/:id/proposals': ({ body }) => {
        bodies.push(body)
        return [202, { id: 'd'.repeat(24) }]
      },
      'GET /campaigns/:id/proposals/:pid': () => [
        200,
        typeof proposals === 'function' ? proposals() : proposals,
      ],
      'POST /campaigns/:id/proposals/:pid/decisions': ({ body }) => {
        decisions.push(body)
        const used = { id: 'T0151.004', by: null, by_username: null, at: detail.created_at }
        return [200, [{ ...used, until: null, quotes: 1, iods: 0 }]]
      },
      ...routes,
    },
    user,
  )
  fireEvent.click(await screen.findByRole('tab', { name: /^Techniques/ }))
  fireEvent.click(await screen.findByRole('button', { name: 'Propose techniques' }))
  const dialog = within(await screen.findByRole('dialog', { name: /^Propos/ }))
  return { ...section, dialog, bodies, decisions }
}
type Opened = Awaited<ReturnType<typeof open>>

const paste = ({ dialog }: Opened, text = 'They met in chat groups.') => {
  fireEvent.change(dialog.getByRole('textbox'), { target: { value: text } })
  fireEvent.click(dialog.getByRole('button', { name: /^Propose(r)?$/ }))
}

describe('the proposals', () => {
  it('say who has read the text, and have the sentence of each technique', async () => {
    const opened = await open(run({ dropped: 3, omitted: 2 }))
    paste(opened)
    const { dialog, bodies } = opened
    expect(
      (await dialog.findByText(/^2 proposals · By rules on this server · DISARM 1\.6/)).textContent,
    ).toMatch(
      /2 sentences read · 2 more sentences were not read: the limit is 400\. · 3 answers could not be used\.$/,
    )
    const first = within(dialog.getByRole('article', { name: /^T0151\.004 / }))
    expect(first.getByText('They met in <b>chat</b> groups.')).toBeTruthy()
    expect(bodies).toEqual([{ text: 'They met in chat groups.', mode: 'offline' }])
  })

  it('are accepted and rejected one by one, and accepted ones are techniques then', async () => {
    const opened = await open(run())
    paste(opened)
    const { dialog, decisions } = opened
    const first = within(await dialog.findByRole('article', { name: /^T0151\.004/ }))
    fireEvent.click(first.getByRole('button', { name: 'Accept' }))
    await first.findByText('Accepted')
    expect(first.queryByRole('button')).toBeNull()
    const second = within(dialog.getByRole('article', { name: /^T0002/ }))
    fireEvent.click(second.getByRole('button', { name: 'Reject' }))
    await second.findByText('Rejected')
    expect(decisions).toEqual([
      { accept: ['T0151.004'], reject: [] },
      { accept: [], reject: ['T0002'] },
    ])
    fireEvent.click(dialog.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement)
    await screen.findByRole('button', { name: /^Remove T0151\.004/ })
  })

  it('of a narrative say before that its words become visible to all members', async () => {
    const opened = await open(run())
    const { dialog, bodies } = opened
    fireEvent.click(dialog.getByRole('radio', { name: 'My narrative' }))
    const warning = /Your narrative is private\. .* visible to all members\./
    expect(dialog.getByText(warning)).toBeTruthy()
    await dialog.findByRole('option', { name: 'Mirrors heat lakes.' })
    const submit = dialog.getByRole('button', { name: 'Propose' })
    expect(submit.hasAttribute('disabled')).toBe(true)
    fireEvent.change(dialog.getByRole('combobox'), { target: { value: 'e'.repeat(24) } })
    fireEvent.click(submit)
    await dialog.findByRole('article', { name: /^T0002/ })
    expect(dialog.getByText(warning)).toBeTruthy()
    expect(bodies).toEqual([{ narrative_id: 'e'.repeat(24), mode: 'offline' }])
  })

  it('wait for the AI provider, which needs a key, and name its model', async () => {
    let state: TechniqueProposals['state'] = 'waiting'
    const opened = await open(
      () => run({ state, mode: 'ai', model: state === 'done' ? 'm-5' : null }),
      {},
      {
        has_openai_key: true,
      },
    )
    const { dialog, bodies } = opened
    fireEvent.click(dialog.getByRole('radio', { name: 'The campaign’s quotes' }))
    fireEvent.click(dialog.getByRole('radio', { name: 'My AI provider' }))
    expect(dialog.getByText(/^Sends the sentences to your AI provider/)).toBeTruthy()
    fireEvent.click(dialog.getByRole('button', { name: 'Propose' }))
    await dialog.findByText(/^Your AI provider is reading/)
    state = 'done'
    await dialog.findByText(/By your AI provider, model m-5/, {}, { timeout: 5_000 })
    expect(bodies).toEqual([{ evidence: true, mode: 'ai' }])
  })

  it('without a key are by rules alone', async () => {
    const { dialog } = await open(run())
    expect((dialog.getByRole('radio', { name: 'My AI provider' }) as HTMLInputElement).disabled).toBe(true)
    expect(dialog.getByRole('link', { name: 'Add an AI key to your profile' })).toBeTruthy()
  })

  it('that fail say why, keep the text, and can be requested again', async () => {
    const opened = await open(run({ state: 'failed', failure: 'no_credit', items: [] }))
    paste(opened, 'A text.')
    const { dialog } = opened
    await dialog.findByText(/has no credit left/)
    fireEvent.click(dialog.getByRole('button', { name: 'Propose from another text' }))
    expect(((await dialog.findByRole('textbox')) as HTMLTextAreaElement).value).toBe('A text.')
  })

  it.each([
    [429, DETAILS.proposalRunning, /^Another run is under way/],
    [429, 'Too many requests', /^You have requested proposals 20 times/],
    [422, [DETAILS.noSentence], /^There is no sentence/],
    [404, DETAILS.notFound, /^The text was changed or deleted/],
    [413, 'Too large', /maximum number/],
  ])('that are refused with %i %s say so, and keep the text', async (status, problem, text) => {
    const opened = await open(run(), { 'POST /campaigns/:id/proposals': [status, { detail: problem }] })
    paste(opened, 'A text.')
    expect((await opened.dialog.findByRole('alert')).textContent).toMatch(text)
    expect((opened.dialog.getByRole('textbox') as HTMLTextAreaElement).value).toBe('A text.')
  })

  it('are not requested for a text above the limit', async () => {
    const opened = await open(run())
    const { dialog, bodies } = opened
    paste(opened, 'a'.repeat(LIMITS.narrativeTextMax + 1))
    expect(dialog.getByText(/^The text has more than 50,000 characters/)).toBeTruthy()
    expect(dialog.getByRole('button', { name: 'Propose' }).hasAttribute('disabled')).toBe(true)
    expect(bodies).toEqual([])
  })

  it('that have expired are requested again', async () => {
    const opened = await open(run(), {
      'GET /campaigns/:id/proposals/:pid': [404, { detail: DETAILS.notFound }],
    })
    paste(opened)
    expect((await opened.dialog.findByRole('alert')).textContent).toMatch(/have expired/)
  })

  it('stay undecided if a decision fails, with the reason', async () => {
    const opened = await open(run(), {
      'POST /campaigns/:id/proposals/:pid/decisions': [409, { detail: 'DISARM’s list has changed' }],
    })
    paste(opened)
    const first = within(await opened.dialog.findByRole('article', { name: /^T0151\.004/ }))
    fireEvent.click(first.getByRole('button', { name: 'Accept' }))
    await waitFor(() => expect(opened.toasts.at(-1)?.description).toMatch(/^DISARM’s list has changed/))
    expect(first.getByRole('button', { name: 'Accept' })).toBeTruthy()
  })

  it('state how many sentences and answers were left out', async () => {
    const opened = await open(run({ omitted: 1, dropped: 2 }))
    paste(opened)
    await opened.dialog.findByText(
      /^2 proposals · By rules .* 1 more sentence was not read.* 2 answers could/,
    )
  })
})
