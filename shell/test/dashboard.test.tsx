import { DETAILS } from '@iodine/contracts'
import { defineParcel } from '@iodine/mfe-kit'
import type { Answer, Routes } from '@iodine/mfe-kit/testing'
import { useNavigate } from '@iodine/ui/router'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { TOKEN_KEY } from '../src/session/session-store'
import { openApp, SIGNED_IN, session, usage, user } from './harness'

const open = (path: string, routes: Routes = {}, remotes?: Parameters<typeof openApp>[2]) =>
  openApp(path, { ...SIGNED_IN, ...routes }, { token: 't', ...remotes })

test('redirects to the login page without a session', async () => {
  await openApp('/dashboard/iods', {})
  await screen.findByLabelText('Email')
  expect(window.location.pathname).toBe('/login')
})

test('redirects a signed-in user from the login page to the overview', async () => {
  await open('/login')
  await screen.findByRole('heading', { name: 'Get in Touch' })
  expect(window.location.pathname).toBe('/dashboard/overview')
})

test('follows a sign-out and a sign-in in another tab', async () => {
  await open('/dashboard/profile')
  await screen.findByRole('heading', { name: 'Email address' })
  const changed = () => act(() => void window.dispatchEvent(new StorageEvent('storage', { key: TOKEN_KEY })))
  localStorage.removeItem(TOKEN_KEY)
  changed()
  await screen.findByLabelText('Email')
  expect(window.location.pathname).toBe('/login')
  localStorage.setItem(TOKEN_KEY, 't')
  changed()
  await screen.findByRole('heading', { name: 'Get in Touch' })
  expect(window.location.pathname).toBe('/dashboard/overview')
})

test('shows Page Not Found for an unknown section', async () => {
  for (const page of ['nowhere', 'overview/x', 'profile/x', 'admin/x']) {
    await open(`/dashboard/${page}`)
    await screen.findByRole('heading', { name: 'Page Not Found' })
    cleanup()
  }
})

test('lists a deployment’s sections in the menu after the built-in ones, and never replaces those', async () => {
  const load = vi.fn().mockResolvedValue(defineParcel({ '/': () => <h1>The section</h1> }))
  const sections = [
    { id: 'notes', label: '<b>Notes</b>', remote: 'mfe_notes' },
    { id: 'iods', label: 'Another', remote: 'mfe_other' },
    { id: 'admin', label: 'Another', remote: 'mfe_other' },
  ]
  await open('/dashboard/overview', {}, { remotes: { load }, config: { sections } })
  const link = await screen.findByRole('link', { name: '<b>Notes</b>' })
  const names = screen.getAllByRole('link').map(element => element.textContent)
  expect(names.indexOf('<b>Notes</b>')).toBe(names.indexOf('Origins') + 1)
  expect(names).not.toContain('Another')
  fireEvent.click(link)
  await screen.findByRole('heading', { name: 'The section' })
  expect([window.location.pathname, load.mock.calls]).toEqual(['/dashboard/notes', [['mfe_notes']]])
})

test('shows an error card for a section that fails to load, and loads it again on Retry', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  const parcel = defineParcel({ '/': () => <h1>The section</h1> })
  const gone = new Error('gone')
  const load = vi.fn().mockRejectedValueOnce(gone).mockResolvedValue(parcel)
  await open('/dashboard/iods', {}, { remotes: { load } })
  await screen.findByText('IODs could not be shown')
  expect(log.mock.calls).toEqual([[gone]])
  expect(screen.getByRole('link', { name: 'Campaigns' })).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await screen.findByRole('heading', { name: 'The section' })
  expect(screen.queryByText('IODs could not be shown')).toBeNull()
})

test('shows the error card for a section that throws while rendering, also after loading', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => log.mockRestore())
  let broken = true
  const parcel = defineParcel({
    '/': () => {
      if (broken) throw new Error('boom')
      return <h1>The section</h1>
    },
  })
  await open('/dashboard/iods', {}, { remotes: { load: async () => parcel } })
  await screen.findByText('IODs could not be shown')
  broken = false
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await screen.findByRole('heading', { name: 'The section' })
})

test('unmounts a section that the user leaves', async () => {
  const parcel = defineParcel({ '/': () => <h1>The section</h1> })
  await open('/dashboard/iods', {}, { remotes: { load: async () => parcel } })
  await screen.findByRole('heading', { name: 'The section' })
  await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Dashboard' })))
  await screen.findByRole('heading', { name: 'Get in Touch' })
  expect(screen.queryByRole('heading', { name: 'The section' })).toBeNull()
})

test('ignores late URL changes of a section that the user left', async () => {
  let write = (_search: string) => {}
  const parcel = defineParcel({
    '/': () => {
      const navigate = useNavigate()
      write = search => navigate({ search }, { replace: true })
      return <h1>The section</h1>
    },
  })
  await open('/dashboard/iods', {}, { remotes: { load: async () => parcel } })
  await screen.findByRole('heading', { name: 'The section' })
  act(() => write('?page=2'))
  expect(window.location.href).toMatch(/\/dashboard\/iods\?page=2$/)
  // The click changes the URL before the page is rendered.
  act(() => {
    fireEvent.click(screen.getByRole('link', { name: 'Dashboard' }))
    write('?page=3')
  })
  await screen.findByRole('heading', { name: 'Get in Touch' })
  expect(window.location.search).toBe('')
})

test('shows that Organization is not available yet', async () => {
  await open('/dashboard/overview')
  fireEvent.click(await screen.findByRole('button', { name: /Organization/ }))
  await screen.findByText('Coming Soon - Organization features will be available in a future update.')
})

test('opens the global search when the user types in the search box, and keeps the menu', async () => {
  const none = [200, []] satisfies Answer
  await open('/dashboard/overview', {
    'GET /campaigns': none,
    'GET /community/users': [200, { users: [], total: 0 }],
    'GET /:source/data': none,
    'GET /narratives/data': none,
  })
  fireEvent.change(await screen.findByLabelText('Search everything'), { target: { value: 'camp' } })
  const search = await screen.findByRole('combobox', { name: 'Search everything' })
  expect((search as HTMLInputElement).value).toBe('camp')
  expect((await screen.findByRole('option')).textContent).toBe('Campaigns')
  expect(screen.getByRole('link', { name: 'Graph' })).toBeTruthy()
})

test('opens the displayed result on Enter, even before the search has the focus', async () => {
  await open('/dashboard/overview', {
    'GET /campaigns': [200, []],
    'GET /community/users': [200, { users: [], total: 0 }],
    'GET /:source/data': [200, []],
    'GET /narratives/data': [200, []],
  })
  fireEvent.change(await screen.findByLabelText('Search everything'), { target: { value: 'profile' } })
  await screen.findByRole('option')
  fireEvent.keyDown(document.body, { key: 'Enter' })
  fireEvent.keyUp(document.activeElement ?? document.body, { key: 'Enter' })
  await waitFor(() => expect(location.pathname).toBe('/dashboard/profile'))
})

test('ends the session on the server and in the browser on logout', async () => {
  const { calls } = await open('/dashboard/overview', { 'POST /auth/logout': [200, { logged_out: true }] })
  fireEvent.click(await screen.findByRole('button', { name: 'Logout' }))
  await screen.findByLabelText('Email')
  expect(localStorage.getItem(TOKEN_KEY)).toBeNull()
  await waitFor(() => expect(calls.map(call => call.route)).toContain('POST /auth/logout'))
})

test('redirects to the login page without a toast on a 401', async () => {
  await open('/dashboard/overview', { 'GET /iods': [401, { detail: 'Not authenticated' }] })
  await screen.findByLabelText('Email')
  expect(screen.queryByText('Error loading data')).toBeNull()
  expect(localStorage.getItem(TOKEN_KEY)).toBeNull()
})

test('counts the last days on the overview, and shows an error on failure', async () => {
  let isDown = true
  await open('/dashboard/overview', {
    'GET /iods/days': () =>
      isDown ? [503, { detail: 'x' }] : [200, [{ day: '2026-11-23', all: 3, own: 1 }]],
  })
  await screen.findByText('Unable to load the IODs of each day')
  isDown = false
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await screen.findByText('3 IODs by all users, 1 by you.')
  expect(screen.getByRole('img', { name: 'IODs of the last 30 days' })).toBeTruthy()
})

test('links the first steps to their pages, and hides them permanently once closed', async () => {
  await open('/dashboard/overview')
  const step = await screen.findByRole('link', { name: 'Create a first IOD' })
  expect(step.getAttribute('href')).toBe('/dashboard/iods')
  fireEvent.click(screen.getByRole('button', { name: 'Close the first steps' }))
  expect(screen.queryByText('Getting started')).toBeNull()
  fireEvent.click(screen.getByRole('link', { name: 'Profile' }))
  await screen.findByRole('heading', { name: /Profile/ })
  fireEvent.click(screen.getByRole('link', { name: 'Dashboard' }))
  await screen.findByRole('heading', { name: 'Get in Touch' })
  expect(screen.queryByText('Getting started')).toBeNull()
})

test('folds the roadmap once the first steps are closed', async () => {
  await open('/dashboard/overview')
  await screen.findByRole('heading', { name: 'Product roadmap' })
  screen.getByText('AI-powered insights')
  fireEvent.click(screen.getByRole('button', { name: 'Close the first steps' }))
  screen.getByRole('heading', { name: 'Product roadmap' })
  await waitFor(() => expect(screen.queryByText('AI-powered insights')).toBeNull())
  fireEvent.click(screen.getByRole('button', { name: 'Product roadmap' }))
  await screen.findByText('AI-powered insights')
})

test('shows another failure of the dashboard load inline', async () => {
  await open('/dashboard/overview', { 'GET /iods': [503, { detail: 'x' }] })
  await screen.findByText('Error loading data')
})

test('shows an error if the extension code fails', async () => {
  await open('/dashboard/overview', { 'POST /auth/generate-extension-code': [500, { detail: 'x' }] })
  fireEvent.click(await screen.findByRole('button', { name: 'Generate Code' }))
  await screen.findByText('Failed to generate extension code')
})

test('shows Access denied to members at the URL of each tab of Admin, and requests nothing', async () => {
  for (const tab of ['', '?tab=people', '?tab=system', '?tab=audit-log', '?tab=subscriptions']) {
    const { calls } = await open(`/dashboard/admin${tab}`)
    await screen.findByText('Access denied')
    screen.getByText("You don't have permission to access this page.")
    expect(screen.queryAllByRole('tab')).toEqual([])
    expect(screen.queryByRole('link', { name: 'Admin' })).toBeNull()
    // The server fails the test for requests without a route. Those of the page precede those of the next page.
    fireEvent.click(screen.getByRole('link', { name: 'Dashboard' }))
    await waitFor(() => expect(calls.map(({ route }) => route)).toContain('GET /iods/days'))
    cleanup()
  }
})

test('opens the tab of Admin that the URL names, and the first for an unknown one', async () => {
  const routes: Routes = {
    'GET /profile/me': [200, { ...user, is_admin: true }],
    'GET /admin/beta-codes': [200, []],
    'GET /admin/beta-codes/creators': [200, []],
    'GET /campaigns/subscriptions': [200, []],
  }
  await open('/dashboard/admin?tab=nowhere', routes)
  await screen.findByRole('heading', { name: 'Beta Code Management', level: 1 })
  await screen.findByText('No beta codes yet')
  fireEvent.click(screen.getByRole('tab', { name: 'Subscriptions' }))
  await screen.findByText('No subscriptions yet')
  expect(window.location.search).toBe('?tab=subscriptions')
  fireEvent.click(screen.getByRole('tab', { name: 'Beta codes' }))
  await screen.findByText('No beta codes yet')
  expect(window.location.search).toBe('')
})

test('lists a new beta code with its address as available', async () => {
  let codes: unknown[] = []
  const { calls } = await open('/dashboard/admin', {
    'GET /profile/me': [200, { ...user, is_admin: true }],
    'GET /admin/beta-codes': () => [200, codes],
    'GET /admin/beta-codes/creators': [200, []],
    'POST /admin/beta-codes': ({ body }) => {
      const { email } = body as { email: string }
      const created_at = '2026-11-22T10:00:00.000Z'
      const code = { id: 'a'.repeat(24), code: 'AAAAA-AAAAA', email, used: false, created_at, used_at: null }
      codes = [code]
      return [201, code]
    },
  })
  await screen.findByText('No beta codes yet')
  const email = screen.getByLabelText<HTMLInputElement>(/^Email/)
  fireEvent.change(email, { target: { value: ' friend@example.org ' } })
  fireEvent.submit(email.form as HTMLFormElement)
  await screen.findByText('Beta code created')
  const row = (await screen.findByText('AAAAA-AAAAA')).closest('tr')
  expect(row?.textContent).toContain('AAAAA-AAAAAfriend@example.orgAvailable')
  expect(calls.find(({ route }) => route === 'POST /admin/beta-codes')?.body).toEqual({
    email: 'friend@example.org',
  })
  expect(email.value).toBe('')
})

test('names the creators of beta codes, if known', async () => {
  const code = (id: string, code: string) => ({
    id: id.repeat(24),
    code,
    email: null,
    used: false,
    created_at: '2026-11-22T10:00:00.000Z',
    used_at: null,
  })
  await open('/dashboard/admin', {
    'GET /profile/me': [200, { ...user, is_admin: true }],
    'GET /admin/beta-codes': [200, [code('a', 'AAAAA-AAAAA'), code('b', 'BBBBB-BBBBB')]],
    'GET /admin/beta-codes/creators': [200, [{ id: 'b'.repeat(24), created_by_username: 'the_boss' }]],
  })
  await screen.findByText('AAAAA-AAAAA')
  expect(screen.getAllByText('the_boss')).toHaveLength(1)
})

test('shows an account scheduled for deletion only the question whether to keep it', async () => {
  let delete_at: string | null = '2026-12-24T10:00:00.000Z'
  await open('/dashboard/overview', {
    'GET /profile/deletion': () => [200, { delete_at }],
    'DELETE /profile/deletion': () => {
      delete_at = null
      return [200, user]
    },
  })
  await screen.findByRole('heading', { name: /^Your account will be deleted on / })
  fireEvent.click(screen.getByRole('button', { name: 'Keep my account' }))
  await waitFor(() => expect(screen.queryByRole('heading', { name: /will be deleted/ })).toBeNull())
})

test('stores the open tab of the profile in the URL', async () => {
  await open('/dashboard/profile')
  await screen.findByRole('heading', { name: 'Email address' })
  for (const [tab, id, card] of [
    ['Security', 'security', 'Sessions'],
    ['Notifications', 'notifications', 'Watches'],
    ['Access', 'access', 'API tokens'],
    ['Data', 'data', 'Your data'],
  ] as const) {
    fireEvent.click(screen.getByRole('tab', { name: tab }))
    await screen.findByRole('heading', { name: card })
    expect(window.location.search).toBe(`?tab=${id}`)
  }
  fireEvent.click(screen.getByRole('tab', { name: 'Account' }))
  await screen.findByRole('heading', { name: 'Delete account' })
  expect(window.location.search).toBe('')
})

test('rejects a blank username, and shows the detail of a server error', async () => {
  await open('/dashboard/profile', {
    'POST /profile/setup-username': [409, { detail: 'This username is already taken' }],
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Edit username' }))
  const field = screen.getByRole('textbox', { name: 'Username' })
  const save = () => fireEvent.submit(field.closest('form') as HTMLFormElement)
  fireEvent.change(field, { target: { value: '  ' } })
  save()
  await screen.findByText('Username cannot be empty')
  fireEvent.change(field, { target: { value: 'bob_99' } })
  save()
  await screen.findByText('This username is already taken')
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(screen.getAllByText('@ada')).toHaveLength(2)
})

test('rejects a blank AI key', async () => {
  await open('/dashboard/profile')
  fireEvent.click(await screen.findByRole('button', { name: 'Add key' }))
  await screen.findByText('Add your OpenAI API key')
  fireEvent.submit(screen.getByPlaceholderText('sk-...').closest('form') as HTMLFormElement)
  await screen.findByText('API key cannot be empty')
})

test('shows the usage of each limit, marks exhausted ones, and shows unknown ones as such', async () => {
  let status = 503
  await open('/dashboard/profile?tab=data', {
    'GET /profile/usage': () => [status, status === 200 ? usage : { detail: 'x' }],
  })
  await screen.findByText('Unable to load usage')
  status = 200
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  const main = within(screen.getByRole('main'))
  const row = async (name: string) => (await main.findByText(name)).closest('li')?.textContent
  await waitFor(async () => expect(await row('Collected records')).toBe('Collected records20,000 of 20,000'))
  expect(await row('Size of the records')).toBe('Size of the records900 MiB of 1 GiB')
  expect(await row('Size of IOD texts')).toBe('Size of IOD texts345 bytes of 16 MiB')
  expect(await row('Narratives')).toBe('Narratives—')
  screen.getByText('— not available right now')
  const bar = screen.getByRole('progressbar', { name: 'Collected records' })
  expect(bar.getAttribute('aria-valuenow')).toBe('100')
  expect(bar.className).toContain('danger')
  expect(screen.queryByRole('progressbar', { name: 'Narratives' })).toBeNull()
})

test('creates a feed key with a level and an expiry, shows it once with instructions, and revokes it', async () => {
  const KEY = 'iodine_feed_secret'
  const asked: unknown[] = []
  const key = {
    id: 'd'.repeat(24),
    label: 'Our OpenCTI',
    reads: 'campaigns',
    tlp: 'amber',
    created_at: new Date().toISOString(),
    expires_at: null,
    last_used_at: null,
  } as const
  let keys: unknown[] = []
  await open('/dashboard/profile?tab=access', {
    'GET /profile/feed-keys': () => [200, keys],
    'POST /profile/feed-keys': ({ body }) => {
      asked.push(body)
      keys = [key]
      return [201, { ...key, key: KEY }]
    },
    'DELETE /profile/feed-keys/:id': ({ params }) => {
      asked.push(params.id)
      keys = []
      return [200, { id: key.id }]
    },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Create key' }))
  const form = within(await screen.findByRole('dialog', { name: 'Create a feed key' }))
  fireEvent.click(form.getByRole('button', { name: 'Create' }))
  await screen.findByText('A label is required')
  fireEvent.change(form.getByLabelText('Label'), { target: { value: ' Our OpenCTI ' } })
  const levels = form.getByLabelText('Reads up to') as HTMLSelectElement
  expect([...levels.options].map(({ text }) => text)).not.toContain('TLP:RED')
  fireEvent.change(levels, { target: { value: 'amber' } })
  fireEvent.change(form.getByLabelText('Expires after'), { target: { value: '0' } })
  fireEvent.click(form.getByRole('button', { name: 'Create' }))
  const shown = within(await screen.findByRole('dialog', { name: 'Your feed key' }))
  expect(asked).toEqual([{ label: 'Our OpenCTI', reads: 'campaigns', tlp: 'amber', expires_at: null }])
  expect((shown.getByLabelText('Key') as HTMLInputElement).value).toBe(KEY)
  expect((shown.getByLabelText('TAXII server URL') as HTMLInputElement).value).toBe(
    `${location.origin}/taxii2/iodine/`,
  )
  fireEvent.click(shown.getByRole('button', { name: 'Done' }))
  await waitFor(() => expect(screen.queryByDisplayValue(KEY)).toBeNull())
  const row = (await screen.findByText('Up to TLP:AMBER')).closest('li')
  expect(row?.textContent).toContain('Never used · does not expire')
  fireEvent.click(screen.getByRole('button', { name: 'Revoke Our OpenCTI' }))
  const question = within(await screen.findByRole('dialog', { name: 'Revoke the feed key' }))
  fireEvent.click(question.getByRole('button', { name: 'Revoke' }))
  await waitFor(() => expect(screen.queryByText('Our OpenCTI')).toBeNull())
  expect(asked).toHaveLength(2)
})

describe('API tokens on My Profile', () => {
  const token = {
    id: 'e'.repeat(24),
    name: '<b>Nightly</b>',
    scopes: ['read', 'collect'],
    created_at: '2026-11-22T10:00:00.000Z',
    expires_at: new Date(Date.now() + 30 * 24 * 3_600_000).toISOString(),
    // Computed per response, so that it is always recent.
    get last_used_at() {
      return new Date().toISOString()
    },
  } as const

  test('are created with a name, scopes and an expiry, shown once, and revoked', async () => {
    const SECRET = 'iodine_api_secret'
    const asked: unknown[] = []
    let tokens: unknown[] = []
    await open('/dashboard/profile?tab=access', {
      'GET /profile/api-tokens': () => [200, tokens],
      'POST /profile/api-tokens': ({ body }) => {
        asked.push(body)
        tokens = [token]
        return [201, { ...token, token: SECRET }]
      },
      'DELETE /profile/api-tokens/:id': ({ params }) => {
        asked.push(params.id)
        tokens = []
        return [200, { id: token.id }]
      },
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Create token' }))
    const form = within(await screen.findByRole('dialog', { name: 'Create an API token' }))
    const make = () => fireEvent.click(form.getByRole('button', { name: 'Create' }))
    make()
    await screen.findByText('A name is required')
    fireEvent.change(form.getByLabelText('Name'), { target: { value: ` ${token.name} ` } })
    expect((form.getByRole('checkbox', { name: /^Read/ }) as HTMLInputElement).checked).toBe(true)
    fireEvent.click(form.getByRole('checkbox', { name: /^Read/ }))
    make()
    await screen.findByText('Select at least one scope')
    for (const name of [/^Collect/, /^Read/]) fireEvent.click(form.getByRole('checkbox', { name }))
    fireEvent.change(form.getByLabelText('Expires after'), { target: { value: '0' } })
    const day = form.getByLabelText('Last day') as HTMLInputElement
    for (const value of ['', '2020-01-01', '2999-01-01']) {
      fireEvent.change(day, { target: { value } })
      make()
      await waitFor(() => expect(day.getAttribute('aria-invalid')).toBe('true'))
    }
    expect(asked).toEqual([])
    fireEvent.change(day, { target: { value: day.max } })
    make()
    const shown = within(await screen.findByRole('dialog', { name: 'Your API token' }))
    expect(asked).toEqual([{ name: token.name, scopes: ['read', 'collect'], expires_at: expect.any(String) }])
    const { expires_at } = asked[0] as { expires_at: string }
    const days = (Date.parse(expires_at) - Date.now()) / (24 * 3_600_000)
    expect(days).toBeGreaterThan(364)
    expect(days).toBeLessThan(366)
    expect((shown.getByLabelText('Token') as HTMLInputElement).value).toBe(SECRET)
    expect((shown.getByLabelText('Try it') as HTMLInputElement).value).toBe(
      `curl -H "Authorization: Bearer ${SECRET}" ${location.origin}/api/v1/profile/me`,
    )
    fireEvent.click(shown.getByRole('button', { name: 'Done' }))
    await waitFor(() => expect(screen.queryByDisplayValue(SECRET)).toBeNull())
    const row = (await screen.findByText(token.name)).closest('li')
    expect(row?.textContent).toContain('<b>Nightly</b>ReadCollectUsed just now · expires ')
    fireEvent.click(screen.getByRole('button', { name: `Revoke ${token.name}` }))
    const question = within(await screen.findByRole('dialog', { name: 'Revoke the API token' }))
    fireEvent.click(question.getByRole('button', { name: 'Revoke' }))
    await screen.findByText('API token revoked')
    await waitFor(() => expect(screen.queryByText(token.name)).toBeNull())
    expect(asked[1]).toBe(token.id)
  })

  test('show that they have expired, and a full list allows no more', async () => {
    const over = { ...token, expires_at: '2026-01-01T00:00:00.000Z', last_used_at: null }
    const tokens = Array.from({ length: 20 }, (_, n) => ({ ...over, id: n.toString(16).padStart(24, '0') }))
    await open('/dashboard/profile?tab=access', { 'GET /profile/api-tokens': [200, tokens] })
    expect(await screen.findAllByText('Expired')).toHaveLength(20)
    expect(screen.getAllByText('Never used · expired Jan 1, 2026')).toHaveLength(20)
    screen.getByText('You have 20 tokens, the maximum. Revoke one first.')
    const button = screen.getByRole('button', { name: 'Create token' }) as HTMLButtonElement
    expect(button.disabled).toBe(true)
  })
})

describe('sessions on My Profile', () => {
  const other = { ...session, id: 'c'.repeat(24), browser: null, system: null, current: false }
  const extension = { ...other, id: 'd'.repeat(24), kind: 'extension', browser: 'Chrome', system: 'macOS' }

  test('are named, with the current one marked', async () => {
    await open('/dashboard/profile?tab=security', {
      'GET /profile/sessions': [200, [session, other, extension]],
    })
    await screen.findByText('Firefox on Linux')
    expect(screen.getByText('This session')).toBeTruthy()
    screen.getByText('Unknown browser')
    screen.getByText('Extension in Chrome on macOS')
    expect(screen.getAllByRole('button', { name: /^End session/ })).toHaveLength(2)
  })

  test('end individually', async () => {
    let left = [session, other, extension]
    const { calls } = await open('/dashboard/profile?tab=security', {
      'GET /profile/sessions': () => [200, left],
      'DELETE /profile/sessions/:id': ({ params }) => {
        left = left.filter(({ id }) => id !== params.id)
        return [200, { id: params.id }]
      },
    })
    fireEvent.click(await screen.findByRole('button', { name: 'End session: Extension in Chrome on macOS' }))
    await screen.findByText('Session ended')
    await waitFor(() => expect(screen.queryByText('Extension in Chrome on macOS')).toBeNull())
    expect(calls.find(({ route }) => route.startsWith('DELETE'))?.params.id).toBe(extension.id)
  })

  test('end together after a confirmation, if there are others', async () => {
    let left = [session, other]
    await open('/dashboard/profile?tab=security', {
      'GET /profile/sessions': () => [200, left],
      'POST /profile/sessions/end-others': () => {
        left = [session]
        return [200, { ended: 1 }]
      },
    })
    fireEvent.click(await screen.findByRole('button', { name: 'End all other sessions' }))
    fireEvent.click(await screen.findByRole('button', { name: 'End sessions' }))
    await screen.findByText('All other sessions ended')
    await waitFor(() => expect(screen.queryByRole('button', { name: 'End all other sessions' })).toBeNull())
  })

  test('show an error and remain if ending fails', async () => {
    await open('/dashboard/profile?tab=security', {
      'GET /profile/sessions': [200, [session, other]],
      'DELETE /profile/sessions/:id': [503, { detail: 'The session ends soon' }],
    })
    fireEvent.click(await screen.findByRole('button', { name: 'End session: Unknown browser' }))
    await screen.findByText('The session ends soon')
    screen.getByText('Unknown browser')
  })
})

describe('counts in Origins', () => {
  const box = () => screen.findByLabelText<HTMLInputElement>(/^Take part/)

  test('are off until the user takes part', async () => {
    const bodies: unknown[] = []
    await open('/dashboard/profile?tab=data', {
      'PUT /sightings/counting': ({ body }) => {
        bodies.push(body)
        return [200, body]
      },
    })
    expect((await box()).checked).toBe(false)
    fireEvent.click(await box())
    await waitFor(async () => expect((await box()).checked).toBe(true))
    expect(bodies).toEqual([{ counted: true }])
  })

  test('remain unchanged if saving fails', async () => {
    await open('/dashboard/profile?tab=data', { 'PUT /sightings/counting': [503, { detail: 'Not now' }] })
    fireEvent.click(await box())
    await screen.findByText('Not now')
    expect((await box()).checked).toBe(false)
  })
})

test('descriptions are quoted in public reports only once the user agrees', async () => {
  const bodies: unknown[] = []
  await open('/dashboard/profile?tab=data', {
    'PUT /profile/quoting': ({ body }) => {
      bodies.push(body)
      return [200, body]
    },
  })
  const box = () => screen.findByLabelText<HTMLInputElement>('My IODs may be quoted in public reports')
  expect((await box()).checked).toBe(false)
  fireEvent.click(await box())
  await waitFor(async () => expect((await box()).checked).toBe(true))
  expect(bodies).toEqual([{ allowed: true }])
})

test('shows an error if the device already has a passkey of the account', async () => {
  const create = async () => {
    throw Object.assign(new Error('known'), { name: 'InvalidStateError' })
  }
  vi.stubGlobal('PublicKeyCredential', () => {})
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create } })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    Reflect.deleteProperty(navigator, 'credentials')
  })
  await open('/dashboard/profile?tab=security', {
    'POST /profile/passkeys/options': [200, { challenge: 'AQ', user: { id: 'AQ' } }],
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Add a passkey' }))
  const name = await screen.findByRole('textbox', { name: 'Name' })
  fireEvent.change(name, { target: { value: 'Laptop' } })
  fireEvent.submit(name.closest('form') as HTMLFormElement)
  await screen.findByText(DETAILS.passkeyKnown)
})
