import {
  AUDIT_ACTION_NAMES,
  AUDIT_ACTIONS,
  AUDIT_ACTOR_NAMES,
  AUDIT_ACTORS,
  AUDIT_SUBJECTS,
  AUDIT_VIAS,
  type AuditAction,
  type AuditActor,
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
export const actorOf = ({ actor, actor_account }: AuditItem): string =>
  actor_account ? accountName(actor_account) : AUDIT_ACTORS[actor.kind]

/** How and from where: 'browser, 192.0.2.0/24'; empty for what no request did. */
export const originOf = ({ via, network }: AuditItem): string =>
  [via && AUDIT_VIAS[via], network].filter(Boolean).join(', ')

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

export const KIND_CHOICES: readonly (readonly [AuditActor, string])[] = AUDIT_ACTOR_NAMES.map(
  name => [name, AUDIT_ACTORS[name]] as const,
)

/** What the filters hold, as the address has it: empty for no filter. */
export interface AuditQuestion {
  action: string
  kind: string
  by: string
  about: string
  /** Days where the reader is, both of them in: '2026-11-25'. */
  from: string
  to: string
}

const idOf = (text: string) => text.trim().replace(/^@/, '')

/** A moment of a day where the reader is; undefined for half a date. */
const momentOf = (day: string, clock: string): string | undefined => {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T${clock}` : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** The filters as the API takes them. What it could not understand, such as half a date, is left out. */
export const filtersOf = (question: AuditQuestion) => {
  const action = AUDIT_ACTION_NAMES.find(name => name === question.action)
  const actor_kind = AUDIT_ACTOR_NAMES.find(name => name === question.kind)
  const [actor, subject] = [idOf(question.by), idOf(question.about)]
  const [from, to] = [momentOf(question.from, '00:00'), momentOf(question.to, '23:59:59.999')]
  return {
    ...(action && { action: [action] }),
    ...(actor_kind && { actor_kind }),
    ...(actor && { actor }),
    ...(subject && { subject }),
    ...(from && { from }),
    ...(to && { to }),
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
