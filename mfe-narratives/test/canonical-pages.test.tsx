import type {
  CanonicalDecision,
  CanonicalDetail,
  CanonicalNarrative,
  CanonicalSentence,
  Profile,
} from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { graphNodeOf, linesOf, quoted, sameAfterMerge } from '../src/model/canonical'
import { timeline } from '../src/model/timeline'
import { parcel } from '../src/parcel'

const ROOT = '/dashboard/narratives'
const id = (n: number) => String(n).padStart(24, '0')

const narrative = (
  n: number,
  subject: string,
  fields: Partial<CanonicalNarrative> = {},
): CanonicalNarrative => ({
  id: id(n),
  subject: { cluster: id(100 + n), label: subject, members: 3 },
  verb: { cluster: id(200), label: 'heat', members: 1 },
  object: { cluster: id(300 + n), label: `lake ${n}`, members: 1 },
  sentences: 14,
  sources: 9,
  clock: 'posted',
  dated: 14,
  since: '2026-10-12T08:00:00.000Z',
  last: '2026-11-20T08:00:00.000Z',
  triplets: 15,
  over_time: [1, 0, 13],
  owners: null,
  ...fields,
})
const member = (
  key: string,
  times: number,
  why: CanonicalDetail['members']['subject'][number]['why'] = null,
) => ({
  key,
  label: key,
  times,
  why,
})
const detail = (n: number): CanonicalDetail => ({
  ...narrative(n, 'giant mirrors'),
  members: {
    subject: [
      member('giant mirrors', 9, 'leader'),
      member('a mirror', 4, 'words'),
      member('sails', 2, 'rule'),
    ],
    verb: [member('heat', 15)],
    object: [member(`lake ${n}`, 15)],
  },
  days: [
    { day: '2026-10-12', sentences: 1 },
    { day: '2026-11-20', sentences: 13 },
  ],
  by_source: [
    { src: 'https://a.example', sentences: 13, triplets: 14 },
    { src: null, sentences: 1, triplets: 1 },
  ],
})
const sentence = (n: number): CanonicalSentence => ({
  narrative_id: id(500 + n),
  src: n % 2 ? 'https://a.example' : null,
  posted_at: n % 2 ? '2026-10-12T08:00:00.000Z' : null,
  created_at: '2026-11-20T08:00:00.000Z',
  place: { start: 12, end: 40 },
  before: 'They say it. ',
  sentence: `Giant mirrors heat lake ${n}.`,
  after: ' Nobody asks why.',
  text_length: n % 2 ? 999 : 57,
  triplets: [{ id: n, subject: 'Giant mirrors', verb: 'heat', object: `lake ${n}` }],
})
const decision = (fields: Partial<CanonicalDecision> = {}): CanonicalDecision => ({
  id: id(900),
  at: '2026-11-20T08:00:00.000Z',
  action: 'merge',
  changes: [{ kind: 'entity', left: ['giant mirrors'], right: ['sun satellites'] }],
  narrative: null,
  undone_at: null,
  ...fields,
})

const QUIET: Routes = {
  'GET /narratives/canonical': [200, [narrative(1, 'giant mirrors'), narrative(2, 'sun satellites')]],
  'GET /narratives/canonical/state': [
    200,
    { pending: false, method: 'offline', comparing: false, failure: null, rules: { used: 0, limit: 5_000 } },
  ],
  'GET /narratives/canonical/:id': [200, detail(1)],
  'GET /narratives/canonical/:id/merge': [200, []],
  'GET /narratives/canonical/:id/sentences': [200, [sentence(1), sentence(2)]],
  'GET /narratives/canonical/history': [200, [decision()]],
  'GET /iods': [200, []],
  'POST /iods/lookup': [200, []],
}
let section: Awaited<ReturnType<typeof openSection>>
const open = async (path: string, routes: Routes = {}, user: Partial<Profile> = {}) => {
  section = await openSection(parcel, ROOT, ROOT + path, { ...QUIET, ...routes }, user)
}
const calls = (route: string) => section.calls.filter(call => call.route === route)

describe('the model', () => {
  it('fills the gaps of a timeline, with at most sixty bars', () => {
    expect(timeline([])).toEqual([])
    expect(timeline([{ day: '2026-11-20', sentences: 2 }])).toEqual([{ day: '2026-11-20', values: [2] }])
    expect(
      timeline([
        { day: '2026-02-27', sentences: 1 },
        { day: '2026-03-01', sentences: 4 },
      ]),
    ).toEqual([
      { day: '2026-02-27', values: [1] },
      { day: '2026-02-28', values: [0] },
      { day: '2026-03-01', values: [4] },
    ])
    const years = timeline([
      { day: '2020-01-01', sentences: 1 },
      { day: '2026-11-20', sentences: 5 },
    ])
    expect(years.length).toBeLessThanOrEqual(60)
    expect([years[0]?.values, years.at(-1)?.values]).toEqual([[1], [5]])
  })

  it('lists the labels that a merge declares equal, and describes decisions', () => {
    expect(sameAfterMerge(narrative(1, 'a'), narrative(2, 'b'))).toEqual([
      { part: 'subject', left: 'a', right: 'b' },
      { part: 'object', left: 'lake 1', right: 'lake 2' },
    ])
    expect(graphNodeOf(detail(1))).toBe('entity:a mirror')
    expect(linesOf(decision())).toEqual(['“giant mirrors” is the same as “sun satellites”'])
    const split = decision({ action: 'split', changes: [{ kind: 'verb', left: ['a', 'b'], right: ['c'] }] })
    expect(linesOf(split)).toEqual(['“a”, “b” are not the same as “c”'])
    expect(linesOf(decision({ narrative: ['giant mirrors', 'heat', 'lake'] }))).toEqual([
      '“giant mirrors” is the same as “sun satellites”',
      'Only in giant mirrors · heat · lake',
    ])
    expect(quoted(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('“a”, “b”, “c”, “d” and 2 more')
  })
})

describe('the list', () => {
  it('shows each narrative with its reach, and searches', async () => {
    await open('', { 'GET /narratives/data': [200, []], 'GET /narratives/open': [200, []] })
    fireEvent.click(await screen.findByRole('tab', { name: 'Canonical narratives' }))
    const link = await screen.findByRole('link', { name: 'giant mirrors +2 heat lake 1' })
    expect(link.getAttribute('href')).toContain(`/canonical/${id(1)}`)
    expect(screen.getAllByText(/14 sentences from 9 sources · since/)).toHaveLength(2)
    expect(screen.getByText(/stay separate until you merge them/)).toBeTruthy()
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'mirror' } })
    await waitFor(() =>
      expect(calls('GET /narratives/canonical').map(call => call.search.get('q'))).toContain('mirror'),
    )
  })

  it('is compared by meaning on request, and explains why it was not', async () => {
    let state: object = { comparing: false, failure: null, method: 'offline', pending: false }
    await open(
      '/canonical',
      {
        'GET /narratives/canonical/state': () => [200, { ...state, rules: { used: 0, limit: 5_000 } }],
        'POST /narratives/canonical/compare': () => {
          state = { ...state, failure: 'rejected_key' }
          return [200, { done: true }]
        },
      },
      { has_openai_key: true },
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Compare by meaning' }))
    await screen.findByText(/Not compared by meaning: Your OpenAI API key was rejected by the provider/)
    expect(calls('POST /narratives/canonical/compare')).toHaveLength(1)
    await open('/canonical', {}, { has_openai_key: false })
    await screen.findByRole('link', { name: 'Add an AI key to compare by meaning' })
  })

  it('shows an empty state, and an error with Retry', async () => {
    let broken = true
    await open('/canonical', {
      'GET /narratives/canonical': () => (broken ? [503, { detail: 'Not now' }] : [200, []]),
    })
    await screen.findByText('Unable to load canonical narratives')
    broken = false
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText('No canonical narratives yet')
  })

  it('distinguishes dates of sources from dates of analyses', async () => {
    await open('/canonical', {
      'GET /narratives/canonical': [
        200,
        [
          narrative(1, 'giant mirrors', { dated: 11 }),
          narrative(2, 'sun satellites', {
            clock: 'analyzed',
            since: '2026-11-26T08:00:00.000Z',
            last: '2026-11-26T09:00:00.000Z',
            over_time: [],
          }),
        ],
      ],
    })
    const [dated, analyzed] = await waitFor(() => {
      const rows = within(screen.getByRole('list', { name: 'Canonical narratives' })).getAllByRole('listitem')
      expect(rows).toHaveLength(2)
      return rows
    })
    expect(dated?.textContent).toContain('· since Oct 12, 2026, last Nov 20, 2026 · 3 without a date')
    // The days below the small bars.
    expect(dated?.textContent).toMatch(/Oct 12Nov 20$/)
    expect(analyzed?.textContent).toMatch(/· analyzed Nov 26, 2026$/)
  })

  it('has no links for all users, and no history for another member', async () => {
    await open('/canonical?scope=all', {
      'GET /narratives/canonical': [200, [narrative(1, 'giant mirrors', { owners: 3, over_time: [] })]],
    })
    await screen.findByText(/3 members ·/)
    expect(screen.queryByRole('link', { name: /giant mirrors/ })).toBeNull()
    await open(`/canonical?user_id=${id(7)}`)
    await screen.findByRole('link', { name: /giant mirrors/ })
    expect(screen.queryByRole('button', { name: 'History' })).toBeNull()
    expect(calls('GET /narratives/canonical')[0]?.search.get('user_id')).toBe(id(7))
  })
})

describe('a narrative', () => {
  const path = `/canonical/${id(1)}`

  it('shows its variants, its sources, and its sentences in their texts', async () => {
    await open(path)
    await screen.findByRole('heading', { level: 1, name: 'giant mirrors · heat · lake 1' })
    expect(screen.getByText('14 sentences from 9 sources since October 12, 2026')).toBeTruthy()
    const subject = screen.getByRole('region', { name: 'Subject' })
    expect(
      within(subject)
        .getAllByRole('listitem')
        .map(item => item.textContent),
    ).toEqual(['giant mirrors ×9', 'a mirror ×4', 'sails ×2'])
    within(subject).getByText('Includes variants merged by you.')
    expect(screen.getAllByText(/merged by/)).toHaveLength(1)
    expect(screen.queryByRole('button', { name: 'Split the verb' })).toBeNull()
    const marked = await screen.findByText('Giant mirrors heat lake 1.')
    expect(marked.tagName).toBe('MARK')
    expect(marked.closest('li')?.textContent).toMatch(/Nobody asks why\.….*posted Oct 12, 2026/)
    const undated = screen.getByText('Giant mirrors heat lake 2.').closest('li')
    expect(undated?.textContent).toMatch(/Nobody asks why\.[^…]*analyzed Nov 20, 2026/)
    screen.getByText('Posting dates of the sources, from your records.')
    screen.getByText(/add up to this narrative’s 15 triplets/)
    const text = screen.getAllByRole('link', { name: 'Show in text' })[0]
    expect(text?.getAttribute('href')).toContain(`/${id(501)}?start=12&end=40`)
    fireEvent.click(screen.getByRole('button', { name: /Without a source/ }))
    await waitFor(() =>
      expect(calls('GET /narratives/canonical/:id/sentences').at(-1)?.search.get('source')).toBe(''),
    )
  })

  it('is merged with a search result, and shows the error of a contradiction', async () => {
    let answer: [number, unknown] = [409, { detail: 'This contradicts earlier decisions' }]
    await open(path, {
      'GET /narratives/canonical/:id/merge': [200, [narrative(3, 'mirrors')], { 'x-total-count': '7' }],
      'POST /narratives/canonical/:id/merge': () => answer,
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Merge…' }))
    const dialog = await screen.findByRole('dialog')
    fireEvent.click(
      await within(dialog).findByRole('radio', { name: /^sun satellites \+2 heat lake 2 14 sentences/ }),
    )
    expect(within(dialog).getAllByText(/count as the same/)).toHaveLength(2)
    await within(dialog).findByText(/7 other narratives change:/)
    within(dialog).getByText('mirrors · heat · lake 3')
    within(dialog).getByText('and 6 more')
    fireEvent.click(within(dialog).getByRole('button', { name: 'Merge' }))
    expect((await within(dialog).findByRole('alert')).textContent).toBe('This contradicts earlier decisions')
    answer = [200, { id: id(3), decision: id(900) }]
    fireEvent.click(within(dialog).getByRole('button', { name: 'Merge' }))
    await waitFor(() => expect(section.toasts).toMatchObject([{ title: 'Narratives merged' }]))
    expect(calls('POST /narratives/canonical/:id/merge')[0]?.body).toEqual({ with: id(2), scope: 'all' })
  })

  it('is merged with one other narrative only, also if the preview fails', async () => {
    await open(path, {
      'GET /narratives/canonical/:id/merge': [500, { detail: 'Internal server error' }],
      'POST /narratives/canonical/:id/merge': [200, { id: id(1), decision: id(900) }],
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Merge…' }))
    const dialog = await screen.findByRole('dialog')
    fireEvent.click(await within(dialog).findByRole('radio', { name: /^sun satellites/ }))
    await within(dialog).findByText('Unable to load the other narratives that change.')
    fireEvent.click(within(dialog).getByRole('radio', { name: 'these two narratives only' }))
    within(dialog).getByText(/Other narratives and the graph keep these variants apart/)
    fireEvent.click(within(dialog).getByRole('button', { name: 'Merge' }))
    await waitFor(() =>
      expect(calls('POST /narratives/canonical/:id/merge')[0]?.body).toEqual({
        with: id(2),
        scope: 'narrative',
      }),
    )
  })

  it('is split by some of its members, but not by all', async () => {
    await open(path, { 'POST /narratives/canonical/:id/split': [200, { id: id(1), decision: id(901) }] })
    fireEvent.click(await screen.findByRole('button', { name: 'Split the subject' }))
    const dialog = await screen.findByRole('dialog')
    const submit = () => within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Split off' })
    expect(submit().disabled).toBe(true)
    const boxes = within(dialog).getAllByRole('checkbox').slice(0, 3)
    for (const box of boxes) fireEvent.click(box)
    expect(submit().disabled).toBe(true)
    fireEvent.click(boxes[0] as HTMLElement)
    fireEvent.click(submit())
    await waitFor(() =>
      expect(calls('POST /narratives/canonical/:id/split')[0]?.body).toEqual({
        part: 'subject',
        members: ['a mirror', 'sails'],
        together: true,
      }),
    )
  })

  it('shows a hint if it no longer exists, and no controls to other members', async () => {
    await open(path, { 'GET /narratives/canonical/:id': [404, { detail: 'Not found' }] })
    await screen.findByText('This narrative does not exist any more')
    await open(`${path}?user_id=${id(7)}`)
    await screen.findByText('Only their author can see the sentences.')
    expect(screen.queryByRole('button', { name: /Merge|Split/ })).toBeNull()
    expect(calls('GET /narratives/canonical/:id/sentences')).toEqual([])
  })
})

it('undoes a decision from the history', async () => {
  let undone: string | null = null
  await open('/canonical/history', {
    'GET /narratives/canonical/history': () => [200, [decision({ undone_at: undone })]],
    'POST /narratives/canonical/history/:id/undo': () => {
      undone = '2026-11-21T08:00:00.000Z'
      return [200, { done: true }]
    },
  })
  await screen.findByText('“giant mirrors” is the same as “sun satellites”')
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
  await screen.findByText('Undone')
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
})
