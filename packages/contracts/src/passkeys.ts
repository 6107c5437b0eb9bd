import { z } from 'zod'
import { LIMITS } from './limits.js'
import { filledText, id, time } from './primitives.js'

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/, 'must be base64url')

// Browsers add members in each version of the standard: unused ones are dropped.
const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['platform', 'cross-platform']).optional(),
  clientExtensionResults: z.object({}).default({}),
}

/** RegistrationResponseJSON (Web Authentication Level 3, 5.1). */
export const newCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8_192),
    attestationObject: base64url(16_384),
    transports: z.array(z.string().max(40)).max(10).optional(),
  }),
})

/** AuthenticationResponseJSON (Web Authentication Level 3, 5.1). */
export const usedCredential = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8_192),
    authenticatorData: base64url(8_192),
    signature: base64url(8_192),
    userHandle: base64url(200).optional(),
  }),
})

/** PublicKeyCredentialCreationOptionsJSON or PublicKeyCredentialRequestOptionsJSON, as browsers read them. */
export const credentialOptions = z.looseObject({ challenge: z.string() })

export const passkey = z.strictObject({
  id,
  name: z.string(),
  created_at: time,
  last_used_at: time.nullable(),
})
export type Passkey = z.output<typeof passkey>

export const passkeyName = filledText(LIMITS.passkeyNameMax)
