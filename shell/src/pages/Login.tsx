import { LIMITS } from '@iodine/contracts'
import { errorToast, isApiError } from '@iodine/mfe-kit'
import { Button, Loading, PageHeader, TextField } from '@iodine/ui'
import { KeyIcon } from '@iodine/ui/icons'
import { Link, Navigate } from '@iodine/ui/router'
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  WebAuthnAbortService,
} from '@simplewebauthn/browser'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { useSession, useShell } from '../app/HostProvider'
import { useBusy } from '../app/use-busy'
import { signInWithPasskey } from '../session/passkeys'
import { EntryLayout } from './EntryLayout'
import styles from './Login.module.css'

export function Login() {
  const { config } = useShell()
  const { user, loading } = useSession()
  if (user) return <Navigate to="/dashboard" replace />
  return (
    <EntryLayout>
      {loading ? (
        <Loading delay={0} />
      ) : (
        <>
          <PageHeader
            title={`Welcome to ${config.product_name}`}
            subtitle="Enter your email address and we will send you a link to sign in."
          />
          <LoginForm />
          <PasskeyLogin />
          <p className={styles.legal}>
            By signing in, you agree to our <Link to="/terms-of-service">Terms of Service</Link> and{' '}
            <Link to="/privacy-policy">Privacy Policy</Link>
          </p>
        </>
      )}
    </EntryLayout>
  )
}

function LoginForm() {
  const { api, notify } = useShell()
  const [email, setEmail] = useState('')
  const [betaCode, setBetaCode] = useState('')
  const [needsBetaCode, setNeedsBetaCode] = useState(false)
  const [sentTo, setSentTo] = useState('')

  const { isBusy, run } = useBusy(error => notify(errorToast(error, 'An error occurred')))
  const send = async () => {
    const answer = await api.call('POST /auth/request-magic-link', {
      body: { email, ...(needsBetaCode && { invite_code: betaCode.trim() }), is_extension: false },
    })
    if (answer.requires_beta_code) {
      setNeedsBetaCode(true)
      notify({
        title: 'Beta Code Required',
        description: 'Please enter your beta invitation code',
        status: 'info',
      })
    } else {
      setSentTo(email)
      notify({ title: 'Email Sent', description: 'Check your email to sign in', status: 'success' })
    }
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSentTo('')
    void run(send)
  }

  return (
    <form onSubmit={submit}>
      <TextField
        label="Email"
        id="email"
        type="email"
        size="large"
        // Browsers suggest passkeys in this field.
        autoComplete="email webauthn"
        autoFocus
        required
        value={email}
        onValueChange={setEmail}
      />
      {needsBetaCode && (
        <TextField
          label="Beta code"
          id="beta-code"
          size="large"
          autoComplete="off"
          autoFocus
          required
          value={betaCode}
          onValueChange={setBetaCode}
        />
      )}
      <Button
        type="submit"
        size="large"
        intent="primary"
        fill
        loading={isBusy}
        text={needsBetaCode ? 'Validate' : 'Continue'}
      />
      <p className={styles.sent} aria-live="polite">
        {sentTo && `We sent a link to ${sentTo}. It works once, within 15 minutes.`}
      </p>
    </form>
  )
}

/** Interval of new suggestions, which replace the previous ones before their challenge expires. */
const SUGGEST_INTERVAL_MS = 0.8 * LIMITS.passkeyChallengeMs

/** A button that signs in with a passkey. The browser also suggests passkeys in the email field. */
function PasskeyLogin() {
  const { api, navigate, notify, session } = useShell()
  const signIn = useCallback(
    async (autofill: boolean, signal?: AbortSignal) => {
      try {
        const answer = await signInWithPasskey(api, { autofill, ...(signal && { signal }) })
        if (!answer) return
        await session.login(answer.access_token)
        navigate(answer.has_username ? '/dashboard' : '/setup-username', { replace: true })
      } catch (error) {
        // The user has not requested a suggestion: hide its errors.
        if (!autofill || isApiError(error)) notify(errorToast(error, 'Unable to sign in with a passkey'))
      }
    },
    [api, navigate, notify, session],
  )
  const { isBusy, run } = useBusy(() => {})
  useEffect(() => {
    // The button's dialog cancels the suggestions; they resume if it is closed.
    if (isBusy) return
    const page = new AbortController()
    const suggest = () => void signIn(true, page.signal)
    let timer: ReturnType<typeof setInterval> | undefined
    void browserSupportsWebAuthnAutofill().then(isSupported => {
      if (!isSupported || page.signal.aborted) return
      suggest()
      timer = setInterval(suggest, SUGGEST_INTERVAL_MS)
    })
    return () => {
      page.abort()
      clearInterval(timer)
    }
  }, [signIn, isBusy])
  useEffect(() => () => WebAuthnAbortService.cancelCeremony(), [])

  if (!browserSupportsWebAuthn()) return null
  return (
    <Button
      size="large"
      fill
      icon={<KeyIcon />}
      loading={isBusy}
      text="Sign in with a passkey"
      onClick={() => void run(() => signIn(false))}
    />
  )
}
