import type { Watch } from '@iodine/contracts'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { defineParcel } from '../src'
import { WatchButton, type WatchButtonProps } from '../src/watches'
import { hasSubject } from '../src/watches/subject'
import { openSection } from '../testing'

const PATH = '/dashboard/watched'
const ID = 'a'.repeat(24)
const stored: Watch = {
  id: 'b'.repeat(24),
  kind: 'iod',
  subject_id: ID,
  search: null,
  text: null,
  name: 'The claim',
  channels: ['mail'],
  paused: true,
  created_at: '2026-11-22T10:00:00.000Z',
}

/** Opens a page with a watch button, against a server with these watches. */
const open = async (
  props: WatchButtonProps,
  watches: Watch[],
  routes: Parameters<typeof openSection>[3] = {},
) => {
  const parcel = defineParcel({ '/': () => <WatchButton {...props} /> })
  const section = await openSection(parcel, PATH, PATH, {
    'GET /watches': () => [200, watches],
    'POST /watches': () => {
      watches.unshift({ ...stored, paused: false })
      return [201, watches[0]]
    },
    'PATCH /watches/:id': ({ body }) => {
      Object.assign(watches[0] ?? {}, body)
      return [200, watches[0]]
    },
    'DELETE /watches/:id': ({ params: { id } }) => {
      watches.splice(0, 1)
      return [200, { id }]
    },
    ...routes,
  })
  const bodies = () => section.calls.filter(({ route }) => route !== 'GET /watches')
  return { ...section, bodies }
}
const button = (name: string) => screen.findByRole('button', { name })
const isPressed = (name: string) =>
  waitFor(async () =>
    expect((await button(name)).getAttribute('aria-pressed')).toBe(String(name === 'Watching')),
  )

test('watches a subject, and offers the settings', async () => {
  const { bodies, toasts } = await open({ subject: { kind: 'iod', subject_id: ID } }, [])
  await waitFor(async () => expect((await button('Watch')).hasAttribute('disabled')).toBe(false))
  fireEvent.click(await button('Watch'))
  await isPressed('Watching')
  await waitFor(() => expect(toasts).toMatchObject([{ title: 'Watching', action: { text: 'Settings' } }]))
  expect(bodies().map(({ body }) => body)).toEqual([{ kind: 'iod', subject_id: ID }])
})

test('changes at once, ignores clicks meanwhile, and changes back on a rejection', async () => {
  let reject = () => {}
  const detail = 'You have 200 watches: delete one to make room'
  const { bodies, toasts } = await open({ subject: { kind: 'iod', subject_id: ID } }, [], {
    'POST /watches': async () => {
      await new Promise<void>(resolve => (reject = resolve))
      return [413, { detail }]
    },
  })
  await waitFor(async () => expect((await button('Watch')).hasAttribute('disabled')).toBe(false))
  fireEvent.click(await button('Watch'))
  fireEvent.click(await button('Watching'))
  await waitFor(() => expect(bodies()).toHaveLength(1))
  reject()
  await isPressed('Watch')
  expect(toasts).toEqual([{ title: 'Error', description: detail, status: 'error' }])
  expect(bodies()).toHaveLength(1)
})

test('stops watching, and Undo restores name, channels and pause', async () => {
  const watches = [{ ...stored }]
  const { bodies, toasts } = await open({ subject: { kind: 'iod', subject_id: ID } }, watches)
  fireEvent.click(await button('Watching'))
  await isPressed('Watch')
  await waitFor(() =>
    expect(toasts).toMatchObject([
      { title: 'Watch deleted', description: 'The claim', action: { text: 'Undo' } },
    ]),
  )
  toasts[0]?.action?.onClick()
  await isPressed('Watching')
  expect(bodies().map(({ route, body }) => [route, body])).toEqual([
    ['DELETE /watches/:id', undefined],
    ['POST /watches', { kind: 'iod', subject_id: ID, name: 'The claim', channels: ['mail'] }],
    ['PATCH /watches/:id', { paused: true }],
  ])
  expect(watches[0]?.paused).toBe(true)
})

test('counts a watch that another tab has deleted as deleted', async () => {
  const watches = [{ ...stored }]
  const { toasts } = await open({ subject: { kind: 'iod', subject_id: ID } }, watches, {
    'DELETE /watches/:id': () => {
      watches.length = 0
      return [404, { detail: 'Not found' }]
    },
  })
  fireEvent.click(await button('Watching'))
  await isPressed('Watch')
  await waitFor(() => expect(toasts).toMatchObject([{ title: 'Watch deleted' }]))
})

test('can watch although the watches could not be loaded', async () => {
  const { bodies } = await open({ subject: { kind: 'term', text: 'mirror' }, about: 'this term' }, [], {
    'GET /watches': [503, { detail: 'x' }],
  })
  await waitFor(async () => expect((await button('Watch this term')).hasAttribute('disabled')).toBe(false))
  fireEvent.click(await button('Watch this term'))
  await waitFor(() => expect(bodies()).toHaveLength(1))
})

test('speaks French on French pages', async () => {
  const { toasts } = await open({ subject: { kind: 'person', subject_id: ID }, lang: 'fr' }, [])
  await waitFor(async () => expect((await button('Suivre')).hasAttribute('disabled')).toBe(false))
  fireEvent.click(await button('Suivre'))
  await waitFor(() => expect(toasts).toMatchObject([{ title: 'Suivi', lang: 'fr' }]))
})

test('compares filters in any order, and texts without white space at their ends', () => {
  const search = { q: 'lake', category: ['URL', 'HASH'] }
  const watch = { kind: 'search', subject_id: null, text: null, search } as const
  expect(hasSubject(watch, { kind: 'search', search: { category: ['HASH', 'URL'], q: ' lake ' } })).toBe(true)
  expect(hasSubject(watch, { kind: 'search', search: { q: 'lake' } })).toBe(false)
  expect(hasSubject({ kind: 'term', text: 'a b' }, { kind: 'term', text: ' a b\n' })).toBe(true)
  expect(hasSubject({ kind: 'term', text: 'a b' }, { kind: 'text', text: 'a b' })).toBe(false)
})
