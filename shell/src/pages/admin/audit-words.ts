import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTIONS,
  AUDIT_SUBJECTS,
  type AuditAction,
  type AuditFilters,
  type AuditItem,
  type AuditState,
} from '@iodine/contracts'

type Account = NonNullable<AuditItem['actor_account']>

/** A person in words. The log has ids alone: names are those of now. */
const accountName = ({ username, deleted }: Account): string => {
  if (deleted) return 'Deleted account'
  return username === null ? 'No username' : `@${username}`
}

/** Who acted. */
export const actorOf = ({ actor, actor_account }: AuditItem): string => {
  if (actor_account) return accountName(actor_account)
  return { operator: 'Operator', system: 'System', user: 'Unknown' }[actor.kind]
}

const VIAS = { web: 'browser', extension: 'extension', feed: 'feed key', token: 'API token' } as const

/** How and from where: 'browser, 192.0.2.0/24'; empty for what no request did. */
export const originOf = ({ via, network }: AuditItem): string =>
  [via && VIAS[via], network].filter(Boolean).join(', ')

/** What the action was on. */
export const subjectOf = ({ subject, subject_account, times }: AuditItem): string => {
  if (subject_account) return accountName(subject_account)
  return times > 1 && subject.id === null ? 'Several' : AUDIT_SUBJECTS[subject.kind]
}

/** What was done, by words alone: 'Campaign exported (csv)'. */
export const actionOf = ({ action, detail }: Pick<AuditItem, 'action' | 'detail'>): string => {
  const label = AUDIT_ACTIONS[action]
  return detail === null ? label : `${label} (${detail.replaceAll('_', ' ')})`
}

/** Actions in the order of their words. */
export const ACTION_CHOICES: readonly (readonly [AuditAction, string])[] = AUDIT_ACTION_NAMES.map(
  name => [name, AUDIT_ACTIONS[name]] as const,
).sort(([, a], [, b]) => a.localeCompare(b))

/** What the filters hold, as the address has it: empty for no filter. */
export interface AuditQuestion {
  action: string
  by: string
  about: string
  /** Days of UTC, both of them in: '2026-11-25'. */
  from: string
  to: string
}

const DAY_MS = 86_400_000
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

/** The filters as the API takes them. What it could not understand, such as half a date, is left out. */
export const filtersOf = ({ action, by, about, from, to }: AuditQuestion) => {
  const known = AUDIT_ACTION_NAMES.find(name => name === action)
  const kind = (['operator', 'system'] as const).find(each => each === by.trim().toLowerCase())
  return {
    ...(known && { action: [known] }),
    ...(kind ? { actor_kind: kind } : by.trim() && { actor: by.trim().replace(/^@/, '') }),
    ...(about.trim() && { subject: about.trim().replace(/^@/, '') }),
    ...(isDay(from) && { from }),
    ...(isDay(to) && { to: new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10) }),
  } satisfies Partial<Record<keyof AuditFilters, unknown>>
}

const FAULTS: Record<NonNullable<AuditState['fault']>['kind'], string> = {
  changed: 'was changed',
  missing: 'is missing',
  moved: 'does not follow the one before it',
}

/** What is wrong with the chain. */
export const faultOf = ({ seq, kind }: NonNullable<AuditState['fault']>): string =>
  `The chain is broken: entry ${seq} ${FAULTS[kind]}. Somebody with access to the database has altered the log, or a part of it was lost.`
