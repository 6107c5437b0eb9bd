import type { Connection } from '@iodine/service-kit'
import { type AccountLinkDoc, accountLinkSchema } from './accounts/models/account-link.js'
import { type AddressChangeDoc, addressChangeSchema } from './accounts/models/address-change.js'
import {
  type DataExportDoc,
  dataExportSchema,
  type ExportPieceDoc,
  exportPieceSchema,
} from './accounts/models/data-export.js'
import { type DeletionDoc, deletionSchema } from './accounts/models/deletion.js'
import { type UserDoc, userSchema } from './accounts/models/user.js'
import { type BackupDoc, backupSchema } from './administration/models/backup.js'
import { type AuditEntryDoc, auditEntrySchema } from './audit/models/audit-entry.js'
import {
  type AuditHeadDoc,
  auditHeadSchema,
  type FingerprintKeyDoc,
  fingerprintKeySchema,
  type PartSettingsDoc,
  partSettingsSchema,
} from './audit/models/audit-state.js'
import { type KeyUseDoc, keyUseSchema } from './keys/models/key-use.js'
import { type SessionDoc, sessionSchema } from './sessions/models/session.js'
import { type BetaCodeDoc, betaCodeSchema } from './sign-in/models/beta-code.js'
import { type ExtensionCodeDoc, extensionCodeSchema } from './sign-in/models/extension-code.js'
import { type MagicLinksDoc, magicLinkSchema } from './sign-in/models/magic-link.js'
import { type PasskeyDoc, passkeySchema } from './sign-in/models/passkey.js'
import { type UsedChallengeDoc, usedChallengeSchema } from './sign-in/models/used-challenge.js'
import { type ApiTokenDoc, apiTokenSchema } from './tokens/models/api-token.js'
import { type FeedKeyDoc, feedKeySchema } from './tokens/models/feed-key.js'

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
