import { LIMITS, type Profile, type ThreadComment } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { parcel } from '../src/parcel'
import { iod } from './fixtures'

const LIST = '/dashboard/iods'
const target = iod('alpha')
const ME = 'c'.repeat(24)
let made = 0
const newId = () => (++made).toString(16).padStart(24, 'a')

const said = (content: string, fields: Partial<ThreadComment> = {}): ThreadComment => ({
  id: newId(),
  content,
  user_id: newId(),
  username: 'bo',
  created_at: new Date().toISOString(),
  mentions: [],
  reply_to: null,
  edited_at: null,
  deleted: null,
  imported: false,
  ...fields,
})

/** Opens the panel over comments that its requests change. */
const open = async (comments: ThreadComment[], change: Partial<Profile> = {}, routes: Routes = {}) => {
  const opened = await openSection(
    parcel,
    LIST,
    `${LIST}/${target.id}`,
    {
      'GET /iods': () => [200, [target], { 'X-Total-Count': '1' }],
      'GET /iods/facets': () => [200, { total: 1, categories: {}, source_types: {} }],
      'GET /iods/:id': () => [200, target],
      'GET /iods/:id/comments': () => [200, comments, { 'X-Total-Count': String(comments.length) }],
      'POST /iods/:id/comments': ({ body }) => {
        const { content, reply_to } = body as { content: string; reply_to: string | null }
        comments.push(said(content, { user_id: ME, username: 'ada', reply_to }))
        return [201, comments.at(-1)]
      },
      'PATCH /iods/:id/comments/:cid': ({ params, body }) => {
        const comment = comments.find(({ id }) => id === params.cid)
        Object.assign(comment ?? {}, body, { edited_at: new Date().toISOString() })
        return [200, comment]
      },
      'DELETE /iods/:id/comments/:cid': ({ params }) => {
        comments.splice(0, comments.length, ...comments.filter(({ id }) => id !== params.cid))
        return [200, { id: params.cid }]
      },
      'GET /community/users': () => [200, { users: [person('bo_2'), person('bolek')], total: 2 }],
      'POST /iods/consensus': [200, {}],
      'POST /iods/evidence/counts': [200, {}],
      'GET /campaigns': () => [200, [], { 'X-Total-Count': '0' }],
      'GET /:source/data': () => [200, [], { 'X-Total-Count': '0' }],
      'GET /narratives/data': () => [200, [], { 'X-Total-Count': '0' }],
      'GET /graph/mentions': () => [200, [], { 'X-Total-Count': '0' }],
      ...routes,
    },
    { id: ME, ...change },
  )
  const part = within(await screen.findByRole('region', { name: 'Comments' }))
  return { ...opened, part }
}
const person = (username: string) => ({
  id: newId(),
  username,
  created_at: '2026-11-20T10:00:00.000Z',
  total_contributions: 0,
  recent_contributions: [],
})
type Part = Awaited<ReturnType<typeof open>>['part']

const type = (field: HTMLElement, text: string) => {
  fireEvent.change(field, { target: { value: text } })
}
const click = (part: Part, name: string) => fireEvent.click(part.getByRole('button', { name }))

test('shows threads with links, mentions, and marks of edited, deleted and imported comments', async () => {
  const root = said('', { deleted: 'author', user_id: null, username: null })
  const bo = newId()
  const { part } = await open([
    root,
    said('See https://example.org/a. @bo <b>it</b>', {
      reply_to: root.id,
      mentions: [{ user_id: bo, start: 27, end: 30 }],
      edited_at: new Date().toISOString(),
    }),
    said('From a file', { user_id: null, username: 'lu', imported: true }),
    said('Left', { user_id: null, username: null }),
  ])
  expect(await part.findByText('Deleted comment')).toBeTruthy()
  const link = part.getByRole('link', { name: 'https://example.org/a' })
  expect(link.getAttribute('rel')).toContain('nofollow')
  expect(part.getByRole('link', { name: '@bo' }).getAttribute('href')).toContain(bo)
  expect(link.closest('p')?.textContent).toBe('See https://example.org/a. @bo <b>it</b>')
  expect(part.getByText('edited')).toBeTruthy()
  expect(part.getByText('imported').closest('li')?.textContent).toMatch(/^lu/)
  expect(part.getByText('Left').closest('li')?.textContent).toMatch(/^Unknown/)
  expect(part.queryByRole('button', { name: 'Delete' })).toBeNull()
})

test('adds a comment by Ctrl+Enter with a key, and a reply', async () => {
  const { part, calls } = await open([])
  expect(await part.findByText('No comments yet')).toBeTruthy()
  const field = part.getByRole('textbox', { name: 'Add a comment' })
  expect(part.getByRole('button', { name: 'Comment' }).hasAttribute('disabled')).toBe(true)
  type(field, 'Seen before')
  fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
  expect(await part.findByText('Seen before')).toBeTruthy()
  await waitFor(() => expect((field as HTMLTextAreaElement).value).toBe(''))
  expect(part.getByRole('heading', { name: 'Comments (1)' })).toBeTruthy()

  click(part, 'Reply')
  type(part.getByRole('textbox', { name: 'Reply' }), 'Where?')
  fireEvent.keyDown(part.getByRole('textbox', { name: 'Reply' }), { key: 'Enter', ctrlKey: true })
  expect(await part.findByText('Where?')).toBeTruthy()
  await waitFor(() => expect(part.queryByRole('textbox', { name: 'Reply' })).toBeNull())
  const sent = calls.filter(({ route }) => route === 'POST /iods/:id/comments').map(({ body }) => body)
  expect(sent).toMatchObject([{ reply_to: null }, { reply_to: expect.stringMatching(/^[0-9a-f]{24}$/) }])
})

test('keeps a text that could not be sent, and after leaving', async () => {
  const refused: Routes = { 'POST /iods/:id/comments': [429, { detail: 'Too many requests' }] }
  const { part, toasts } = await open([], {}, refused)
  type(await part.findByRole('textbox', { name: 'Add a comment' }), 'Seen before')
  click(part, 'Comment')
  await waitFor(() => expect(toasts).toMatchObject([{ description: 'Too many requests' }]))
  const again = await open([])
  const field = await again.part.findByRole('textbox', { name: 'Add a comment' })
  expect((field as HTMLTextAreaElement).value).toBe('Seen before')
  type(field, '')
})

test('refuses a text that is too long before it is sent', async () => {
  const { part } = await open([])
  const field = await part.findByRole('textbox', { name: 'Add a comment' })
  type(field, '🛰'.repeat(LIMITS.commentMax + 1))
  expect(part.getByText('2,001 of 2,000 characters')).toBeTruthy()
  expect(part.getByRole('button', { name: 'Comment' }).hasAttribute('disabled')).toBe(true)
  type(field, '')
})

test('completes a username after @ by keyboard', async () => {
  const { part } = await open([])
  const field = (await part.findByRole('textbox', { name: 'Add a comment' })) as HTMLTextAreaElement
  type(field, 'Ask @bo')
  const people = await part.findByRole('listbox', { name: 'People' })
  expect(within(people).getAllByRole('option')).toHaveLength(2)
  fireEvent.keyDown(field, { key: 'ArrowDown' })
  fireEvent.keyDown(field, { key: 'Enter' })
  expect(field.value).toBe('Ask @bolek ')
  expect(part.queryByRole('listbox')).toBeNull()
  type(field, '')
})

test('edits and deletes an own comment; Undo keeps it', async () => {
  const { part, calls, toasts } = await open([said('Fisrt', { user_id: ME })])
  await part.findByText('Fisrt')
  click(part, 'Edit')
  type(part.getByRole('textbox', { name: 'Edit comment' }), 'First')
  click(part, 'Save')
  expect(await part.findByText('First', { selector: 'p' })).toBeTruthy()

  const deleted = () => calls.filter(({ route }) => route.startsWith('DELETE')).length
  click(part, 'Delete')
  expect(part.queryByText('First')).toBeNull()
  const undo = toasts.find(({ title }) => title === 'Comment deleted')?.action
  act(() => undo?.onClick())
  expect(part.getByText('First')).toBeTruthy()
  fireEvent(window, new Event('pagehide'))
  expect(deleted()).toBe(0)

  click(part, 'Delete')
  fireEvent(window, new Event('pagehide'))
  expect(await part.findByText('No comments yet')).toBeTruthy()
  await waitFor(() => expect(deleted()).toBe(1))
})

test('lets an administrator delete comments of others, and nobody edit old ones', async () => {
  const created_at = new Date(Date.now() - LIMITS.commentEditMs - 1).toISOString()
  const { part } = await open([said('Old', { created_at })], { is_admin: true })
  await part.findByText('Old')
  expect(part.getByRole('button', { name: 'Delete' })).toBeTruthy()
  expect(part.queryByRole('button', { name: 'Edit' })).toBeNull()
})
