import { createHash } from 'node:crypto'
import type { AuditAction, AuditDetail, AuditEntry, AuditSubject, AuditVia } from '@iodine/contracts'
import type { FastifyRequest } from 'fastify'
import { Types } from 'mongoose'
import { networkOf } from '../http/addresses.js'
import type { Caller } from '../http/tokens.js'
import { requestIdOf } from '../observe/work-context.js'

/** The actor: the user of a request, passed separately during sign-in; the operator; or the system. */
export type AuditBy =
  | { request: FastifyRequest; user?: Pick<Caller, 'id'> | undefined }
  | 'operator'
  | 'system'

/** An action and its subject. */
export interface AuditedAction {
  action: AuditAction
  subject: { kind: AuditSubject; id?: string | undefined }
  /** The part of the subject that the action changes. */
  item?: string | undefined
  count?: number | undefined
  detail?: AuditDetail | undefined
}

const VIAS: Record<Caller['scope'], AuditVia> = {
  full: 'web',
  collector: 'extension',
  feed: 'feed',
  api: 'token',
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Returns the id, or its hash if it is no UUID: clients choose ids, which could contain personal data. */
const presentRequestId = (id: string | undefined): string | null => {
  if (id === undefined) return null
  return UUID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32)
}

/** Returns an entry of an action that happens now. */
export const newAuditEntry = (
  by: AuditBy,
  { action, subject, item, count, detail }: AuditedAction,
): AuditEntry => {
  const caller = typeof by === 'string' ? undefined : (by.user ?? by.request.caller)
  const isUser = typeof by !== 'string'
  return {
    id: new Types.ObjectId().toHexString(),
    at: new Date().toISOString(),
    action,
    outcome: 'done',
    actor: { kind: isUser ? 'user' : by, id: caller?.id.toLowerCase() ?? null },
    via: isUser ? VIAS[by.request.caller?.scope ?? 'full'] : null,
    network: isUser ? networkOf(by.request.ip) : null,
    subject: { kind: subject.kind, id: subject.id?.toLowerCase() ?? null },
    item: item?.toLowerCase() ?? null,
    count: count ?? null,
    times: 1,
    detail: detail ?? null,
    request_id: presentRequestId(requestIdOf()),
  }
}
