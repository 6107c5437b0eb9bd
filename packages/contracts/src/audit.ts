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

/** As `id`, in lower case alone: equal things have equal ids. */
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
  /** Equal values have equal fingerprints, by a key that the log does not hold. Null for secrets. */
  fingerprint: hex(16).nullable(),
})
export type SettingChange = z.output<typeof settingChange>

/**
 * An entry of the audit log, as services hand it over. Ids, words of a list, numbers and times alone: there is no field
 * that a secret, a link, a name, an address or a text would fit into.
 */
export const auditEntry = z.strictObject({
  /** Made by the service that records it: an entry that arrives again is the same one. */
  id: plainId,
  /** When the action began; of several that are counted in one entry, the first. */
  at: time,
  action: z.enum(AUDIT_ACTION_NAMES),
  outcome: z.enum(AUDIT_OUTCOMES),
  actor: z.strictObject({ kind: z.enum(AUDIT_ACTOR_NAMES), id: plainId.nullable() }),
  via: z.enum(AUDIT_VIA_NAMES).nullable(),
  network: auditNetwork.nullable(),
  /** Null for the id: made anew and unknown, or several that are counted in one entry. */
  subject: z.strictObject({ kind: z.enum(AUDIT_SUBJECT_NAMES), id: plainId.nullable() }),
  /** The part of the subject that is concerned, such as the IOD that was removed from a campaign. */
  item: plainId.nullable(),
  /** How many things; null where that says nothing. */
  count: amount.nullable(),
  /** How often, if actions of a user are counted in one entry. */
  times: z.int().min(1),
  detail: z.enum(AUDIT_DETAILS).nullable(),
  request_id: auditRequestId.nullable(),
  settings: z.array(settingChange).max(100).optional(),
  /** Of `audit.expired`: the last removed entry. */
  checkpoint: z.strictObject({ seq: amount, hash: hex(64) }).optional(),
})
export type AuditEntry = z.output<typeof auditEntry>

/** An entry that another part delivers. Expiry is recorded by the log alone, which removes entries by it. */
export const deliveredEntry = auditEntry.refine(
  ({ action, checkpoint }) => action !== 'audit.expired' && checkpoint === undefined,
  'is recorded by the log itself',
)

/** An entry in its place in the chain. */
export const chainedEntry = auditEntry.extend({
  /** Counts from 1, without a gap. */
  seq: z.int().min(1),
  /** Hash of the entry before; of the first one 64 zeros. */
  prev: hex(64),
  /** SHA-256 (FIPS 180-4) of the canonical JSON (RFC 8785) of all other fields. */
  hash: hex(64),
})
export type ChainedEntry = z.output<typeof chainedEntry>

/** An account that an entry names, as it is now. `deleted`: there is none with this id. */
const namedAccount = z.strictObject({ username: z.string().nullable(), deleted: z.boolean() })

export const auditItem = chainedEntry.extend({
  actor_account: namedAccount.nullable(),
  subject_account: namedAccount.nullable(),
})
export type AuditItem = z.output<typeof auditItem>

/** What is wrong with the chain, and where. */
export const auditFault = z.strictObject({
  seq: z.int(),
  /** `changed`: an entry is not what its hash says; `missing`: entries are not there; `moved`: not where they were. */
  kind: z.enum(['changed', 'missing', 'moved']),
})

export const auditState = z.strictObject({
  /** The first fault; null for an intact chain. */
  fault: auditFault.nullable(),
  entries: amount,
  /** Time of the oldest entry that is kept; null for an empty log. */
  since: time.nullable(),
  /** The last entry: whoever notes it can tell later that nothing before it was rewritten. */
  head: z.strictObject({ seq: amount, hash: hex(64) }),
  checked_at: time,
})
export type AuditState = z.output<typeof auditState>

const filters = {
  action: repeatable(z.enum(AUDIT_ACTION_NAMES), AUDIT_ACTION_NAMES.length),
  actor_kind: z.enum(AUDIT_ACTOR_NAMES).optional(),
  /** A username or an id. */
  actor: text(100).optional(),
  /** A username or an id, of what entries are about. */
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
    summary: 'Whether the chain of the audit log is intact, by a check of at most five minutes ago (admins)',
    response: auditState,
  }),
  exportAudit: endpoint('user', 'GET /admin/audit/export', {
    summary: 'The audit log as CSV, newest first; the download is an entry itself (admins)',
    query: auditFilters,
    response: z.unknown(),
    produces: 'text/csv',
  }),
} as const

/** Served by auth, which keeps the log: never routed by the gateway. */
export const auditInternal = {
  appendAudit: internalEndpoint('POST /internal/audit', {
    summary: 'Append entries to the audit log, in their order; known ones stay as they are',
    body: z.strictObject({ entries: z.array(deliveredEntry).min(1).max(LIMITS.auditBatch) }),
    response: done,
  }),
  reportSettings: internalEndpoint('POST /internal/audit/settings', {
    summary: 'The settings that a part has started with; what differs from before becomes an entry',
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
    summary: 'Check the whole chain now, also against a head that was noted before',
    body: z.strictObject({ head: auditState.shape.head.optional() }),
    response: auditState,
  }),
} as const
