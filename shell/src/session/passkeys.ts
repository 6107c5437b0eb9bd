import type { ApiClient } from '@iodine/mfe-kit'
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser'

/** True where the user closed the browser's dialog, let it time out, or another request took its place. */
const isCancelled = (error: unknown): boolean =>
  (error instanceof WebAuthnError && error.code === 'ERROR_CEREMONY_ABORTED') ||
  (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))

/** True where the authenticator has a passkey of this account already, which makes no second one. */
export const isPasskeyKnown = (error: unknown): boolean =>
  error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'

/** Has the browser make a passkey and adds it to the account. False where the user cancels. */
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
 * Has the browser sign in with a passkey. Null where the user cancels.
 * @param autofill among the suggestions of the page's field for the address, in place of a dialog; pending until one
 *   is chosen
 * @param signal of who no longer wants it: the browser is not asked then, as it would end what it was asked since
 */
export async function signInWithPasskey(
  api: ApiClient,
  { autofill, signal }: { autofill: boolean; signal?: AbortSignal },
): Promise<{ access_token: string; has_username: boolean } | null> {
  const asked = api.call('POST /auth/passkey-options')
  // Nobody waits for suggestions: without the server they are left out.
  const options = await (autofill ? asked.catch(() => null) : asked)
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
