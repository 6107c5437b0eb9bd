import { beforeEach, expect, test, vi } from 'vitest'
import { createSessionStore, type SessionUser, TOKEN_KEY } from '../src/session/session-store'

const ada = { id: 'a'.repeat(24), username: 'ada' } as SessionUser
const bob = { id: 'b'.repeat(24), username: 'bob' } as SessionUser

beforeEach(() => localStorage.clear())

/** A stub of the profile call. The test settles the calls individually. */
function profileCalls() {
  const pending: { answer: (user: SessionUser) => void; fail: () => void }[] = []
  const fetchProfile = vi.fn(
    () =>
      new Promise<SessionUser>((resolve, reject) => {
        pending.push({ answer: resolve, fail: () => reject(new Error('refused')) })
      }),
  )
  return { fetchProfile, pending }
}
const settled = () => new Promise(resolve => setTimeout(resolve))

test('ends the first check at once without a token and without a user', () => {
  const { fetchProfile } = profileCalls()
  const session = createSessionStore(fetchProfile, localStorage)
  expect(session.getState()).toEqual({ user: null, loading: true })
  session.start()
  expect(session.getState()).toEqual({ user: null, loading: false })
  expect(fetchProfile).not.toHaveBeenCalled()
})

test('sets the user to the profile of a stored token', async () => {
  localStorage.setItem(TOKEN_KEY, 't')
  const session = createSessionStore(async () => ada, localStorage)
  session.start()
  expect(session.getState().loading).toBe(true)
  await settled()
  expect(session.getState()).toEqual({ user: ada, loading: false })
})

test('removes the token if the profile fails to load', async () => {
  localStorage.setItem(TOKEN_KEY, 't')
  const session = createSessionStore(() => Promise.reject(new Error('503')), localStorage)
  session.start()
  await settled()
  expect(session.getState()).toEqual({ user: null, loading: false })
  expect(localStorage.getItem(TOKEN_KEY)).toBeNull()
})

test('stores the token on login, and shows loading until the profile arrives', async () => {
  const session = createSessionStore(async () => ada, localStorage)
  session.start()
  const done = session.login('fresh')
  expect(localStorage.getItem(TOKEN_KEY)).toBe('fresh')
  expect(session.getState().loading).toBe(true)
  await done
  expect(session.getState()).toEqual({ user: ada, loading: false })
})

test('follows sign-ins and sign-outs of another tab, and ignores other keys', async () => {
  const { fetchProfile, pending } = profileCalls()
  const session = createSessionStore(fetchProfile, localStorage)
  const stop = session.start()
  localStorage.setItem(TOKEN_KEY, 't')
  window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }))
  expect(fetchProfile).not.toHaveBeenCalled()
  window.dispatchEvent(new StorageEvent('storage', { key: TOKEN_KEY }))
  pending[0]?.answer(ada)
  await settled()
  expect(session.getState().user).toBe(ada)
  localStorage.removeItem(TOKEN_KEY)
  window.dispatchEvent(new StorageEvent('storage', { key: TOKEN_KEY }))
  expect(session.getState().user).toBeNull()
  stop()
  localStorage.setItem(TOKEN_KEY, 't')
  window.dispatchEvent(new StorageEvent('storage', { key: TOKEN_KEY }))
  expect(fetchProfile).toHaveBeenCalledOnce()
})

test('uses the latest of overlapping checks, and drops a response after logout', async () => {
  const { fetchProfile, pending } = profileCalls()
  const session = createSessionStore(fetchProfile, localStorage)
  void session.login('one')
  void session.login('two')
  pending[1]?.answer(bob)
  pending[0]?.fail()
  await settled()
  expect(session.getState().user).toBe(bob)
  expect(localStorage.getItem(TOKEN_KEY)).toBe('two')
  void session.refresh()
  session.logout()
  pending[2]?.answer(bob)
  await settled()
  expect(session.getState()).toEqual({ user: null, loading: false })
})

test('shows loading on refresh but not on reload, which keeps the state on failure', async () => {
  const { fetchProfile, pending } = profileCalls()
  const session = createSessionStore(fetchProfile, localStorage)
  void session.login('t')
  pending[0]?.answer(ada)
  await settled()
  const reload = session.reload()
  expect(session.getState().loading).toBe(false)
  pending[1]?.fail()
  await expect(reload).rejects.toThrow()
  expect(session.getState().user).toBe(ada)
  void session.refresh()
  expect(session.getState().loading).toBe(true)
})

test('keeps the new session on a 401 for an old token', async () => {
  const session = createSessionStore(async () => ada, localStorage)
  await session.login('new')
  expect(session.expire('old')).toBe(false)
  expect(session.getState().user).toBe(ada)
  expect(session.expire('new')).toBe(true)
  expect(session.getState().user).toBeNull()
  expect(localStorage.getItem(TOKEN_KEY)).toBeNull()
})
