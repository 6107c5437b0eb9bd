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

/** Returns an account's current username. The log contains only ids. */
const accountName = ({ username, deleted }: Account): string => {
  if (deleted) return 'Deleted account'
  return username === null ? 'No username' : `@${username}`
}

/** Returns the name of the actor. */
export const actorOf = ({ actor, actor_account }: AuditItem): string =>
  actor_account ? accountName(actor_account) : AUDIT_ACTORS[actor.kind]

/** Returns client and network: 'browser, 192.0.2.0/24'; empty if no request caused the action. */
export const originOf = ({ via, network }: AuditItem): string =>
  [via && AUDIT_VIAS[via], network].filter(Boolean).join(', ')

/** Returns the target of the action. */
export const subjectOf = ({ subject, subject_account, times }: AuditItem): string => {
  if (subject_account) return accountName(subject_account)
  return times > 1 && subject.id === null ? 'Several' : AUDIT_SUBJECTS[subject.kind]
}

/** Returns the action as a label: 'Campaign exported (csv)'. */
export const actionOf = ({ action, detail }: Pick<AuditItem, 'action' | 'detail'>): string => {
  const label = AUDIT_ACTIONS[action]
  return detail === null ? label : `${label} (${detail.replaceAll('_', ' ')})`
}

/** Actions sorted by label. */
export const ACTION_CHOICES: readonly (readonly [AuditAction, string])[] = AUDIT_ACTION_NAMES.map(
  name => [name, AUDIT_ACTIONS[name]] as const,
).sort(([, a], [, b]) => a.localeCompare(b))

export const KIND_CHOICES: readonly (readonly [AuditActor, string])[] = AUDIT_ACTOR_NAMES.map(
  name => [name, AUDIT_ACTORS[name]] as const,
)

/** The values of the filters, as in the URL: empty for no filter. */
export interface AuditFilterValues {
  action: string
  kind: string
  by: string
  about: string
  /** Inclusive days in the reader's time zone: '2026-11-25'. */
  from: string
  to: string
}

const idOf = (text: string) => text.trim().replace(/^@/, '')

/** Converts a day and a time in the reader's time zone to ISO 8601; undefined for an incomplete date. */
const momentOf = (day: string, clock: string): string | undefined => {
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T${clock}` : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Converts the filters to the API's query. Invalid values, such as an incomplete date, are omitted. */
export const filtersOf = (values: AuditFilterValues) => {
  const action = AUDIT_ACTION_NAMES.find(name => name === values.action)
  const actor_kind = AUDIT_ACTOR_NAMES.find(name => name === values.kind)
  const [actor, subject] = [idOf(values.by), idOf(values.about)]
  const [from, to] = [momentOf(values.from, '00:00'), momentOf(values.to, '23:59:59.999')]
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
  moved: 'does not follow the previous entry',
}

/** Describes the fault of the chain. */
export const faultOf = ({ seq, kind }: NonNullable<AuditState['fault']>): string =>
  `The log is damaged: entry ${seq} ${FAULTS[kind]}. Someone with access to the database changed the log, or a part of it was lost.`
