import type { Iod, Narrative } from '@iodine/contracts'
import { ApiError } from '@iodine/mfe-kit'
import { type Calls, mountSection, type Section } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
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

let section: Section
const open = async (calls: Calls, user: object = {}) => {
  section = await mountSection(
    parcel,
    { 'GET /narratives/data': () => [], 'GET /iods': () => [], 'POST /iods/lookup': () => [], ...calls },
    { user },
  )
  return section
}
afterEach(() => section.unmount())

const type = (name: RegExp | string, value: string) =>
  fireEvent.change(screen.getByRole('textbox', { name }), { target: { value } })
const extract = () => fireEvent.click(screen.getByRole('button', { name: 'Extract narratives' }))
const posts = () => section.requests.filter(request => request.route === 'POST /narratives')
const deferred = <T,>() => {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

describe('analyzing a text', () => {
  it('warns instead of sending white space', async () => {
    await open({})
    type(/^Text/, '  \n ')
    extract()
    await waitFor(() => expect(section.toasts).toHaveLength(1))
    expect(section.toasts[0]).toMatchObject({ status: 'warning', title: 'Please enter text to analyze' })
    expect(posts()).toEqual([])
  })

  it('sends text as typed and the trimmed source, once for two presses, and shows the new card', async () => {
    const answer = deferred<unknown>()
    let stored: Narrative[] = []
    await open({ 'POST /narratives': () => answer.promise, 'GET /narratives/data': () => stored })
    await screen.findByText('No narratives yet')
    type(/^Text/, ' The Moon orbits Earth. ')
    type(/^Source URL/, ' https://a.example/b ')
    extract()
    fireEvent.submit(screen.getByRole('form', { name: 'Analyze new text' }))
    expect(await screen.findByText(/Analyzing 1 text…/)).toBeTruthy()
    expect(screen.getByRole('article', { name: 'Narrative being extracted' })).toBeTruthy()
    expect(posts().map(request => request.input)).toEqual([
      { body: { text: ' The Moon orbits Earth. ', src: 'https://a.example/b' } },
    ])
    stored = [{ ...narrative('abc12345', ' The Moon orbits Earth. '), src: 'https://a.example/b' }]
    answer.resolve({ id: stored[0]?.id, triplets_extracted: 2 })
    expect(await screen.findByRole('article', { name: 'Narrative abc12345' })).toBeTruthy()
    expect(screen.getByRole('heading', { name: 'Analyzed narratives (1)' })).toBeTruthy()
    await waitFor(() => expect(screen.queryByText(/Analyzing/)).toBeNull())
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('')
    expect(section.toasts).toMatchObject([{ status: 'success', description: '2 triplets extracted' }])
  })

  it('shows how far a long text is, and forgets one that is cancelled without a word', async () => {
    const answer = deferred<unknown>()
    const text = 'A long story. '.repeat(1_000)
    await open({
      'POST /narratives': () => answer.promise,
      'GET /narratives/open': () => [
        {
          id: 'a'.repeat(24),
          text: text.slice(0, 200),
          text_length: text.length,
          src: null,
          created_at: new Date().toISOString(),
          progress: { done: 1, parts: 2 },
        },
      ],
      'DELETE /narratives/data/:id': ({ params }: { params: unknown }) => params,
    })
    type(/^Text/, text)
    extract()
    expect(await screen.findByText(/1 of 2 parts done/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByText(/Extracting narratives…/)).toBeNull())
    expect(
      section.requests.find(({ route }) => route === 'DELETE /narratives/data/:id')?.input,
    ).toMatchObject({ params: { id: 'a'.repeat(24) } })
    answer.reject(new ApiError(404, 'Not found'))
    await answer.promise.catch(() => {})
    await waitFor(() => expect(screen.queryByText(/Analyzing/)).toBeNull())
    expect(section.toasts).toEqual([])
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe(text)
  })

  it('keeps what is typed while another text runs', async () => {
    const answer = deferred<unknown>()
    await open({ 'POST /narratives': () => answer.promise })
    type(/^Text/, 'first')
    extract()
    await screen.findByText(/Analyzing 1 text…/)
    type(/^Text/, 'second')
    answer.resolve({ id: 'x', triplets_extracted: 0 })
    await waitFor(() => expect(section.toasts).toHaveLength(1))
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('second')
  })

  it('asks for the key when the provider’s key is missing, and links to the profile', async () => {
    await open({
      'POST /narratives': () => {
        throw new ApiError(400, 'Please configure your OpenAI API key in your profile')
      },
    })
    type(/^Text/, 'a text')
    extract()
    const link = await screen.findByRole('link', { name: 'Open my profile' })
    expect(section.toasts).toMatchObject([
      { status: 'warning', title: 'OpenAI key required', duration: 7000 },
    ])
    expect(link.getAttribute('href')).toBe('/dashboard/profile')
    fireEvent.click(link)
    expect(section.visited).toEqual(['/dashboard/profile'])
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text/ }).value).toBe('a text')
  })

  it.each([
    [
      new ApiError(422, ['text: must not be empty', 'src: must be a URL']),
      'text: must not be empty, src: must be a URL',
    ],
    [new ApiError(400, 'Bad request'), 'Bad request'],
    [new ApiError(0, null), 'Error extracting narratives'],
  ])('tells other failures: %s', async (error, description) => {
    await open({
      'POST /narratives': () => {
        throw error
      },
    })
    type(/^Text/, 'a text')
    extract()
    await waitFor(() =>
      expect(section.toasts).toMatchObject([{ status: 'error', title: 'Error', description }]),
    )
  })

  it('after a time-out waits for the card, also in a page opened anew', async () => {
    let stored: Narrative[] = []
    const calls = {
      'POST /narratives': () => {
        throw new ApiError(504, 'Still working: the narrative will appear in your list')
      },
      'GET /narratives/data': () => stored,
    }
    const user = { id: 'waiting-user' }
    await open(calls, user)
    type(/^Text/, 'slow text')
    extract()
    expect(await screen.findByText(/Still working\. The narrative appears here/)).toBeTruthy()
    expect(section.toasts).toMatchObject([
      { status: 'info', title: 'Still working: the narrative will appear in your list' },
    ])
    await section.unmount()
    await open(calls, user)
    expect(await screen.findByText(/Still working\. The narrative appears here/)).toBeTruthy()
    stored = [narrative('done0001', 'slow text')]
    expect(await screen.findByRole('article', { name: 'Narrative done0001' }, { timeout: 6000 })).toBeTruthy()
    await waitFor(() => expect(screen.queryByText(/Still working/)).toBeNull())
    expect(section.toasts.at(-1)).toMatchObject({ status: 'success', description: '2 triplets extracted' })
  })
})

describe('the list', () => {
  it('says when it cannot be loaded and tries again', async () => {
    let works = false
    await open({
      'GET /narratives/data': () => {
        if (!works) throw new ApiError(403, 'no')
        return [narrative('abc12345', 'text')]
      },
    })
    await waitFor(() =>
      expect(section.toasts).toMatchObject([{ title: 'Error', description: 'Unable to load narratives' }]),
    )
    works = true
    fireEvent.click(await screen.findByRole('button', { name: 'Retry' }))
    expect(await screen.findByRole('article', { name: 'Narrative abc12345' })).toBeTruthy()
  })

  it('deletes a narrative, and says when it could not', async () => {
    let stored = [narrative('aaaaaaaa', 'first', 1), narrative('bbbbbbbb', 'second', 3)]
    await open({
      'GET /narratives/data': () => stored,
      'DELETE /narratives/data/:id': ({ params }: { params: { id: string } }) => {
        if (params.id.startsWith('b')) throw new ApiError(500, null)
        stored = stored.filter(item => item.id !== params.id)
      },
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Delete narrative aaaaaaaa' }))
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Narrative aaaaaaaa' })).toBeNull())
    fireEvent.click(screen.getByRole('button', { name: 'Delete narrative bbbbbbbb' }))
    await waitFor(() =>
      expect(section.toasts.at(-1)).toMatchObject({ description: 'Unable to delete narrative' }),
    )
    expect(screen.getByRole('heading', { name: 'Analyzed narratives (1)' })).toBeTruthy()
  })
})

describe('triplets and IODs', () => {
  const calls = { 'GET /narratives/data': () => [narrative('abc12345', 'text', 7)] }

  it('marks a triplet that is an IOD by value, whatever its case, or by its id', async () => {
    await open({
      ...calls,
      'GET /iods': () => [iod({ value: 'reworded', source_type: 'NARRATIVES', source_id: 8 })],
      'POST /iods/lookup': () => [iod({ value: ' moon ORBITS earth ' })],
    })
    const card = await screen.findByRole('article', { name: 'Narrative abc12345' })
    await waitFor(() => expect(within(card).getAllByTitle(/^Already an IOD/)).toHaveLength(2))
    expect(within(card).queryByRole('button', { name: /^Convert to IOD/ })).toBeNull()
  })

  it('converts a triplet with what the user made of value and description', async () => {
    await open({ ...calls, 'POST /iods': ({ body }: { body: Partial<Iod> }) => iod(body) })
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
    expect(section.requests.find(request => request.route === 'POST /iods')?.input).toEqual({
      body: {
        value: 'The Moon orbits Earth',
        category: 'NARRATIVE_TRIPLET',
        description: 'why',
        source_type: 'NARRATIVES',
        source: null,
        source_id: 7,
      },
    })
  })

  it('keeps the dialog open when the IOD could not be created', async () => {
    await open({
      ...calls,
      'POST /iods': () => {
        throw new ApiError(500, null)
      },
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Convert to IOD: Sun warms Earth' }))
    fireEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Create IOD' }))
    await waitFor(() => expect(section.toasts).toMatchObject([{ description: 'Unable to create IOD' }]))
    expect(screen.getByRole('dialog')).toBeTruthy()
  })
})
