import { type AuditFilters, isId } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import { type UserDoc, usernameKey } from '../../accounts/models/user.js'
import type { AuthModels } from '../../models.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'

/** Returns the id in a text, or the id of the account with this username; null if there is none. */
const idOf = async ({ users }: AuthModels, text: string): Promise<string | null> => {
  if (isId(text)) return text.toLowerCase()
  const user = await users
    .findOne({ username_key: usernameKey(text.trim()), deleted_at: null })
    .select('_id')
    .lean<UserDoc>()
  return user?._id.toHexString() ?? null
}

/** Returns the filter of entries; an unknown name matches none. */
export const selectEntries = async (
  models: AuthModels,
  { action, actor, actor_kind, subject, from, to }: AuditFilters,
): Promise<QueryFilter<AuditEntryDoc>> => {
  const conditions: object[] = []
  if (action?.length) conditions.push({ 'entry.action': { $in: action } })
  if (actor_kind) conditions.push({ 'entry.actor.kind': actor_kind })
  if (actor) conditions.push({ 'entry.actor.id': (await idOf(models, actor)) ?? 'none' })
  if (subject) {
    const id = (await idOf(models, subject)) ?? 'none'
    conditions.push({ $or: [{ 'entry.subject.id': id }, { 'entry.item': id }] })
  }
  if (from) conditions.push({ created_at: { $gte: from } })
  if (to) conditions.push({ created_at: { $lte: to } })
  return (conditions.length > 0 ? { $and: conditions } : {}) as QueryFilter<AuditEntryDoc>
}
