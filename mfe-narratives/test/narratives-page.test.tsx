import { DETAILS, type Iod, type Narrative, type Profile } from '@iodine/contracts'
import { type Answer, openSection, type Routes } from '@iodine/mfe-kit/testing'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { mergeEqual, sentenceOf } from '../src/model/triplets'
import { parcel } from '../src/parcel'

const narrative = (id: string, text: string, firstTriplet = 1): Narrative => ({
  id: id.padEnd(24, '0'),
  text,
  src: null,
  triplets: [
    { id: firstTriplet, subject: 'Moon', verb: 'orbits', object: 'Earth', narrative_data: { src: null } },
    { id: firstTriplet + 1, subject: 'Sun', verb: 'warms', object: 'Earth', narrative_data: { src: null } },
  ],
})
const iod = (fields: Partial<Iod>): Iod =>
  ({ id: 'f'.repeat(24), value: 'x', source_type: 'MANUAL', source_id: null, ...fields }) as Iod

const PATH = '/dashboard/narratives'
let section: Awaited<ReturnType<typeof openSection>>
const open = async (routes: Routes, user: Partial<Profile> = {}) => {
  const quiet: Routes = {
    'GET /narratives/data': [200, []],
    'GET /narratives/open': [200, []],
    'GET /iods': [200, []],
    'POST /iods/lookup': [200, []],
    'GET /narratives/data/:id/citations': [200, []],
  }
  section = await openSection(parcel, PATH, PATH, { ...quiet, ...routes }, { has_openai_key: true, ...user })
}

const type = (name: RegExp | string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } })
const extract = () => fireEvent.click(screen.getByRole('button', { name: 'Extract narratives' }))
const posts = () => section.calls.filter(({ route }) => route === 'POST /narratives')
const deferred = () => {
  let resolve: (answer: Answer) => void = () => {}
  const promise = new Promise<Answer>(yes => {
    resolve = yes
  })
  return { promise, resolve }
}

it('merges equal triplets of a text into one row with their number', () => {
  const tripletOf = (id: number, subject: string) => ({
    id,
    subject,
    verb: 'heat',
    object: 'the lake',
    narrative_data: { src: null },
  })
  const merged = mergeEqual([tripletOf(1, 'Mirrors'), tripletOf(2, 'mirrors'), tripletOf(3, 'Mirrors')])
  expect(merged.map(({ triplet, times, ids }) => [triplet.id, times, ids])).toEqual([
    [1, 2, [1, 3]],
    [2, 1, [2]],
  ])
  const citations = [
    { triplet_id: 3, start: 5, end: 9 },
    { triplet_id: 1, start: 7, end: 9 },
  ]
  expect(sentenceOf([1, 3], citations)).toEqual({ start: 5, end: 9 })
  expect(sentenceOf([2], citations)).toBeNull()
})

describe('analyzing a text', () => {
  it('warns about blank text and sends nothing', async () => {
    await open({})
    type(/^Text/, '  \n ')
    extract()
    await waitFor(() => expect(section.toasts).toHaveLength(1))
    expect(section.toasts[0]).toMatchObject({ status: 'warning', title: 'Please enter text to analyze' })
    expect(posts()).toEqual([])
  })

  it('sends the text unchanged and the source trimmed, once for two submits, and shows the new card', async () => {
    const answer = deferred()
    let stored: Narrative[] = []
    await open({ 'POST /narratives': () => answer.promise, 'GET /narratives/data': () => [200, stored] })
    await screen.findByText('No narratives yet')
    type(/^Text/, ' The Moon orbits Earth. ')
    type(/^Source URL/, ' https://a.example/b ')
    extract()
    fireEvent.submit(screen.getByRole('form', { name: 'Analyze new text' }))
    expect(await screen.findByText(/Analyzing 1 text…/)).toBeTruthy()
    expect(screen.getByRole('article', { name: 'Narrative being extracted' })).toBeTruthy()
    await waitFor(() => expect(posts()).toHaveLength(1))
    stored = [{ ...narrative('abc12345', ' The Moon orbits Earth. '), src: 'https://a.example/b' }]
    answer.resolve([201, { id: stored[0]?.id, triplets_extracted: 2 }])
    expect(await screen.findByRole('article', { name: 'Narrative abc12345' })).toBeTruthy()
    expect(screen.getByRole('heading', { name: 'Analyzed narratives (1)' })).toBeTruthy()
    await waitFor(() => expect(screen.queryByText(/Analyzing/)).toBeNull())
    expect(posts().map(({ body }) => body)).toEqual([
      { text: ' The Moon orbits Earth. ', src: 'https://a.example/b' },
    ])
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('')
    expect(section.toasts).toMatchObject([{ status: 'success', description: '2 triplets extracted' }])
  })

  it('shows the progress of a long text, and cancels it without a toast', async () => {
    const answer = deferred()
    const text = 'A long story. '.repeat(1_000)
    await open({
      'POST /narratives': () => answer.promise,
      'GET /narratives/open': [
        200,
        [
          {
            id: 'a'.repeat(24),
            text: text.slice(0, 200),
            text_length: text.length,
            src: null,
            created_at: new Date().toISOString(),
            progress: { done: 1, parts: 2 },
          },
        ],
      ],
      'DELETE /narratives/data/:id': [200, {}],
    })
    type(/^Text/, text)
    extract()
    expect(await screen.findByText(/1 of 2 parts done/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByText(/Extracting narratives…/)).toBeNull())
    expect(section.calls.find(({ route }) => route === 'DELETE /narratives/data/:id')?.params).toEqual({
      id: 'a'.repeat(24),
    })
    answer.resolve([404, { detail: 'Not found' }])
    await waitFor(() => expect(screen.queryByText(/Analyzing/)).toBeNull())
    expect(section.toasts).toEqual([])
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe(text)
  })

  it('keeps the next text while another is being analyzed', async () => {
    const answer = deferred()
    await open({ 'POST /narratives': () => answer.promise })
    type(/^Text/, 'first')
    extract()
    await screen.findByText(/Analyzing 1 text…/)
    type(/^Text/, 'second')
    answer.resolve([201, { id: 'x', triplets_extracted: 0 }])
    await waitFor(() => expect(section.toasts).toHaveLength(1))
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('second')
  })

  it.each([DETAILS.missingAiKey, DETAILS.rejectedAiKey])(
    'warns about the API key, and shows the error beside a link to the profile: %s',
    async detail => {
      await open({ 'POST /narratives': [400, { detail }] })
      type(/^Text/, 'a text')
      extract()
      const link = await screen.findByRole('link', { name: 'Open my profile' })
      expect(section.toasts).toMatchObject([
        { status: 'warning', title: 'OpenAI key required', duration: 7000 },
      ])
      expect(link.parentElement?.textContent).toBe(`OpenAI key required${detail}Open my profile`)
      expect(link.getAttribute('href')).toBe('/dashboard/profile')
      expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('a text')
      fireEvent.click(link)
      expect(section.path()).toBe('/dashboard/profile')
    },
  )

  it.each<[Answer, string]>([
    [
      [422, { detail: ['text: must not be empty', 'src: must be a URL'] }],
      'text: must not be empty, src: must be a URL',
    ],
    [[400, { detail: 'Bad request' }], 'Bad request'],
    [null, 'Error extracting narratives'],
  ])('shows a toast for other failures, and keeps the text: %j', async (answer, description) => {
    await open({ 'POST /narratives': answer })
    type(/^Text/, 'a text')
    extract()
    await waitFor(() =>
      expect(section.toasts).toMatchObject([{ status: 'error', title: 'Error', description }]),
    )
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('a text')
    expect(screen.queryByText('OpenAI key required')).toBeNull()
  })

  it('waits for the card after a timeout, also after a reload', async () => {
    let stored: Narrative[] = []
    const routes: Routes = {
      'POST /narratives': [504, { detail: 'Still working: the narrative will appear in your list' }],
      'GET /narratives/data': () => [200, stored],
    }
    const user = { id: 'e'.repeat(24) }
    await open(routes, user)
    type(/^Text/, 'slow text')
    extract()
    expect(await screen.findByText(/Still working\. The narrative appears here/)).toBeTruthy()
    expect(section.toasts).toMatchObject([
      { status: 'info', title: 'Still working: the narrative will appear in your list' },
    ])
    await open(routes, user)
    expect(await screen.findByText(/Still working\. The narrative appears here/)).toBeTruthy()
    stored = [narrative('done0001', 'slow text')]
    expect(await screen.findByRole('article', { name: 'Narrative done0001' })).toBeTruthy()
    await waitFor(() => expect(screen.queryByText(/Still working/)).toBeNull())
    expect(section.toasts.at(-1)).toMatchObject({ status: 'success', description: '2 triplets extracted' })
  })
})

describe('the list', () => {
  it('shows an error if it fails to load, and retries', async () => {
    let works = false
    await open({
      'GET /narratives/data': () =>
        works ? [200, [narrative('abc12345', 'text')]] : [403, { detail: 'no' }],
    })
    await waitFor(() =>
      expect(section.toasts).toMatchObject([{ title: 'Error', description: 'Unable to load narratives' }]),
    )
    works = true
    fireEvent.click(await screen.findByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('article', { name: 'Narrative abc12345' })).toBeTruthy()
  })

  it('deletes a narrative, and shows an error if the deletion fails', async () => {
    let stored = [narrative('aaaaaaaa', 'first', 1), narrative('bbbbbbbb', 'second', 3)]
    await open({
      'GET /narratives/data': () => [200, stored],
      'DELETE /narratives/data/:id': ({ params }) => {
        if (params.id?.startsWith('b')) return [500, {}]
        stored = stored.filter(item => item.id !== params.id)
        return [200, {}]
      },
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Delete narrative aaaaaaaa' }))
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Narrative aaaaaaaa' })).toBeNull())
    fireEvent.click(screen.getByRole('button', { name: 'Delete narrative bbbbbbbb' }))
    await waitFor(() =>
      expect(section.toasts.at(-1)).toMatchObject({ description: 'Unable to delete narrative' }),
    )
    // The list has been refetched.
    expect(await screen.findByRole('heading', { name: 'Analyzed narratives (1)' })).toBeTruthy()
  })
})

describe('a deleted narrative', () => {
  const three = () => [
    narrative('aaaaaaaa', 'first', 1),
    narrative('bbbbbbbb', 'second', 3),
    narrative('cccccccc', 'third', 5),
  ]
  /** Opens a list whose narratives can be deleted and restored. */
  const openList = async (all: Narrative[], restored: Answer = [200, {}]) => {
    let stored = all
    await open({
      'GET /narratives/data': () => [200, stored],
      'DELETE /narratives/data/:id': ({ params }) => {
        stored = stored.filter(({ id }) => id !== params.id)
        return [200, {}]
      },
      'POST /narratives/data/:id/restore': ({ params }) => {
        if (restored?.[0] === 200)
          stored = all.filter(({ id }) => id === params.id || stored.some(each => each.id === id))
        return restored
      },
    })
  }
  const remove = async (id: string) =>
    fireEvent.click(await screen.findByRole('button', { name: `Delete narrative ${id}` }))
  const places = () =>
    [...document.querySelectorAll('[role=article], [role=group][aria-label="Deleted narrative"]')].map(item =>
      item.getAttribute('aria-label'),
    )

  it('keeps a placeholder until the mouse leaves it, and is restored there by Undo', async () => {
    await openList(three())
    await remove('bbbbbbbb')
    const place = await screen.findByRole('group', { name: 'Deleted narrative' })
    await screen.findByRole('heading', { name: 'Analyzed narratives (2)' })
    expect(places()).toEqual(['Narrative aaaaaaaa', 'Deleted narrative', 'Narrative cccccccc'])
    expect(document.activeElement).toBe(within(place).getByRole('button', { name: 'Undo' }))
    // The page scrolls under a resting mouse, which may also move inside the placeholder.
    const moveTo = (target: Element, clientX: number) =>
      fireEvent.pointerMove(target, { pointerType: 'mouse', clientX, clientY: 5 })
    const [above] = screen.getAllByRole('article')
    moveTo(above as Element, 5)
    moveTo(above as Element, 6)
    moveTo(place, 300)
    expect(places()).toHaveLength(3)
    fireEvent.click(within(place).getByRole('button', { name: 'Undo' }))
    await waitFor(() =>
      expect(places()).toEqual(['Narrative aaaaaaaa', 'Narrative bbbbbbbb', 'Narrative cccccccc']),
    )
    await remove('aaaaaaaa')
    await screen.findByRole('group', { name: 'Deleted narrative' })
    moveTo(document.body, 5)
    moveTo(document.body, 50)
    await waitFor(() => expect(places()).toEqual(['Narrative bbbbbbbb', 'Narrative cccccccc']))
  })

  it('is restored by its own toast, also from an empty list', async () => {
    await openList(three().slice(0, 2))
    await remove('aaaaaaaa')
    await waitFor(() => expect(section.toasts).toHaveLength(1))
    await remove('bbbbbbbb')
    await waitFor(() => expect(section.toasts).toHaveLength(2))
    expect(section.toasts).toMatchObject([
      { status: 'success', title: 'Narrative deleted', action: { text: 'Undo' } },
      { status: 'success', title: 'Narrative deleted', action: { text: 'Undo' } },
    ])
    expect(section.toasts[0]?.key).not.toBe(section.toasts[1]?.key)
    await act(async () => section.toasts[0]?.action?.onClick())
    expect(await screen.findByRole('article', { name: 'Narrative aaaaaaaa' })).toBeTruthy()
    expect(screen.queryByRole('article', { name: 'Narrative bbbbbbbb' })).toBeNull()
    await openList(three().slice(0, 1))
    await remove('aaaaaaaa')
    // A placeholder is not needed: no other card can move under the pointer.
    expect(await screen.findByText('No narratives yet')).toBeTruthy()
    await act(async () => section.toasts[0]?.action?.onClick())
    expect(await screen.findByRole('article', { name: 'Narrative aaaaaaaa' })).toBeTruthy()
  })

  it.each<[Answer, string]>([
    [[404, { detail: 'Not found' }], 'This narrative can no longer be restored'],
    [[413, { detail: 'You have 4 of 4 narratives' }], 'You have 4 of 4 narratives'],
    [[503, {}], 'Unable to restore narrative'],
  ])('shows an error if it cannot be restored: %j', async (answer, description) => {
    await openList(three(), answer)
    await remove('aaaaaaaa')
    const place = await screen.findByRole('group', { name: 'Deleted narrative' })
    fireEvent.click(within(place).getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(section.toasts.at(-1)).toMatchObject({ status: 'error', description }))
  })

  it('reports no error if it is already restored', async () => {
    await openList(three(), [409, { detail: 'This narrative is not deleted' }])
    await remove('aaaaaaaa')
    const place = await screen.findByRole('group', { name: 'Deleted narrative' })
    fireEvent.click(within(place).getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(screen.queryByRole('group', { name: 'Deleted narrative' })).toBeNull())
    expect(section.toasts).toHaveLength(1)
  })
})

describe('the heading', () => {
  it('shows no number before the list has loaded', async () => {
    const answer = deferred()
    await open({ 'GET /narratives/data': () => answer.promise })
    expect(screen.getByRole('heading', { level: 2, name: 'Analyzed narratives' })).toBeTruthy()
    answer.resolve([403, { detail: 'no' }])
    await screen.findByRole('button', { name: 'Retry' })
    expect(screen.getByRole('heading', { level: 2, name: 'Analyzed narratives' })).toBeTruthy()
  })
})

describe('triplets and IODs', () => {
  const routes: Routes = { 'GET /narratives/data': [200, [narrative('abc12345', 'text', 7)]] }

  it('marks a triplet as an IOD by its value, ignoring case, or by its id', async () => {
    await open({
      ...routes,
      'GET /iods': [200, [iod({ value: 'reworded', source_type: 'NARRATIVES', source_id: 8 })]],
      'POST /iods/lookup': [200, [iod({ value: ' moon ORBITS earth ' })]],
    })
    const card = await screen.findByRole('article', { name: 'Narrative abc12345' })
    await waitFor(() => expect(within(card).getAllByTitle(/^Already an IOD/)).toHaveLength(2))
    expect(within(card).queryByRole('button', { name: /^Convert to IOD/ })).toBeNull()
  })

  it('converts a triplet with an edited value and description', async () => {
    await open({ ...routes, 'POST /iods': ({ body }) => [201, iod(body as Partial<Iod>)] })
    fireEvent.click(await screen.findByRole('button', { name: 'Convert to IOD: Moon orbits Earth' }))
    const dialog = await screen.findByRole('dialog')
    const value = within(dialog).getByRole<HTMLInputElement>('textbox', { name: /^IOD Value/ })
    const submit = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Create IOD' })
    expect(value.value).toBe('Moon orbits Earth')
    fireEvent.change(value, { target: { value: ' ' } })
    expect(submit.disabled).toBe(true)
    fireEvent.change(value, { target: { value: 'The Moon orbits Earth' } })
    fireEvent.change(within(dialog).getByRole('textbox', { name: /^Description/ }), {
      target: { value: 'why' },
    })
    fireEvent.click(submit)
    await screen.findByTitle('Already an IOD: The Moon orbits Earth')
    expect(section.calls.find(({ route }) => route === 'POST /iods')?.body).toEqual({
      value: 'The Moon orbits Earth',
      category: 'NARRATIVE_TRIPLET',
      description: 'why',
      source_type: 'NARRATIVES',
      source: null,
      source_id: 7,
    })
  })

  describe('citations', () => {
    const TEXT = 'Once upon a time. The Moon orbits the Earth. The end.'
    const [start, end] = [18, 44]
    const cited: Routes = {
      'GET /narratives/data': [200, [narrative('abc12345', TEXT, 7)]],
      'GET /narratives/data/:id/citations': [200, [{ triplet_id: 7, start, end }]],
    }
    const citationCalls = () => section.calls.filter(({ route }) => route.endsWith('/citations'))
    const rowOf = async (subject: string) => (await screen.findByText(subject)).closest('li') as HTMLLIElement

    it('highlights the sentence of a triplet under the pointer, with one request per card', async () => {
      await open(cited)
      const row = await rowOf('Moon')
      expect(citationCalls()).toEqual([])
      fireEvent.pointerEnter(row)
      const mark = await screen.findByText('The Moon orbits the Earth.')
      expect(mark.tagName).toBe('MARK')
      fireEvent.pointerLeave(row)
      expect(document.querySelector('mark')).toBeNull()
      fireEvent.focus(within(row).getByRole('button', { name: /^Convert to IOD/ }))
      expect(document.querySelector('mark')?.textContent).toBe('The Moon orbits the Earth.')
      fireEvent.blur(within(row).getByRole('button', { name: /^Convert to IOD/ }))
      fireEvent.pointerEnter(await rowOf('Sun'))
      expect(await screen.findByText('No sentence found for this triplet')).toBeTruthy()
      expect(document.querySelector('mark')).toBeNull()
      expect(citationCalls().map(({ params }) => params.id)).toEqual(['abc12345'.padEnd(24, '0')])
    })

    it('shows no error if loading them fails', async () => {
      await open({ ...cited, 'GET /narratives/data/:id/citations': [404, { detail: 'Not found' }] })
      fireEvent.pointerEnter(await rowOf('Sun'))
      await waitFor(() => expect(citationCalls()).toHaveLength(1))
      expect(screen.queryByText('No sentence found for this triplet')).toBeNull()
      expect(section.toasts).toEqual([])
    })

    const convert = async (name: string) => {
      fireEvent.click(await screen.findByRole('button', { name: `Convert to IOD: ${name}` }))
      fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create IOD' }))
    }
    const quotes = () => section.calls.filter(({ route }) => route === 'POST /iods/:id/evidence')

    it('adds the sentence of a triplet as evidence of its IOD, if there is one', async () => {
      await open({
        ...cited,
        'POST /iods': ({ body }) => [201, iod(body as Partial<Iod>)],
        'POST /iods/:id/evidence': [201, {}],
      })
      await convert('Moon orbits Earth')
      await waitFor(() => expect(quotes()).toHaveLength(1))
      expect(quotes()[0]?.body).toEqual({
        narrative_id: 'abc12345'.padEnd(24, '0'),
        start,
        end,
        exact: 'The Moon orbits the Earth.',
      })
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
      await convert('Sun warms Earth')
      await waitFor(() => expect(section.toasts).toHaveLength(2))
      expect(section.toasts.map(({ status }) => status)).toEqual(['success', 'success'])
      expect(quotes()).toHaveLength(1)
    })

    it('shows the created IOD although its sentence fails to load', async () => {
      await open({
        ...cited,
        'POST /iods': ({ body }) => [201, iod(body as Partial<Iod>)],
        'GET /narratives/data/:id/citations': [404, { detail: 'Not found' }],
      })
      await convert('Moon orbits Earth')
      await waitFor(() => expect(section.toasts).toHaveLength(2))
      expect(section.toasts).toMatchObject([
        { status: 'success', title: 'IOD created' },
        { status: 'warning', title: 'The IOD was created, but its quote could not be added' },
      ])
    })
  })

  it('keeps the dialog open if the IOD is rejected', async () => {
    await open({ ...routes, 'POST /iods': [500, {}] })
    fireEvent.click(await screen.findByRole('button', { name: 'Convert to IOD: Sun warms Earth' }))
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create IOD' }))
    await waitFor(() => expect(section.toasts).toMatchObject([{ description: 'Unable to create IOD' }]))
    expect(screen.getByRole('dialog')).toBeTruthy()
  })
})
