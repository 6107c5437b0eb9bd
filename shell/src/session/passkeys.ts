import type { ApiClient } from '@iodine/mfe-kit'
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

/** Returns whether the user closed the browser's dialog, it timed out, or another request replaced it. */
const isCancelled = (error: unknown): boolean =>
  (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
  (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))

/** Returns whether the authenticator already has a passkey of this account; it creates no second one. */
export const isPasskeyKnown = (error: unknown): boolean =>
  error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'

/** Creates a passkey in the browser and adds it to the account. Resolves to false if the user cancels. */
export async function addPasskey(api: ApiClient, name: string): Promise<boolean> {
  const options = await api.call('POST /profile/passkeys/options')
  try {
    const credential = await startRegistration({
      optionsJSON: options as unknown as PublicKeyCredentialCreationOptionsJSON,
    })
    await api.call('POST /profile/passkeys', { body: { name, credential: credential as never } })
    return true
  } catch (error) {
    if (isCancelled(error)) return false
    throw error
  }
}

/**
 * Signs in with a passkey of the browser. Resolves to null if the user cancels.
 * @param autofill offers the passkey among the suggestions of the email field instead of a dialog; pending until one is
 * chosen
 * @param signal aborts before the browser is called: a late call would cancel a newer one
 */
export async function signInWithPasskey(
  api: ApiClient,
  { autofill, signal }: { autofill: boolean; signal?: AbortSignal },
): Promise<{ access_token: string; has_username: boolean } | null> {
  const request = api.call('POST /auth/passkey-options')
  // Suggestions are optional: without the server, there are none.
  const options = await (autofill ? request.catch(() => null) : request)
  if (!options || signal?.aborted) return null
  try {
    const credential = await startAuthentication({
      optionsJSON: options as unknown as PublicKeyCredentialRequestOptionsJSON,
      useBrowserAutofill: autofill,
    })
    return await api.call('POST /auth/verify-passkey', { body: { credential: credential as never } })
  } catch (error) {
    if (isCancelled(error)) return null
    throw error
  }
}
