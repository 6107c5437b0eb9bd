import { DETAILS, USERNAME_PATTERN } from '@iodine/contracts'
import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { createQueryClient, QueryClientProvider } from '@iodine/mfe-kit/query'
import {
  Button,
  Card,
  ErrorCallout,
  Facts,
  FormGroup,
  formatLongDate,
  InputGroup,
  Page,
  PageHeader,
  Tag,
} from '@iodine/ui'
import { EditIcon } from '@iodine/ui/icons'
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
import { useShell } from '../app/HostProvider'
import { AddressCard } from './AddressCard'
import { AiKeyCard } from './AiKeyCard'
import { ApiTokensCard } from './ApiTokensCard'
import { CountingCard } from './CountingCard'
import { DeleteAccountCard } from './DeleteAccountCard'
import { FeedKeysCard } from './FeedKeysCard'
import { NotificationSettings } from './notifications/NotificationSettings'
import { PasskeysCard } from './PasskeysCard'
import styles from './Profile.module.css'
import { QuotingCard } from './QuotingCard'
import { RoutedTabs } from './RoutedTabs'
import { SessionsCard } from './SessionsCard'
import { UsageCard } from './UsageCard'
import { YourDataCard } from './YourDataCard'

export function Profile() {
  const { session } = useShell()
  const [queryClient] = useState(createQueryClient)
  const [failed, setFailed] = useState(false)
  const load = useCallback(
    () =>
      session.reload().then(
        () => setFailed(false),
        () => setFailed(true),
      ),
    [session],
  )
  useEffect(() => {
    void load()
  }, [load])

  return (
    <Page>
      <PageHeader title="My Profile" subtitle="Your account, security, notifications, access and data." />
      {failed ? (
        <ErrorCallout title="Unable to load profile" onRetry={load} />
      ) : (
        <QueryClientProvider client={queryClient}>
          <RoutedTabs
            id="profile"
            tabs={[
              { id: 'account', label: 'Account', panel: <Account onChanged={load} /> },
              { id: 'security', label: 'Security', panel: SECURITY },
              { id: 'notifications', label: 'Notifications', panel: <NotificationSettings /> },
              { id: 'access', label: 'Access', panel: ACCESS },
              { id: 'data', label: 'Data', panel: DATA },
            ]}
          />
        </QueryClientProvider>
      )}
    </Page>
  )
}

const SECURITY = (
  <div className={styles.cards}>
    <PasskeysCard />
    <SessionsCard />
  </div>
)
const ACCESS = (
  <div className={styles.cards}>
    <ApiTokensCard />
    <FeedKeysCard />
  </div>
)
const DATA = (
  <div className={styles.cards}>
    <UsageCard />
    <YourDataCard />
    <CountingCard />
    <QuotingCard />
  </div>
)

/** The account fields, the email address, the AI key and the deletion of the account. */
function Account({ onChanged }: { onChanged: () => Promise<void> }) {
  const { user } = useHost().session
  return (
    <div className={styles.cards}>
      <Card className={styles.card}>
        <Facts
          className={styles.fields}
          facts={{
            Email: user.email,
            Username: <Username username={user.username} onSaved={onChanged} />,
            Status: (
              <Tag minimal intent={user.is_admin ? 'primary' : 'none'}>
                {user.is_admin ? 'Administrator' : 'User'}
              </Tag>
            ),
            'Member since': formatLongDate(user.created_at),
          }}
        />
      </Card>
      <AiKeyCard configured={user.has_openai_key} onChanged={onChanged} />
      <AddressCard />
      <DeleteAccountCard />
    </div>
  )
}

function Username({ username, onSaved }: { username: string | null; onSaved: () => Promise<void> }) {
  const [editing, setEditing] = useState(false)
  const wasEditing = useRef(false)
  if (editing) {
    const stop = () => setEditing(false)
    return <UsernameForm username={username ?? ''} onSaved={() => onSaved().then(stop)} onCancel={stop} />
  }
  return (
    <span className={styles.row}>
      {username ? `@${username}` : <span className={styles.muted}>Not set</span>}
      <Button
        variant="minimal"
        size="small"
        icon={<EditIcon />}
        text="Edit"
        aria-label="Edit username"
        autoFocus={wasEditing.current}
        onClick={() => {
          wasEditing.current = true
          setEditing(true)
        }}
      />
    </span>
  )
}

interface UsernameFormProps {
  username: string
  onSaved: () => Promise<void>
  onCancel: () => void
}

function UsernameForm({ username, onSaved, onCancel }: UsernameFormProps) {
  const { api, notify } = useHost()
  const [draft, setDraft] = useState(username)
  const trimmed = draft.trim()
  const invalid = draft !== '' && !USERNAME_PATTERN.test(trimmed)
  const save = useAction({
    mutationFn: () => api.call('POST /profile/setup-username', { body: { username: trimmed } }),
    onSuccess: onSaved,
    done: { title: 'Username updated', duration: 3000 },
    failed: 'Unable to update username',
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (trimmed === '' || invalid) {
      const description = trimmed === '' ? 'Username cannot be empty' : DETAILS.usernameRule
      return notify(errorToast(null, description))
    }
    void save.run()
  }

  return (
    <form onSubmit={submit} onKeyDown={event => event.key === 'Escape' && onCancel()}>
      <FormGroup
        className={styles.flat}
        intent={invalid ? 'danger' : 'none'}
        helperText={<span id="username-rule">{invalid && DETAILS.usernameRule}</span>}
      >
        <span className={styles.row}>
          <InputGroup
            className={styles.usernameInput}
            aria-label="Username"
            aria-invalid={invalid}
            aria-describedby="username-rule"
            autoCapitalize="none"
            autoComplete="username"
            autoFocus
            spellCheck={false}
            intent={invalid ? 'danger' : 'none'}
            value={draft}
            onValueChange={setDraft}
          />
          <Button type="submit" intent="primary" text="Save" loading={save.isPending} />
          <Button text="Cancel" onClick={onCancel} disabled={save.isPending} />
        </span>
      </FormGroup>
    </form>
  )
}
