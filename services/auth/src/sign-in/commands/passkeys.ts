import { type authApi, type BodyOf, DETAILS, LIMITS, PRODUCT_NAME, type profileApi } from '@iodine/contracts'
import { badRequest, conflict, type FastifyRequest, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { findAccount } from '../../accounts/commands/close-account.js'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthContext } from '../../context.js'
import { endAllTokens } from '../../sessions/commands/end-tokens.js'
import { addToAccount } from '../../tokens/commands/slots.js'
import type { PasskeyDoc } from '../models/passkey.js'
import { isChallenge, newChallenge, useChallenge } from './challenges.js'
import { signIn } from './sign-in.js'

// Loaded with the first passkey: its certificate parsers would slow down every start.
const webauthn = () => import('@simplewebauthn/server')

/**
 * Accepted attestation formats (Web Authentication Level 3, 8). None is requested, so browsers send these two. For
 * other formats the library would request URLs in certificates, which an attacker may have created (SSRF).
 */
const FORMATS = ['none', 'packed']

/** Returns the format of an attestation object in base64url. Throws for other values. */
const formatOf = async (attestation: string): Promise<string> => {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  return decodeAttestationObject(isoBase64URL.toBuffer(attestation)).get('fmt')
}

/** Returns the relying party (Web Authentication Level 3, 5.4.2): a passkey works only at this address. */
const partyOf = ({ config }: AuthContext) => {
  const { hostname, origin } = new URL(config.PUBLIC_URL)
  return { rpID: hostname, origin }
}

/** Returns a user's passkeys, oldest first. */
export const listPasskeys = ({ models }: AuthContext, userId: string) =>
  models.passkeys
    .find({ user_id: new Types.ObjectId(userId) })
    .sort({ created_at: 1, _id: 1 })
    .lean<PasskeyDoc[]>()

/** Returns options for `navigator.credentials.create()`: a discoverable passkey with user verification. */
export const newPasskeyOptions = async (context: AuthContext, { _id, email, username }: UserDoc) => {
  const { generateRegistrationOptions } = await webauthn()
  const userId = _id.toHexString()
  return {
    ...(await generateRegistrationOptions({
      rpName: PRODUCT_NAME,
      rpID: partyOf(context).rpID,
      userName: email,
      userDisplayName: username ?? email,
      userID: new Uint8Array(_id.id),
      challenge: Buffer.from(newChallenge(context, `new-${userId}`), 'base64url'),
      timeout: LIMITS.passkeyChallengeMs,
      excludeCredentials: (
        await listPasskeys(context, userId)
      ).map(({ credential_id, transports }) => ({
        id: credential_id,
        transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })),
  }
}

/**
 * Adds a passkey. Throws 400 for an invalid response, 401 for a closed account, 409 for a known credential, 413 past
 * the limit.
 */
export const createPasskey = async (
  context: AuthContext,
  userId: string,
  { name, credential: response }: BodyOf<typeof profileApi.createPasskey>,
): Promise<PasskeyDoc> => {
  const { models } = context
  const { verifyRegistrationResponse } = await webauthn()
  if (!FORMATS.includes(await formatOf(response.response.attestationObject).catch(refuse))) return refuse()
  const { rpID, origin } = partyOf(context)
  let challenge = ''
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as never,
    expectedChallenge: given => {
      challenge = given
      return isChallenge(context, `new-${userId}`, given)
    },
    expectedOrigin: origin,
    expectedRPID: rpID,
  }).catch(refuse)
  if (!verified || !(await useChallenge(context, challenge))) throw badRequest(DETAILS.badPasskey)
  const { credential } = registrationInfo
  return addToAccount<PasskeyDoc>(
    context,
    models.passkeys,
    { max: LIMITS.passkeysMax, full: DETAILS.passkeysFull },
    {
      _id: new Types.ObjectId(),
      user_id: new Types.ObjectId(userId),
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: response.response.transports ?? [],
      name,
      created_at: new Date(),
      last_used_at: null,
    },
    async () => {
      if (await models.passkeys.exists({ credential_id: credential.id })) throw conflict(DETAILS.passkeyKnown)
    },
  )
}

/** Throws the same error for all faults: the library's errors quote the request. */
const refuse = (): never => {
  throw badRequest(DETAILS.badPasskey)
}

/** Renames a passkey of the user. Throws 404. */
export const renamePasskey = async (
  { models }: AuthContext,
  user_id: string,
  _id: string,
  name: string,
): Promise<PasskeyDoc> => {
  const passkey = await models.passkeys
    .findOneAndUpdate({ _id, user_id }, { $set: { name } }, { returnDocument: 'after' })
    .lean<PasskeyDoc>()
  if (!passkey) throw notFound()
  return passkey
}

/** Deletes a passkey of the user. Sessions that it opened continue. Throws 404. */
export const deletePasskey = async ({ models }: AuthContext, user_id: string, _id: string): Promise<void> => {
  const { deletedCount } = await models.passkeys.deleteOne({ _id, user_id })
  if (deletedCount === 0) throw notFound()
}

/**
 * Deletes all passkeys of an account and ends its sessions and API tokens, which a thief may have created. The owner
 * then signs in by link. Throws 404.
 */
export const resetPasskeys = async (context: AuthContext, email: string): Promise<UserDoc> => {
  const user = await findAccount(context, email)
  await context.models.passkeys.deleteMany({ user_id: user._id })
  await endAllTokens(context, user._id)
  return user
}

/** Returns options for `navigator.credentials.get()`: any discoverable passkey of this address. */
export const passkeyOptions = async (context: AuthContext) => {
  const { generateAuthenticationOptions } = await webauthn()
  return {
    ...(await generateAuthenticationOptions({
      rpID: partyOf(context).rpID,
      challenge: Buffer.from(newChallenge(context, 'sign-in'), 'base64url'),
      timeout: LIMITS.passkeyChallengeMs,
      userVerification: 'required',
    })),
  }
}

/**
 * Opens a session for the owner of a passkey that answers a challenge (Web Authentication Level 3, 7.2). Throws 400 for
 * an unknown or deleted passkey, another origin, a used or expired challenge, an invalid signature, a counter that
 * decreases (a copy of the authenticator), and a closed account.
 */
export const verifyPasskey = async (
  context: AuthContext,
  { credential: response }: BodyOf<typeof authApi.verifyPasskey>,
  request: FastifyRequest,
): Promise<{ access_token: string; has_username: boolean }> => {
  const { models } = context
  const passkey = await models.passkeys.findOne({ credential_id: response.id }).lean<PasskeyDoc>()
  if (!passkey) return refuse()
  const { verifyAuthenticationResponse } = await webauthn()
  const { rpID, origin } = partyOf(context)
  let challenge = ''
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as never,
    expectedChallenge: given => {
      challenge = given
      return isChallenge(context, 'sign-in', given)
    },
    expectedOrigin: origin,
    expectedRPID: rpID,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key.buffer as ArrayBuffer),
      counter: passkey.counter,
    },
  }).catch(refuse)
  if (!verified || !(await useChallenge(context, challenge))) return refuse()
  // Of two concurrent responses with the same counter, one comes from a copy.
  const { matchedCount } = await models.passkeys.updateOne(
    { _id: passkey._id, counter: passkey.counter },
    { $set: { counter: authenticationInfo.newCounter, last_used_at: new Date() } },
  )
  if (matchedCount === 0) return refuse()
  const userId = passkey.user_id.toHexString()
  const user = await models.users.findById(passkey.user_id).select('username').lean<UserDoc>()
  // Checked again once the session is stored: the passkey may have been deleted meanwhile.
  const isValid = async () => (await models.passkeys.exists({ _id: passkey._id })) !== null
  const access_token = user && (await signIn(context, { userId, by: 'passkey', request, isValid }))
  if (!access_token) return refuse()
  return { access_token, has_username: user.username !== null }
}
