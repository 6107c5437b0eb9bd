import type { FeedKey, NotificationSettings, Watch } from '@iodine/contracts'
import type { Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp, user } from './harness'

const watch: Watch = {
  id: '2'.repeat(24),
  kind: 'term',
  subject_id: null,
  search: null,
  text: 'mirror',
  name: 'Mirrors',
  channels: ['mail', 'webhook', 'feed'],
  paused: false,
  created_at: '2026-11-22T10:00:00.000Z',
}
const webhook = {
  url: 'https://example.org/hook',
  enabled: true,
  failures: 0,
  last: null,
  created_at: '2026-11-22T10:00:00.000Z',
}

/** Opens Profile → Notifications against a server with these settings and watches. */
async function open(
  change: Partial<NotificationSettings> = {},
  watches: Watch[] = [{ ...watch }],
  routes: Routes = {},
) {
  const settings: NotificationSettings = {
    replies: true,
    mail: 'off',
    time_zone: 'UTC',
    webhook: null,
    ...change,
  }
  const app = await openApp(
    '/dashboard/profile?tab=notifications',
    {
      'GET /profile/me': [200, user],
      'GET /watches': () => [200, watches],
      'GET /notifications/settings': () => [200, settings],
      'PATCH /notifications/settings': ({ body }) => [200, Object.assign(settings, body)],
      'PATCH /watches/:id': ({ body }) => [200, Object.assign(watches[0] ?? {}, body)],
      'GET /profile/feed-keys': [200, []],
      ...routes,
    },
    { token: 't' },
  )
  const bodies = (route: string) => app.calls.filter(call => call.route === route).map(({ body }) => body)
  return { ...app, settings, watches, bodies }
}
const button = (name: string) => screen.findByRole('button', { name })
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }))

test('renames, pauses and narrows a watch', async () => {
  const { bodies } = await open()
  const link = await screen.findByRole('link', { name: 'Mirrors' })
  expect(link.getAttribute('href')).toBe('/dashboard/origins?value=mirror&scope=shared')
  fireEvent.click(await button('Edit watch: Mirrors'))
  const form = await dialog('Edit the watch')
  const save = () => fireEvent.click(form.getByRole('button', { name: 'Save' }))
  fireEvent.change(form.getByLabelText('Name'), { target: { value: '  ' } })
  save()
  await screen.findByText('A name is required')
  fireEvent.change(form.getByLabelText('Name'), { target: { value: ' <b>Lakes</b> ' } })
  fireEvent.click(form.getByLabelText(/^Paused/))
  fireEvent.click(form.getByLabelText(/^Send by mail/))
  fireEvent.click(form.getByRole('button', { name: 'Advanced' }))
  fireEvent.click(await form.findByLabelText('Show in my Atom feed'))
  save()
  const row = (await screen.findByText('<b>Lakes</b>')).closest('li')
  expect(row?.textContent).toContain('PausedTerm in records · since Nov 22, 2026 · not by mail, feed')
  expect(bodies('PATCH /watches/:id')).toEqual([
    { name: '<b>Lakes</b>', paused: true, channels: ['webhook'] },
  ])
})

test('deletes a watch, and Undo brings it back', async () => {
  const watches = [{ ...watch }]
  const { bodies } = await open({}, watches, {
    'DELETE /watches/:id': ({ params: { id } }) => {
      watches.length = 0
      return [200, { id }]
    },
    'POST /watches': () => {
      watches.push({ ...watch })
      return [201, watch]
    },
  })
  fireEvent.click(await button('Delete watch: Mirrors'))
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Mirrors' })).toBeNull())
  fireEvent.click(await button('Undo'))
  await screen.findByRole('link', { name: 'Mirrors' })
  const { kind, text, name, channels } = watch
  expect(bodies('POST /watches')).toEqual([{ kind, text, name, channels }])
})

test('shows the first of many watches, and all on request', async () => {
  const many = Array.from({ length: 21 }, (_, n) => ({
    ...watch,
    id: n.toString(16).padStart(24, '0'),
    name: `Watch ${n}`,
  }))
  await open({}, many)
  await screen.findByText('21 of 200')
  expect(screen.getAllByText('Delete')).toHaveLength(20)
  fireEvent.click(screen.getByText('Show all 21 watches'))
  expect(screen.getAllByText('Delete')).toHaveLength(21)
})

test('switches replies and mails, and sends digests in the time zone of the browser', async () => {
  const { bodies } = await open()
  fireEvent.click(await screen.findByLabelText(/^Notify me when someone replies/))
  await waitFor(() => expect(bodies('PATCH /notifications/settings')).toHaveLength(1))
  const mail = screen.getByLabelText<HTMLSelectElement>('Send notifications')
  expect(screen.queryByLabelText('Time zone')).toBeNull()
  fireEvent.change(mail, { target: { value: 'weekly' } })
  await screen.findByText('Sent on Mondays at 07:00.')
  const zone = () => screen.getByLabelText<HTMLSelectElement>('Time zone')
  await waitFor(() => expect([zone().value, zone().disabled]).toEqual(['Europe/Paris', false]))
  fireEvent.change(zone(), { target: { value: 'Asia/Tokyo' } })
  await waitFor(() => expect([zone().value, mail.disabled]).toEqual(['Asia/Tokyo', false]))
  fireEvent.change(mail, { target: { value: 'daily' } })
  await screen.findByText('Sent at 07:00.')
  await waitFor(() =>
    expect(bodies('PATCH /notifications/settings')).toEqual([
      { replies: false },
      { mail: 'weekly', time_zone: 'Europe/Paris' },
      { time_zone: 'Asia/Tokyo' },
      { mail: 'daily' },
    ]),
  )
})

test('restores a setting that the service rejects', async () => {
  await open({}, [], { 'PATCH /notifications/settings': [503, { detail: 'Not now' }] })
  const mail = await screen.findByLabelText<HTMLSelectElement>('Send notifications')
  fireEvent.change(mail, { target: { value: 'daily' } })
  await screen.findByText('Not now')
  await waitFor(() => expect([mail.value, mail.disabled]).toEqual(['off', false]))
})

test('adds a webhook, shows its secret once, tests and deletes it', async () => {
  const SECRET = 'whsec_secret'
  let reads = 0
  const { settings, bodies } = await open({}, [], {
    'GET /notifications/settings': () => {
      // The result of the test arrives late.
      if (
        settings.webhook?.last === null &&
        bodies('POST /notifications/webhook/test').length > 0 &&
        ++reads > 1
      )
        settings.webhook = {
          ...settings.webhook,
          failures: 2,
          last: { at: new Date().toISOString(), error: 'The server answered 500' },
        }
      return [200, settings]
    },
    'PUT /notifications/webhook': ({ body }) => {
      const { url } = body as { url: string }
      if (url.startsWith('http:')) return [422, { detail: 'url: must be an https URL' }]
      settings.webhook = { ...webhook, url }
      return [200, { ...settings.webhook, secret: SECRET }]
    },
    'POST /notifications/webhook/test': [202, { ok: true }],
    'DELETE /notifications/webhook': () => {
      settings.webhook = null
      return [200, { ok: true }]
    },
  })
  fireEvent.click(await button('Advanced'))
  fireEvent.click(await button('Add webhook'))
  const form = await dialog('Add webhook')
  const add = async (value: string) => {
    const submit = form.getByRole('button', { name: 'Add' })
    await waitFor(() => expect(submit.hasAttribute('disabled')).toBe(false))
    fireEvent.change(form.getByLabelText('URL'), { target: { value } })
    fireEvent.click(submit)
  }
  await add(' ')
  await screen.findByText('A URL is required')
  await add('http://example.org')
  await screen.findByText('url: must be an https URL')
  await add('https://example.org/hook')
  const shown = await dialog('Your webhook secret')
  expect(shown.getByLabelText<HTMLInputElement>('Secret').value).toBe(SECRET)
  fireEvent.click(shown.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(screen.queryByDisplayValue(SECRET)).toBeNull())
  await screen.findByText('Nothing sent yet')
  fireEvent.click(await button('Send a test'))
  await screen.findByText('Waiting for the result of the test…')
  await screen.findByText(/The server answered 500 \(2 failures in a row\)$/)
  fireEvent.click(await button('Delete webhook'))
  fireEvent.click((await dialog('Delete the webhook')).getByRole('button', { name: 'Delete' }))
  await button('Add webhook')
})

test('offers to enable a webhook that failed too often', async () => {
  await open({ webhook: { ...webhook, enabled: false, failures: 50 } }, [])
  await screen.findByText('Switched off')
  expect(screen.queryByRole('button', { name: 'Send a test' })).toBeNull()
  fireEvent.click(await button('Enable webhook'))
  expect((await dialog('Enable the webhook')).getByLabelText<HTMLInputElement>('URL').value).toBe(webhook.url)
})

test('creates a key of the Atom feed, which is no key of campaigns', async () => {
  const asked: unknown[] = []
  const key: FeedKey = {
    id: 'd'.repeat(24),
    label: 'Our OpenCTI',
    reads: 'campaigns',
    tlp: 'green',
    created_at: '2026-11-22T10:00:00.000Z',
    expires_at: null,
    last_used_at: null,
  }
  const keys = [key]
  await open({ webhook }, [], {
    'GET /profile/feed-keys': () => [200, keys],
    'GET /profile/api-tokens': [200, []],
    'POST /profile/feed-keys': ({ body }) => {
      asked.push(body)
      keys.push({ ...key, id: 'e'.repeat(24), label: 'My reader', reads: 'notifications' })
      return [201, { ...key, key: 'iodine_feed_secret' }]
    },
  })
  fireEvent.click(await button('Create key'))
  const form = await dialog('Create an Atom feed key')
  fireEvent.change(form.getByLabelText('Label'), { target: { value: 'My reader' } })
  fireEvent.change(form.getByLabelText('Expires after'), { target: { value: '0' } })
  fireEvent.click(form.getByRole('button', { name: 'Create' }))
  const shown = await dialog('Your Atom feed key')
  expect(asked).toEqual([{ label: 'My reader', reads: 'notifications', tlp: 'green', expires_at: null }])
  const value = (label: string) => shown.getByLabelText<HTMLInputElement>(label).value
  expect(value('Feed URL')).toBe(`${location.origin}/atom/notifications`)
  expect(value('Password')).toBe('iodine_feed_secret')
  expect(value('Feed URL with the key')).toBe(
    `http://iodine:iodine_feed_secret@${location.host}/atom/notifications`,
  )
  fireEvent.click(shown.getByRole('button', { name: 'Done' }))
  await screen.findByText('My reader')
  expect(screen.queryByText('Our OpenCTI')).toBeNull()
  fireEvent.click(screen.getByRole('tab', { name: 'Access' }))
  await screen.findByText('Our OpenCTI')
  expect(screen.queryByText('My reader')).toBeNull()
})
