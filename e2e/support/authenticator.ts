import { type CDPSession, expect, type Page } from '@playwright/test'

/** Returns a function that simulates the user's touch during `action`. */
const touchOf = (cdp: CDPSession, authenticatorId: string) => async (action: () => Promise<unknown>) => {
  const touch = (enabled: boolean) =>
    cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  await touch(true)
  await action()
  await touch(false)
}

/** Adds a virtual platform authenticator to the page's browser. */
export const plugAuthenticator = async (page: Page) => {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable', { enableUI: false })
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      // Journeys simulate each touch, so that no suggestion signs in by itself.
      automaticPresenceSimulation: false,
    },
  })
  return { cdp, authenticatorId, touch: touchOf(cdp, authenticatorId) }
}

/** Disables passkey suggestions: a suggestion would consume the touch that a button requests. */
export const withoutSuggestions = (page: Page) =>
  page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false
  })

/** Adds a passkey on the profile's page of security. */
export const addPasskey = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Passkey added')).toBeVisible()
}
