import {
  formatQuota,
  LIMITS,
  type Person,
  type PersonDetail,
  type Quota,
  type QuotaUsage,
} from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, Callout, formatAmount, InputGroup, LoadingPanel, Tag } from '@iodine/ui'
import { ConfirmButton, Dialog, DialogBody } from '@iodine/ui/overlays'
import { type FormEvent, useState } from 'react'
import { QUOTA_LABELS } from '../quota-labels'
import cells from './cells.module.css'
import styles from './People.module.css'

/** Key of the queries that read accounts. */
export const PEOPLE = ['people']

/** An account with its state, sessions, quotas and administrative actions. */
export function PersonDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { api } = useHost()
  const query = useQuery({
    queryKey: [...PEOPLE, id],
    queryFn: () => api.call('GET /admin/people/:id', { params: { id } }),
  })
  return (
    <Dialog isOpen title="Manage Account" onClose={onClose}>
      <DialogBody>
        <LoadingPanel query={query} errorTitle="Unable to load this account">
          {person => <Account person={person} />}
        </LoadingPanel>
      </DialogBody>
    </Dialog>
  )
}

/** Tags of an account's state. */
export function StateTags({ person }: { person: Pick<Person, 'suspended_at' | 'is_admin'> }) {
  return (
    <span className={styles.tags}>
      <Tag minimal intent={person.suspended_at ? 'danger' : 'success'}>
        {person.suspended_at ? 'Suspended' : 'Active'}
      </Tag>
      {person.is_admin && (
        <Tag minimal intent="primary">
          Administrator
        </Tag>
      )}
    </span>
  )
}

/** Runs an action on an account, then refetches the accounts. */
const useAccountAction = <V = void>(
  mutationFn: (input: V) => Promise<unknown>,
  title: string,
  failed: string,
) => useAction({ mutationFn, done: { title, duration: 3000 }, failed, invalidates: [PEOPLE] }).run

function Account({ person }: { person: PersonDetail }) {
  const { id, email, username, is_admin, suspended_at, sessions, api_tokens, feed_keys } = person
  const { api } = useHost()
  const name = username === null ? email : `@${username}`
  const isSuspended = suspended_at !== null
  const params = { id }
  const suspend = useAccountAction(
    () => api.call('POST /admin/people/:id/suspend', { params }),
    'The account is suspended',
    'Unable to suspend the account',
  )
  const unsuspend = useAccountAction(
    () => api.call('POST /admin/people/:id/unsuspend', { params }),
    'The account can sign in again',
    'Unable to unsuspend the account',
  )
  const endSessions = useAccountAction(
    () => api.call('POST /admin/people/:id/end-sessions', { params }),
    'All sessions ended',
    'Unable to end the sessions',
  )
  const revokeTokens = useAccountAction(
    () => api.call('POST /admin/people/:id/revoke-tokens', { params }),
    'API tokens and feed keys revoked',
    'Unable to revoke the API tokens and feed keys',
  )
  return (
    <>
      <div className={cells.cell}>
        <strong className={cells.text}>{name}</strong>
        <span className={cells.muted}>{email}</span>
        <span className={cells.muted}>{id}</span>
        <StateTags person={person} />
        <span className={cells.muted}>
          {formatAmount(sessions, 'session')}, {formatAmount(api_tokens, 'valid API token')},{' '}
          {formatAmount(feed_keys, 'valid feed key')}
        </span>
      </div>
      <div className={styles.actions}>
        <ConfirmButton
          button={
            isSuspended
              ? { text: 'Unsuspend', disabled: is_admin }
              : {
                  intent: 'danger',
                  variant: 'outlined',
                  text: 'Suspend',
                  disabled: is_admin,
                  ...(is_admin && { title: 'Only the operator of this site can suspend administrators' }),
                }
          }
          isConfirmed={isSuspended}
          title="Suspend account"
          confirmLabel="Suspend"
          onConfirm={isSuspended ? unsuspend : suspend}
        >
          {name} is signed out everywhere at once, and can’t sign in until you unsuspend the account. Their
          content stays.
        </ConfirmButton>
        <ConfirmButton
          button={{
            variant: 'outlined',
            text: `End all sessions (${sessions})`,
            disabled: sessions === 0,
          }}
          title="End all sessions"
          confirmLabel="End sessions"
          onConfirm={endSessions}
        >
          {name} is signed out of every browser and extension at once, and can sign in again. Your current
          session, API tokens and feed keys stay valid.
        </ConfirmButton>
        <ConfirmButton
          button={{
            variant: 'outlined',
            text: `Revoke API tokens and feed keys (${api_tokens + feed_keys})`,
            disabled: api_tokens + feed_keys === 0,
          }}
          title="Revoke API tokens and feed keys"
          confirmLabel="Revoke"
          onConfirm={revokeTokens}
        >
          All API tokens and feed keys of {name} stop working at once. This can’t be undone. Anyone who is
          signed in as {name} can create new ones: if the account may be compromised, end its sessions first.
        </ConfirmButton>
      </div>
      {person.limits_pending && (
        <Callout intent="warning" compact>
          A service is down and does not apply the new limits yet. It applies them once it is back.
        </Callout>
      )}
      <ul className={styles.quotas} aria-label="Quotas">
        {QUOTA_LABELS.map(([quota, label]) => (
          <QuotaRow
            key={quota}
            quota={quota}
            label={label}
            usage={person.usage[quota]}
            own={person.own_limits[quota] ?? null}
            params={params}
          />
        ))}
      </ul>
    </>
  )
}

interface QuotaRowProps {
  quota: Quota
  label: string
  /** Null while the service of the quota is unavailable. */
  usage: QuotaUsage | null
  /** The account's individual limit; null if the default applies. */
  own: number | null
  params: { id: string }
}

function QuotaRow({ quota, label, usage, own, params }: QuotaRowProps) {
  const { api, notify } = useHost()
  const [draft, setDraft] = useState<string | null>(null)
  const save = useAction({
    mutationFn: (limit: number | null) =>
      api.call('PATCH /admin/people/:id/limits', { params, body: { [quota]: limit } }),
    done: { title: 'Limit changed', duration: 3000 },
    failed: 'Unable to change the limit',
    invalidates: [PEOPLE],
    onSettled: (_, error) => {
      if (!error) setDraft(null)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const limit = Number(draft)
    if (Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.quotaMax) return void save.run(limit)
    notify({ title: 'A limit is a whole number, 1 or more', status: 'error' })
  }
  return (
    <li className={styles.quota}>
      <span>
        {label}
        {quota.endsWith('_bytes') && draft !== null && ' (bytes)'}
      </span>
      {draft === null ? (
        <span className={styles.limit}>
          <span>
            {usage
              ? `${formatQuota(quota, usage.used)} of ${formatQuota(quota, usage.limit)}`
              : 'not available'}
          </span>
          {own !== null && (
            <Tag minimal intent="primary">
              Custom limit
            </Tag>
          )}
          <Button
            size="small"
            variant="outlined"
            text="Change"
            aria-label={`Change limit: ${label}`}
            onClick={() => setDraft(String(own ?? usage?.limit ?? ''))}
          />
        </span>
      ) : (
        <form className={styles.limit} onSubmit={submit}>
          <InputGroup
            autoFocus
            inputMode="numeric"
            aria-label={`Limit: ${label}`}
            value={draft}
            onValueChange={setDraft}
          />
          <Button type="submit" intent="primary" text="Save" loading={save.isPending} />
          {own !== null && (
            <Button text="Use default" disabled={save.isPending} onClick={() => void save.run(null)} />
          )}
          <Button variant="minimal" text="Cancel" disabled={save.isPending} onClick={() => setDraft(null)} />
        </form>
      )}
    </li>
  )
}
