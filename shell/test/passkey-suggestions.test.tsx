import { LIMITS } from '@iodine/contracts'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openApp } from './harness'

const OPTIONS = 'POST /auth/passkey-options'

/** Requests to the browser. Each is pending until another one replaces it or the user cancels it. */
let requests: { mediation?: string; challenge: string; cancel: () => void }[]

beforeEach(() => {
  requests = []
  const get = ({ mediation, publicKey, signal }: CredentialRequestOptions) =>
    new Promise<null>((_, reject) => {
      const fail = (name: string) => reject(Object.assign(new Error(name), { name }))
      signal?.addEventListener('abort', () => fail('AbortError'))
      const challenge = Buffer.from(publicKey?.challenge as ArrayBuffer).toString()
      requests.push({ ...(mediation && { mediation }), challenge, cancel: () => fail('NotAllowedError') })
    })
  vi.stubGlobal(
    'PublicKeyCredential',
    Object.assign(() => {}, { isConditionalMediationAvailable: async () => true }),
  )
  Object.defineProperty(navigator, 'credentials', { configurable: true, value: { get } })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'credentials')
})

/** Opens the login page, whose server issues the challenges `1`, `2`, and so on. */
const openLogin = async () => {
  let given = 0
  const challenge = () => Buffer.from(String(++given)).toString('base64url')
  return openApp('/login', { [OPTIONS]: () => [200, { challenge: challenge() }] })
}

test('requests new suggestions before their challenge expires', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await openLogin()
  await vi.waitFor(() => expect(requests).toMatchObject([{ mediation: 'conditional', challenge: '1' }]))
  vi.advanceTimersByTime(LIMITS.passkeyChallengeMs - 1_000)
  await vi.waitFor(() => expect(requests.at(-1)).toMatchObject({ mediation: 'conditional', challenge: '2' }))
})

test('resumes suggestions once the button’s dialog is closed', async () => {
  await openLogin()
  await waitFor(() => expect(requests).toHaveLength(1))
  fireEvent.click(screen.getByRole('button', { name: 'Sign in with a passkey' }))
  await waitFor(() => expect(requests.at(-1)?.mediation).toBeUndefined())
  requests.at(-1)?.cancel()
  await waitFor(() => expect(requests.at(-1)).toMatchObject({ mediation: 'conditional', challenge: '3' }))
})

test('shows no error for suggestions that the server rejects', async () => {
  let failures = 0
  const { calls } = await openApp('/login', { [OPTIONS]: () => [503, { detail: `Failure ${++failures}` }] })
  const button = await screen.findByRole('button', { name: 'Sign in with a passkey' })
  await waitFor(() => expect(calls).toHaveLength(1))
  fireEvent.click(button)
  await screen.findByText('Failure 2')
  expect(screen.queryByText('Failure 1')).toBeNull()
})
