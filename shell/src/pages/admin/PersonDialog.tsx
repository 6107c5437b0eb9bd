import { formatQuota, LIMITS, type Person, type PersonDetail, type Quota } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, Callout, formatAmount, InputGroup, LoadingPanel, Tag } from '@iodine/ui'
import { ConfirmButton, Dialog, DialogBody } from '@iodine/ui/overlays'
import { type FormEvent, useState } from 'react'
import { QUOTA_LABELS } from '../quota-labels'
import cells from './cells.module.css'
import styles from './People.module.css'

const ADMIN_KEPT = 'Only the operator of this site can suspend administrators'

const OUTLINED = { variant: 'outlined' } as const

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

/** The actions on an account, each with the toasts of its success and its failure. */
const ACTIONS = {
  suspend: ['The account is suspended', 'Unable to suspend the account'],
  unsuspend: ['The account can sign in again', 'Unable to unsuspend the account'],
  'end-sessions': ['All sessions ended', 'Unable to end the sessions'],
  'revoke-tokens': ['API tokens and feed keys revoked', 'Unable to revoke the API tokens and feed keys'],
} as const

function Account({ person }: { person: PersonDetail }) {
  const { id, email, username, is_admin, suspended_at, sessions, api_tokens, feed_keys } = person
  const name = username === null ? email : `@${username}`
  const isSuspended = suspended_at !== null
  const { api } = useHost()
  const { run } = useAction({
    mutationFn: (action: keyof typeof ACTIONS) =>
      api.call(`POST /admin/people/:id/${action}`, { params: { id } }),
    done: (_, action) => ({ title: ACTIONS[action][0], duration: 3000 }),
    failed: (error, action) => errorToast(error, ACTIONS[action][1]),
    invalidates: [PEOPLE],
  })
  const tokens = api_tokens + feed_keys
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
          button={{
            text: isSuspended ? 'Unsuspend' : 'Suspend',
            disabled: is_admin,
            ...(!isSuspended && { ...OUTLINED, intent: 'danger' }),
            ...(!isSuspended && is_admin && { title: ADMIN_KEPT }),
          }}
          isConfirmed={isSuspended}
          title="Suspend account"
          confirmLabel="Suspend"
          onConfirm={() => run(isSuspended ? 'unsuspend' : 'suspend')}
        >
          {name} is signed out everywhere at once, and can’t sign in until you unsuspend the account. Their
          content stays.
        </ConfirmButton>
        <ConfirmButton
          button={{ ...OUTLINED, text: `End all sessions (${sessions})`, disabled: sessions === 0 }}
          title="End all sessions"
          confirmLabel="End sessions"
          onConfirm={() => run('end-sessions')}
        >
          {name} is signed out of every browser and extension at once, and can sign in again. Your current
          session, API tokens and feed keys stay valid.
        </ConfirmButton>
        <ConfirmButton
          button={{
            ...OUTLINED,
            text: `Revoke API tokens and feed keys (${tokens})`,
            disabled: tokens === 0,
          }}
          title="Revoke API tokens and feed keys"
          confirmLabel="Revoke"
          onConfirm={() => run('revoke-tokens')}
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
          <QuotaRow key={quota} quota={quota} label={label} person={person} />
        ))}
      </ul>
    </>
  )
}

interface QuotaRowProps {
  quota: Quota
  label: string
  person: PersonDetail
}

function QuotaRow({ quota, label, person }: QuotaRowProps) {
  const params = { id: person.id }
  /** Null while the service of the quota is unavailable. */
  const usage = person.usage[quota]
  /** The account's individual limit; null if the default applies. */
  const own = person.own_limits[quota] ?? null
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
