import type { Connection } from '@iodine/service-kit'
import { type AuditEntryDoc, auditEntrySchema } from './audit-entry.js'
import {
  type AuditHeadDoc,
  auditHeadSchema,
  type FingerprintKeyDoc,
  fingerprintKeySchema,
  type PartSettingsDoc,
  partSettingsSchema,
} from './audit-state.js'
import { type BetaCodeDoc, betaCodeSchema } from './beta-code.js'
import { type DeletionDoc, deletionSchema } from './deletion.js'
import { type ExtensionCodeDoc, extensionCodeSchema } from './extension-code.js'
import { type FeedKeyDoc, feedKeySchema } from './feed-key.js'
import { type KeyUseDoc, keyUseSchema } from './key-use.js'
import { type MagicLinksDoc, magicLinkSchema } from './magic-link.js'
import { type MailDoc, mailSchema } from './mail.js'
import { type PasskeyDoc, passkeySchema } from './passkey.js'
import { type SessionDoc, sessionSchema } from './session.js'
import { type UsedChallengeDoc, usedChallengeSchema } from './used-challenge.js'
import { type UserDoc, userSchema } from './user.js'

export const createModels = (mongo: Connection) => ({
  users: mongo.model<UserDoc>('User', userSchema),
  links: mongo.model<MagicLinksDoc>('MagicLinks', magicLinkSchema),
  mails: mongo.model<MailDoc>('Mail', mailSchema),
  sessions: mongo.model<SessionDoc>('Session', sessionSchema),
  passkeys: mongo.model<PasskeyDoc>('Passkey', passkeySchema),
  usedChallenges: mongo.model<UsedChallengeDoc>('UsedChallenge', usedChallengeSchema),
  extensionCodes: mongo.model<ExtensionCodeDoc>('ExtensionCode', extensionCodeSchema),
  feedKeys: mongo.model<FeedKeyDoc>('FeedKey', feedKeySchema),
  keyUses: mongo.model<KeyUseDoc>('KeyUse', keyUseSchema),
  betaCodes: mongo.model<BetaCodeDoc>('BetaCode', betaCodeSchema),
  deletions: mongo.model<DeletionDoc>('Deletion', deletionSchema),
  auditEntries: mongo.model<AuditEntryDoc>('AuditEntry', auditEntrySchema),
  auditHead: mongo.model<AuditHeadDoc>('AuditHead', auditHeadSchema),
  partSettings: mongo.model<PartSettingsDoc>('PartSettings', partSettingsSchema),
  fingerprintKeys: mongo.model<FingerprintKeyDoc>('FingerprintKey', fingerprintKeySchema),
})
export type AuthModels = ReturnType<typeof createModels>
