import type { Notification, Watch } from '@iodine/contracts'
import { defineParcel } from '@iodine/mfe-kit'
import type { Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { eventText, notificationPath, unreadText } from '../src/notifications/texts'
import { openApp, user } from './harness'

const IOD = 'a'.repeat(24)
const mention: Notification = {
  id: '1'.repeat(24),
  watch_id: null,
  kind: 'mention',
  subject: { kind: 'iod', id: IOD, title: 'https://example.org/claim' },
  comment_id: 'c'.repeat(24),
  votes: null,
  actor: { id: 'd'.repeat(24), username: 'bea' },
  at: '2026-11-23T10:00:00.000Z',
  read_at: null,
  count: 1,
}
const search: Watch = {
  id: '2'.repeat(24),
  kind: 'search',
  subject_id: null,
  search: { q: 'lake', category: ['URL', 'HASH'] },
  text: null,
  name: 'Lakes',
  channels: ['mail', 'webhook', 'feed'],
  paused: false,
  created_at: '2026-11-22T10:00:00.000Z',
}
const matches: Notification = {
  ...mention,
  id: '3'.repeat(24),
  watch_id: search.id,
  kind: 'iod',
  subject: { kind: 'search', id: search.id, title: 'Lakes' },
  comment_id: null,
  actor: null,
  at: '2026-11-22T10:00:00.000Z',
  read_at: '2026-11-22T11:00:00.000Z',
  count: 1_000,
}

const section = defineParcel({ '/*': () => <h1>The section</h1> })

/** Opens the dashboard against a server with these notifications. */
const open = (list: () => Notification[], routes: Routes = {}) => {
  const state = () => {
    const unread = list().filter(({ read_at }) => read_at === null)
    return { unread: unread.length, latest: unread[0]?.at ?? null }
  }
  return openApp(
    '/dashboard/nowhere',
    {
      'GET /profile/me': [200, user],
      'GET /notifications/unread': () => [200, state()],
      'GET /notifications': () => [200, list()],
      'GET /watches': [200, [search]],
      'POST /notifications/read': ({ body }) => {
        const { ids, until } = body as { ids?: string[]; until?: string }
        for (const each of list())
          if (ids?.includes(each.id) || (until && each.at <= until)) each.read_at = '2026-11-24T10:00:00.000Z'
        return [200, state()]
      },
      ...routes,
    },
    { token: 't', remotes: { load: async () => section } },
  )
}
const bell = (name: string) => screen.findByRole('button', { name })
const openDrawer = async (name = 'Notifications') => {
  await waitFor(async () => expect((await bell(name)).hasAttribute('disabled')).toBe(false))
  fireEvent.click(await bell(name))
  return within(await screen.findByRole('dialog', { name: 'Notifications' }))
}

test('shows the number of unread notifications, and opens their subjects', async () => {
  const list = [{ ...mention }, { ...matches }]
  const { calls } = await open(() => list)
  const drawer = await openDrawer('Notifications, 1 unread')
  const [first, second] = await drawer.findAllByRole('listitem')
  expect(first?.textContent).toMatch(/^@bea mentioned you \(unread\)https:\/\/example.org\/claim/)
  expect(second?.textContent).toMatch(/^1,000 new IODsLakes/)
  const hrefs = () => drawer.getAllByRole('link').map(link => link.getAttribute('href'))
  await waitFor(() =>
    expect(hrefs()).toEqual([
      '/dashboard/profile?tab=notifications',
      `/dashboard/iods/${IOD}?comment=${mention.comment_id}`,
      '/dashboard/iods?q=lake&category=URL&category=HASH',
    ]),
  )
  fireEvent.click(drawer.getByRole('link', { name: /@bea mentioned you/ }))
  expect([location.pathname, location.search]).toEqual([
    `/dashboard/iods/${IOD}`,
    `?comment=${mention.comment_id}`,
  ])
  await bell('Notifications')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(calls.find(({ route }) => route === 'POST /notifications/read')?.body).toEqual({ ids: [mention.id] })
})

test('marks all that it shows read, and nothing newer', async () => {
  const list = [{ ...mention }, { ...matches, read_at: null }]
  const { calls } = await open(() => list)
  const drawer = await openDrawer('Notifications, 2 unread')
  const mark = await drawer.findByRole('button', { name: 'Mark all read' })
  await drawer.findAllByText('(unread)')
  list.unshift({ ...mention, id: '4'.repeat(24), at: '2026-11-24T09:00:00.000Z' })
  fireEvent.click(mark)
  await waitFor(() => expect(drawer.getAllByText('(unread)')).toHaveLength(1))
  expect(calls.find(({ route }) => route === 'POST /notifications/read')?.body).toEqual({ until: mention.at })
  expect((mark as HTMLButtonElement).disabled).toBe(false)
})

test('says that there are none yet, and how to get some', async () => {
  await open(() => [])
  const drawer = await openDrawer()
  await drawer.findByText('No notifications yet')
  expect(drawer.getByRole('button', { name: 'Mark all read' }).hasAttribute('disabled')).toBe(true)
})

test('offers Retry after a failed load, and keeps working', async () => {
  let isDown = true
  await open(() => [mention], {
    'GET /notifications': () => (isDown ? [400, { detail: 'Not now' }] : [200, [mention]]),
    'GET /notifications/unread': [400, { detail: 'Not now' }],
    'GET /watches': [400, { detail: 'Not now' }],
  })
  const drawer = await openDrawer()
  await drawer.findByText('Unable to load notifications')
  isDown = false
  fireEvent.click(drawer.getByRole('button', { name: 'Retry' }))
  await drawer.findByText('@bea mentioned you')
})

test('polls while the page is visible, and announces only growth', async () => {
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['setTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
  let unread = 2
  const state = () => ({ unread, latest: null })
  const { calls } = await open(() => [], { 'GET /notifications/unread': () => [200, state()] })
  const asked = () => calls.filter(({ route }) => route === 'GET /notifications/unread').length
  await bell('Notifications, 2 unread')
  const said = () => screen.getAllByRole('status').map(({ textContent }) => textContent)
  expect(said()).toEqual([''])
  unread = 100
  await vi.advanceTimersByTimeAsync(60_000)
  await bell('Notifications, 99+ unread')
  expect(said()).toEqual(['99+ unread notifications'])
  unread = 1
  await vi.advanceTimersByTimeAsync(60_000)
  await bell('Notifications, 1 unread')
  expect([said(), asked()]).toEqual([[''], 3])

  const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  await vi.advanceTimersByTimeAsync(300_000)
  expect(asked()).toBe(3)
  hidden.mockRestore()
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  await waitFor(() => expect(asked()).toBe(4))
})

test('describes each kind of event, with one actor or a count', () => {
  const text = (change: Partial<Notification>) => eventText({ ...mention, ...change })
  expect(text({})).toBe('@bea mentioned you')
  expect(text({ actor: null })).toBe('You were mentioned')
  expect(text({ count: 3 })).toBe('You were mentioned 3 times')
  expect(text({ kind: 'reply' })).toBe('@bea replied to you')
  expect(text({ kind: 'comment', count: 1_200 })).toBe('1,200 new comments')
  expect(text({ kind: 'comment', actor: { id: IOD, username: null } })).toBe('New comment')
  expect(text({ kind: 'campaign' })).toBe('@bea changed the campaign')
  expect(text({ kind: 'campaign', count: 2 })).toBe('2 changes of the campaign')
  expect(text({ kind: 'votes', votes: { positive: 10, negative: 3 } })).toBe('Votes: 10 positive, 3 negative')
  expect(text({ kind: 'records', actor: null })).toBe('New matching record')
  expect(text({ kind: 'iod', count: 1_000 })).toBe('1,000 new IODs')
  expect(text({ kind: 'quoted' })).toContain('@bea quotes your content')
  expect(text({ kind: 'quoted', actor: null })).toContain('72 hours to take it out')
  expect([0, 99, 100].map(unreadText)).toEqual(['0', '99', '99+'])
})

test('opens the settings for a notification without a page of its own', () => {
  const watch: Watch = { ...search, kind: 'text', search: null, text: 'a long text' }
  const records = { ...matches, subject: { kind: 'records', id: watch.id, title: 'x' } } as const
  expect(notificationPath(records, [watch])).toBe('/dashboard/origins?value=a+long+text&scope=shared')
  expect(notificationPath(records, [])).toBe('/dashboard/profile?tab=notifications')
  const off = { ...mention, kind: 'webhook_off', subject: { kind: 'webhook', id: null, title: '' } } as const
  expect(notificationPath(off, [watch])).toBe('/dashboard/profile?tab=notifications')
  const report = { ...mention, kind: 'quoted', subject: { kind: 'report', id: IOD, title: 'x' } } as const
  expect(notificationPath(report)).toBe('/dashboard/campaigns/reports')
  const person = { ...matches, subject: { kind: 'person', id: IOD, title: '@bea' } } as const
  expect(notificationPath(person)).toBe(`/dashboard/community/profile/${IOD}`)
})
