import { z } from 'zod'
import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTOR_NAMES,
  AUDIT_DETAILS,
  AUDIT_OUTCOMES,
  AUDIT_SUBJECT_NAMES,
  AUDIT_VIA_NAMES,
  OPEN_SETTINGS,
  SECRET_SETTINGS,
} from './audit-actions.js'
import { endpoint, internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { done, endParam, pageQuery, repeatable, startParam, text, time } from './primitives.js'

/** An `id` in lower case only, so that equal ids are equal strings. */
const plainId = z.string().regex(/^[0-9a-f]{24}$/, 'must be an id in lower case')
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`), 'must be a hash')
const amount = z.int().min(0)

/** The network of an address: /24 of IPv4, /48 of IPv6. */
export const auditNetwork = z
  .string()
  .regex(/^(\d{1,3}(\.\d{1,3}){2}\.0\/24|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){2}::\/48)$/, 'must be a network')

/** A request's id: the UUID of the gateway, or the first half of the SHA-256 of an id that a client chose. */
export const auditRequestId = z
  .string()
  .regex(/^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/, 'must be a UUID or half a hash')

export const settingChange = z.strictObject({
  name: z.enum([...OPEN_SETTINGS, ...SECRET_SETTINGS]),
  change: z.enum(['set', 'changed', 'unset']),
  /** Keyed hash of the value; the log does not contain the key. Null for secrets. */
  fingerprint: hex(16).nullable(),
})
export type SettingChange = z.output<typeof settingChange>

/**
 * An entry of the audit log, as services deliver it. It consists of ids, enumerated words, numbers and times: no field
 * accepts a secret, a link, a name, an address or a text.
 */
export const auditEntry = z.strictObject({
  /** Created by the recording service: a redelivered entry has the same id. */
  id: plainId,
  /** Start of the action; for an entry that counts several, of the first one. */
  at: time,
  action: z.enum(AUDIT_ACTION_NAMES),
  outcome: z.enum(AUDIT_OUTCOMES),
  actor: z.strictObject({ kind: z.enum(AUDIT_ACTOR_NAMES), id: plainId.nullable() }),
  via: z.enum(AUDIT_VIA_NAMES).nullable(),
  network: auditNetwork.nullable(),
  /** The id is null if it is unknown, as of a new document, or if the entry counts several actions. */
  subject: z.strictObject({ kind: z.enum(AUDIT_SUBJECT_NAMES), id: plainId.nullable() }),
  /** Affected part of the subject, such as the IOD that was removed from a campaign. */
  item: plainId.nullable(),
  /** Number of affected items; null if not applicable. */
  count: amount.nullable(),
  /** Number of actions that the entry counts. */
  times: z.int().min(1),
  detail: z.enum(AUDIT_DETAILS).nullable(),
  request_id: auditRequestId.nullable(),
  settings: z.array(settingChange).max(100).optional(),
  /** For `audit.expired`: the last removed entry. */
  checkpoint: z.strictObject({ seq: amount, hash: hex(64) }).optional(),
})
export type AuditEntry = z.output<typeof auditEntry>

/** An entry that another part delivers. Only the log itself records expiry, by which it removes entries. */
export const deliveredEntry = auditEntry.refine(
  ({ action, checkpoint }) => action !== 'audit.expired' && checkpoint === undefined,
  'is recorded by the log itself',
)

/** An entry with its position in the chain. */
export const chainedEntry = auditEntry.extend({
  /** Position, from 1 without gaps. */
  seq: z.int().min(1),
  /** Hash of the previous entry; 64 zeros for the first one. */
  prev: hex(64),
  /** SHA-256 (FIPS 180-4) of the canonical JSON (RFC 8785) of all other fields. */
  hash: hex(64),
})
export type ChainedEntry = z.output<typeof chainedEntry>

/** Current state of an account that an entry names. `deleted`: no account has this id. */
const namedAccount = z.strictObject({ username: z.string().nullable(), deleted: z.boolean() })

export const auditItem = chainedEntry.extend({
  actor_account: namedAccount.nullable(),
  subject_account: namedAccount.nullable(),
})
export type AuditItem = z.output<typeof auditItem>

/** A fault of the chain and its position. */
export const auditFault = z.strictObject({
  seq: z.int(),
  /** `changed`: an entry differs from its hash; `missing`: entries are absent; `moved`: entries are out of order. */
  kind: z.enum(['changed', 'missing', 'moved']),
})

export const auditState = z.strictObject({
  /** The first fault; null for an intact chain. */
  fault: auditFault.nullable(),
  entries: amount,
  /** Time of the oldest stored entry; null for an empty log. */
  since: time.nullable(),
  /** The last entry. A noted head detects a later change of earlier entries. */
  head: z.strictObject({ seq: amount, hash: hex(64) }),
  checked_at: time,
})
export type AuditState = z.output<typeof auditState>

const filters = {
  action: repeatable(z.enum(AUDIT_ACTION_NAMES), AUDIT_ACTION_NAMES.length),
  actor_kind: z.enum(AUDIT_ACTOR_NAMES).optional(),
  /** Username or id of the actor. */
  actor: text(100).optional(),
  /** Username or id of the subject. */
  subject: text(100).optional(),
  from: startParam.optional(),
  to: endParam.optional(),
}
export const auditFilters = z.strictObject(filters)
export type AuditFilters = z.output<typeof auditFilters>

/** Served by auth, for administrators. */
export const auditApi = {
  listAudit: endpoint('user', 'GET /admin/audit', {
    summary: 'The audit log, newest first (admins)',
    query: z.strictObject({ ...filters, ...pageQuery }),
    response: z.array(auditItem),
  }),
  getAuditState: endpoint('user', 'GET /admin/audit/state', {
    summary: 'Whether the chain of the audit log is intact, from a check at most five minutes old (admins)',
    response: auditState,
  }),
  exportAudit: endpoint('user', 'GET /admin/audit/export', {
    summary: 'The audit log as CSV, newest first; the download is recorded as an entry (admins)',
    query: auditFilters,
    response: z.unknown(),
    produces: 'text/csv',
  }),
} as const

/** Served by auth, which keeps the log: never routed by the gateway. */
export const auditInternal = {
  appendAudit: internalEndpoint('POST /internal/audit', {
    summary: 'Append entries to the audit log, in their order; known entries are unchanged',
    body: z.strictObject({ entries: z.array(deliveredEntry).min(1).max(LIMITS.auditBatch) }),
    response: done,
  }),
  reportSettings: internalEndpoint('POST /internal/audit/settings', {
    summary: 'The settings that a part started with; changed settings become an entry',
    body: z.strictObject({
      part: z.string().regex(/^[a-z]{1,40}$/),
      settings: z.array(
        z.strictObject({
          name: settingChange.shape.name,
          /** SHA-256 of the value; null for secrets. */
          digest: hex(64).nullable(),
        }),
      ),
    }),
    response: done,
  }),
  verifyAudit: internalEndpoint('POST /internal/audit/verify', {
    summary: 'Check the whole chain now, optionally against an earlier head',
    body: z.strictObject({ head: auditState.shape.head.optional() }),
    response: auditState,
  }),
} as const
