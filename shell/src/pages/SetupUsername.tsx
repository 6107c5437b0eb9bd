import { DETAILS, USERNAME_PATTERN } from '@iodine/contracts'
import { isApiError } from '@iodine/mfe-kit'
import { Button, FormGroup, InputGroup, PageHeader } from '@iodine/ui'
import { Navigate } from '@iodine/ui/router'
import { type FormEvent, useState } from 'react'
import { useSession, useShell } from '../app/HostProvider'
import { EntryLayout } from './EntryLayout'
import styles from './SetupUsername.module.css'

export function SetupUsername() {
  const { api, config, navigate, notify, session } = useShell()
  const { user } = useSession()
  const [username, setUsername] = useState('')
  const [saving, setSaving] = useState(false)
  const [failure, setFailure] = useState('')
  const invalid = username !== '' && !USERNAME_PATTERN.test(username)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (invalid) return
    setSaving(true)
    setFailure('')
    try {
      await api.call('POST /profile/setup-username', { body: { username } })
      await session.refresh()
      navigate('/dashboard')
    } catch (error) {
      const detail =
        isApiError(error) && typeof error.detail === 'string' ? error.detail : 'An error occurred'
      setFailure(detail)
      notify({ title: 'Error', description: detail, status: 'error' })
      setSaving(false)
    }
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
        <FormGroup
          label="Username"
          labelFor="username"
          intent={invalid ? 'danger' : 'none'}
          helperText={<span id="username-rule">{invalid && DETAILS.usernameRule}</span>}
        >
          <InputGroup
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
        </FormGroup>
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
          disabled={saving || invalid}
          text={saving ? 'Setting up...' : 'Continue'}
        />
      </form>
      <p className={styles.note}>
        Your username will be public and can be changed later in your profile settings.
      </p>
    </EntryLayout>
  )
}
