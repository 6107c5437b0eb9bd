import { API_SCOPES, type ApiScope, type ApiToken, LIMITS } from '@iodine/contracts'
import { Checkbox, CopyField, formatLongDate, Tag, TextField } from '@iodine/ui'
import { ConsoleIcon } from '@iodine/ui/icons'
import { DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import styles from './ApiTokensCard.module.css'
import { DAY_MS, ExpiryField, NameField, useKeyForm } from './KeyForm'
import { type FormProps, KeyList } from './KeyList'
import profile from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

const SCOPES: Record<ApiScope, { label: string; about: string }> = {
  read: {
    label: 'Read',
    about: 'Everything that you can see: lists, graphs, exports, your records and captures.',
  },
  collect: {
    label: 'Collect',
    about: 'The same as the browser extension: store records and captures, create IODs, add evidence.',
  },
  contribute: {
    label: 'Contribute',
    about:
      'Add and change IODs, votes, comments, campaigns, imports and narratives. Extracting narratives uses your AI key.',
  },
}

/** The user's API tokens, for scripts. */
export function ApiTokensCard() {
  return (
    <ProfileCard
      title="API tokens"
      about={
        <>
          With an API token, a script uses the{' '}
          <a href="/api/v1/docs" target="_blank" rel="noreferrer">
            API
          </a>{' '}
          in your name, within the scopes that you choose. No token can delete content permanently, change
          your account or use administration.
        </>
      }
    >
      <KeyList<ApiToken, string>
        noun="API token"
        aNoun="an API token"
        short="token"
        max={LIMITS.apiTokensMax}
        icon={<ConsoleIcon />}
        load={(api, signal) => api.call('GET /profile/api-tokens', { signal })}
        revoke={(api, id) => api.call('DELETE /profile/api-tokens/:id', { params: { id } })}
        nameOf={({ name }) => name}
        tagOf={({ scopes }) => (
          <>
            {scopes.map(scope => (
              <Tag key={scope} minimal>
                {SCOPES[scope].label}
              </Tag>
            ))}
          </>
        )}
        revoked="scripts can no longer use it."
        Form={TokenForm}
        Made={NewToken}
      />
    </ProfileCard>
  )
}

/** Returns the day in the browser's time zone, as the value of a date input: '2026-11-25'. */
const dayOf = (time: number): string => new Date(time).toLocaleDateString('sv-SE')

/**
 * Returns the expiry time after a number of days, or at the end of `day` in the browser's time zone if `days` is 0; at
 * most one year from now.
 */
const endOf = (days: number, day: string): string => {
  const end = days === 0 ? new Date(`${day}T23:59:59.999`).getTime() : Date.now() + days * DAY_MS
  return new Date(Math.min(end, Date.now() + LIMITS.apiTokenMs - DAY_MS / 24)).toISOString()
}

function TokenForm({ create, onClose }: FormProps<string>) {
  const form = useKeyForm<'scopes' | 'day'>()
  const { name, days, fieldProps, setMissing, refuse } = form
  const [scopes, setScopes] = useState<readonly ApiScope[]>(['read'])
  const [day, setDay] = useState('')
  const [first, last] = [dayOf(Date.now() + DAY_MS), dayOf(Date.now() + 365 * DAY_MS)]
  const make = async () => {
    if (name === '') return refuse('name', 'A name is required')
    if (scopes.length === 0) return refuse('scopes', 'Select at least one scope')
    if (days === 0 && !(day >= first && day <= last))
      return refuse('day', 'Choose a day from tomorrow on, within a year')
    const body = { name, scopes: [...scopes], expires_at: endOf(days, day) }
    return create(async api => (await api.call('POST /profile/api-tokens', { body })).token)
  }
  const choose = (scope: ApiScope, isChosen: boolean) => {
    setMissing()
    setScopes(API_SCOPES.filter(each => (each === scope ? isChosen : scopes.includes(each))))
  }
  return (
    <DialogForm submitLabel="Create" onSubmit={make} onClose={onClose}>
      <NameField form={form} label="Name" placeholder="Nightly import" maxLength={LIMITS.apiTokenNameMax} />
      <fieldset className={styles.scopes}>
        <legend>Scopes</legend>
        {API_SCOPES.map((scope, at) => (
          <Checkbox
            key={scope}
            {...(at === 0 && { id: fieldProps('scopes').id })}
            checked={scopes.includes(scope)}
            onChange={event => choose(scope, event.currentTarget.checked)}
            labelElement={
              <>
                {SCOPES[scope].label}
                <span className={styles.about}>{SCOPES[scope].about}</span>
              </>
            }
          />
        ))}
      </fieldset>
      <ExpiryField form={form} id="api-token-life" last="A date…" />
      {days === 0 && (
        <TextField
          {...fieldProps('day')}
          label="Last day"
          helperText={formatLongDate(`${day}T12:00`)}
          type="date"
          min={first}
          max={last}
          value={day}
          onValueChange={value => {
            setMissing()
            setDay(value)
          }}
        />
      )}
    </DialogForm>
  )
}

/** A new token, and a command to try it. */
function NewToken({ made: token }: { made: string }) {
  const { origin } = window.location
  return (
    <>
      <CopyField
        label="Token"
        value={token}
        hint="Keep it secret: anyone who has it can act in your name, within its scopes."
      />
      <CopyField
        label="Try it"
        value={`curl -H "Authorization: Bearer ${token}" ${origin}/api/v1/profile/me`}
      />
      <p className={profile.muted}>
        The{' '}
        <a href="/api/v1/docs" target="_blank" rel="noreferrer">
          API reference
        </a>{' '}
        lists the scopes that each operation needs.
      </p>
    </>
  )
}
