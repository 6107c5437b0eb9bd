import { fireEvent, screen, waitFor } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { TOKEN_KEY } from '../src/session/session-store'
import { openApp, SIGNED_IN, user } from './harness'

const REQUEST = 'POST /auth/request-magic-link'
const VERIFY = 'POST /auth/verify-magic-link'

const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string) => {
  const button = screen.getByRole('button', { name })
  fireEvent.submit(button.closest('form') as HTMLFormElement)
}

test('requests the link without a code first, then with one once the server requires it', async () => {
  const { calls } = await openApp('/login', {
    [REQUEST]: ({ body }) => [200, { requires_beta_code: !(body as { invite_code?: string }).invite_code }],
  })
  await screen.findByRole('heading', { name: 'Welcome to Iodine' })
  expect(screen.queryByLabelText('Beta code')).toBeNull()
  type('Email', 'ada@example.org')
  press('Continue')
  await screen.findByText('Beta Code Required')
  expect(screen.getByText('Please enter your beta invitation code')).toBeTruthy()
  type('Beta code', 'ABC')
  press('Validate')
  await screen.findByText('Email Sent')
  expect(screen.getByText('Check your email to sign in')).toBeTruthy()
  expect(calls.map(call => call.body)).toEqual([
    { email: 'ada@example.org', is_extension: false },
    { email: 'ada@example.org', invite_code: 'ABC', is_extension: false },
  ])
})

test('shows the detail of a rejection, and a fallback without one', async () => {
  let detail: unknown = ['first', 'second']
  await openApp('/login', { [REQUEST]: () => [400, { detail }] })
  await screen.findByLabelText('Email')
  press('Continue')
  await screen.findByText('first, second')
  detail = undefined
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Continue' }).className).not.toContain('loading'),
  )
  press('Continue')
  await screen.findByText('An error occurred')
})

test('signs in with a valid link and continues according to has_username', async () => {
  await openApp('/auth/verify?token=abc', {
    [VERIFY]: [200, { access_token: 'fresh', has_username: false }],
    'GET /profile/me': [200, { ...user, username: null }],
  })
  await screen.findByText("Let's get you started by choosing your username")
  expect(localStorage.getItem(TOKEN_KEY)).toBe('fresh')
  expect(window.location.pathname).toBe('/setup-username')
})

test('redirects a rejected link to the login page and only logs it', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => {})
  await openApp('/magic-login?token=used', {
    [VERIFY]: [400, { detail: 'This link is invalid or has expired' }],
  })
  await screen.findByLabelText('Email')
  expect(log).toHaveBeenCalledOnce()
  expect(screen.queryByText('This link is invalid or has expired')).toBeNull()
  expect(window.location.pathname).toBe('/login')
  log.mockRestore()
})

describe('a link opened while an account is signed in', () => {
  const READ = 'POST /auth/read-magic-link'
  const profiles = (fresh: string) => ({
    ...SIGNED_IN,
    'GET /profile/me': ({ token }: { token: string | null }): [number, unknown] => [
      200,
      token === 'fresh' ? { ...user, email: fresh } : user,
    ],
  })

  test('signs in the same account without a confirmation', async () => {
    const { calls } = await openApp(
      '/magic-login?token=abc',
      {
        ...profiles(user.email),
        [READ]: [200, { email: user.email }],
        [VERIFY]: [200, { access_token: 'fresh', has_username: false }],
      },
      { token: 'old' },
    )
    await screen.findByLabelText('Username')
    expect(localStorage.getItem(TOKEN_KEY)).toBe('fresh')
    expect(calls.map(({ route }) => route)).not.toContain('POST /auth/logout')
  })

  test('asks before it switches accounts, and ends the old session', async () => {
    const { calls } = await openApp(
      '/magic-login?token=abc',
      {
        ...profiles('other@example.org'),
        [READ]: [200, { email: 'other@example.org' }],
        [VERIFY]: [200, { access_token: 'fresh', has_username: false }],
        'POST /auth/logout': [200, { logged_out: true }],
      },
      { token: 'old' },
    )
    const swap = await screen.findByRole('button', { name: 'Continue as other@example.org' })
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Stay' }))
    expect(screen.getByText(/^You are signed in as/).textContent).toBe(
      `You are signed in as ${user.email}. This link signs in other@example.org instead.`,
    )
    expect(calls.map(({ route }) => route)).not.toContain(VERIFY)
    fireEvent.click(swap)
    await screen.findByLabelText('Username')
    expect(localStorage.getItem(TOKEN_KEY)).toBe('fresh')
    const logout = calls.find(({ route }) => route === 'POST /auth/logout')
    expect(logout?.token).toBe('old')
  })

  test('keeps link and session unchanged if the user cancels', async () => {
    const { calls } = await openApp(
      '/magic-login?token=abc',
      { ...profiles(''), [READ]: [200, { email: '<b>other</b>@example.org' }] },
      { token: 'old' },
    )
    await screen.findByRole('button', { name: 'Continue as <b>other</b>@example.org' })
    fireEvent.click(screen.getByRole('button', { name: 'Stay' }))
    await waitFor(() => expect(window.location.pathname).toMatch(/^\/dashboard/))
    expect(localStorage.getItem(TOKEN_KEY)).toBe('old')
    expect(calls.map(({ route }) => route)).not.toContain(VERIFY)
  })
})

test('sends no request for a link without a token', async () => {
  const { calls } = await openApp('/magic-login', {})
  await screen.findByLabelText('Email')
  expect(calls).toEqual([])
})

test('does not use the link while the page is hidden', async () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  const { calls } = await openApp('/magic-login?token=abc', {
    [VERIFY]: [200, { access_token: 'fresh', has_username: false }],
    'GET /profile/me': [200, user],
  })
  await screen.findByText('Connexion en cours...')
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(calls).toEqual([])
  visibility.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  await waitFor(() => expect(calls.map(call => call.route)).toContain(VERIFY))
  visibility.mockRestore()
  await screen.findByLabelText('Username')
})

test('marks an invalid username once the user types, and shows a rejection inline and as a toast', async () => {
  await openApp(
    '/setup-username',
    {
      'GET /profile/me': [200, user],
      'POST /profile/setup-username': [409, { detail: 'This username is already taken' }],
    },
    { token: 't' },
  )
  const rule = 'Username must contain between 3 and 20 alphanumeric characters'
  await screen.findByLabelText('Username')
  expect(screen.queryByText(rule)).toBeNull()
  type('Username', 'a b')
  expect(screen.getByText(rule)).toBeTruthy()
  expect(screen.getByLabelText('Username').getAttribute('aria-invalid')).toBe('true')
  type('Username', 'ada_99')
  expect(screen.queryByText(rule)).toBeNull()
  press('Continue')
  await waitFor(() => expect(screen.getAllByText('This username is already taken')).toHaveLength(2))
})

test('shows a generic error for a list of details in the username step', async () => {
  await openApp(
    '/setup-username',
    { 'GET /profile/me': [200, user], 'POST /profile/setup-username': [422, { detail: ['x'] }] },
    { token: 't' },
  )
  await screen.findByLabelText('Username')
  type('Username', 'ada_99')
  press('Continue')
  await waitFor(() => expect(screen.getAllByText('An error occurred')).toHaveLength(2))
})
