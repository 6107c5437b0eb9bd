import { DETAILS, USERNAME_PATTERN } from '@iodine/contracts'
import { isApiError } from '@iodine/mfe-kit'
import { Button, PageHeader, TextField } from '@iodine/ui'
import { Navigate } from '@iodine/ui/router'
import { type FormEvent, useState } from 'react'
import { useSession, useShell } from '../app/HostProvider'
import { useBusy } from '../app/use-busy'
import { EntryLayout } from './EntryLayout'
import styles from './SetupUsername.module.css'

export function SetupUsername() {
  const { api, config, navigate, notify, session } = useShell()
  const { user } = useSession()
  const [username, setUsername] = useState('')
  const [failure, setFailure] = useState('')
  const invalid = username !== '' && !USERNAME_PATTERN.test(username)

  const { isBusy, run } = useBusy(error => {
    const description =
      isApiError(error) && typeof error.detail === 'string' ? error.detail : 'An error occurred'
    setFailure(description)
    notify({ title: 'Error', description, status: 'error' })
  })
  const save = async () => {
    await api.call('POST /profile/setup-username', { body: { username } })
    await session.refresh()
    navigate('/dashboard')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (invalid) return
    setFailure('')
    void run(save)
  }

  // The dashboard first asks whether to keep the account.
  if (user && user.delete_at !== null) return <Navigate to="/dashboard" replace />
  return (
    <EntryLayout>
      <PageHeader
        title={`Welcome to ${config.product_name}`}
        subtitle="Let's get you started by choosing your username"
      />
      <form onSubmit={submit}>
        <TextField
          label="Username"
          helperText={<span id="username-rule">{invalid && DETAILS.usernameRule}</span>}
          id="username"
          size="large"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          aria-invalid={invalid}
          aria-describedby="username-rule"
          intent={invalid ? 'danger' : 'none'}
          value={username}
          onValueChange={setUsername}
        />
        {failure && (
          <p className={styles.failure} role="alert">
            {failure}
          </p>
        )}
        <Button
          type="submit"
          size="large"
          intent="primary"
          fill
          disabled={isBusy || invalid}
          text={isBusy ? 'Setting up...' : 'Continue'}
        />
      </form>
      <p className={styles.note}>
        Your username will be public and can be changed later in your profile settings.
      </p>
    </EntryLayout>
  )
}
