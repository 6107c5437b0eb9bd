import type { Connection } from '@iodine/service-kit'
import { type AccountLinkDoc, accountLinkSchema } from './account-link.js'
import { type AddressChangeDoc, addressChangeSchema } from './address-change.js'
import { type ApiTokenDoc, apiTokenSchema } from './api-token.js'
import { type AuditEntryDoc, auditEntrySchema } from './audit-entry.js'
import {
  type AuditHeadDoc,
  auditHeadSchema,
  type FingerprintKeyDoc,
  fingerprintKeySchema,
  type PartSettingsDoc,
  partSettingsSchema,
} from './audit-state.js'
import { type BackupDoc, backupSchema } from './backup.js'
import { type BetaCodeDoc, betaCodeSchema } from './beta-code.js'
import {
  type DataExportDoc,
  dataExportSchema,
  type ExportPieceDoc,
  exportPieceSchema,
} from './data-export.js'
import { type DeletionDoc, deletionSchema } from './deletion.js'
import { type ExtensionCodeDoc, extensionCodeSchema } from './extension-code.js'
import { type FeedKeyDoc, feedKeySchema } from './feed-key.js'
import { type KeyUseDoc, keyUseSchema } from './key-use.js'
import { type MagicLinksDoc, magicLinkSchema } from './magic-link.js'
import { type PasskeyDoc, passkeySchema } from './passkey.js'
import { type SessionDoc, sessionSchema } from './session.js'
import { type UsedChallengeDoc, usedChallengeSchema } from './used-challenge.js'
import { type UserDoc, userSchema } from './user.js'

export const createModels = (mongo: Connection) => ({
  users: mongo.model<UserDoc>('User', userSchema),
  links: mongo.model<MagicLinksDoc>('MagicLinks', magicLinkSchema),
  sessions: mongo.model<SessionDoc>('Session', sessionSchema),
  passkeys: mongo.model<PasskeyDoc>('Passkey', passkeySchema),
  usedChallenges: mongo.model<UsedChallengeDoc>('UsedChallenge', usedChallengeSchema),
  extensionCodes: mongo.model<ExtensionCodeDoc>('ExtensionCode', extensionCodeSchema),
  apiTokens: mongo.model<ApiTokenDoc>('ApiToken', apiTokenSchema),
  feedKeys: mongo.model<FeedKeyDoc>('FeedKey', feedKeySchema),
  keyUses: mongo.model<KeyUseDoc>('KeyUse', keyUseSchema),
  betaCodes: mongo.model<BetaCodeDoc>('BetaCode', betaCodeSchema),
  backups: mongo.model<BackupDoc>('Backup', backupSchema),
  accountLinks: mongo.model<AccountLinkDoc>('AccountLink', accountLinkSchema),
  addressChanges: mongo.model<AddressChangeDoc>('AddressChange', addressChangeSchema),
  dataExports: mongo.model<DataExportDoc>('DataExport', dataExportSchema),
  exportPieces: mongo.model<ExportPieceDoc>('ExportPiece', exportPieceSchema),
  deletions: mongo.model<DeletionDoc>('Deletion', deletionSchema),
  auditEntries: mongo.model<AuditEntryDoc>('AuditEntry', auditEntrySchema),
  auditHead: mongo.model<AuditHeadDoc>('AuditHead', auditHeadSchema),
  partSettings: mongo.model<PartSettingsDoc>('PartSettings', partSettingsSchema),
  fingerprintKeys: mongo.model<FingerprintKeyDoc>('FingerprintKey', fingerprintKeySchema),
})
export type AuthModels = ReturnType<typeof createModels>
