import { LIMITS, type AccountLink as Link, paths, type UsedAccountLink } from '@iodine/contracts'
import { errorToast, isApiError } from '@iodine/mfe-kit'
import { Button, ErrorCallout, formatLongDate, Loading } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useEffect, useState } from 'react'
import { useShell } from '../app/HostProvider'
import styles from './EntryAction.module.css'
import { EntryLayout } from './EntryLayout'

/**
 * The target of mailed links that change an account's email address or delete the account. Mail scanners open links, so
 * only a button uses the link.
 */
export function AccountLink() {
  const { api } = useShell()
  const [search] = useSearchParams()
  const [token] = useState(() => search.get('token') ?? '')
  const [link, setLink] = useState<Link>()
  const [failure, setFailure] = useState<'invalid' | 'unavailable'>()
  const [used, setUsed] = useState<UsedAccountLink>()

  const load = useCallback(async () => {
    setFailure(undefined)
    try {
      setLink(await api.call('POST /auth/read-account-link', { body: { token } }))
    } catch (error) {
      setFailure(isInvalidLink(error) ? 'invalid' : 'unavailable')
    }
  }, [api, token])
  useEffect(() => void load(), [load])

  return (
    <EntryLayout>
      {failure === 'invalid' ? (
        <InvalidLink />
      ) : failure ? (
        <ErrorCallout title="Unable to read the link" onRetry={() => void load()} />
      ) : !link ? (
        <Loading delay={0} />
      ) : used ? (
        <Outcome link={link} used={used} />
      ) : (
        <Question link={link} token={token} onUsed={setUsed} onInvalid={() => setFailure('invalid')} />
      )}
    </EntryLayout>
  )
}

/** Returns whether a link is unknown, expired or used. */
const isInvalidLink = (error: unknown): boolean =>
  isApiError(error) && (error.status === 400 || error.status === 422)

/** A heading that receives the focus when it replaces focused content, and sets the document title. */
function Title({ children }: { children: string }) {
  useEffect(() => {
    document.title = children
  }, [children])
  return (
    <h1 className={styles.title} tabIndex={-1} ref={focus}>
      {children}
    </h1>
  )
}
const focus = (heading: HTMLElement | null) => heading?.focus()

function InvalidLink() {
  const { navigate } = useShell()
  return (
    <div className={styles.page}>
      <Title>This link is invalid or has expired</Title>
      <p>It may have been used, or replaced by a newer link. You can request another link on My Profile.</p>
      <Button
        size="large"
        fill
        text="Go to My Profile"
        onClick={() => navigate(paths.profile(), { replace: true })}
      />
    </div>
  )
}

const QUESTIONS = {
  deletion: { title: 'Delete your account?', confirm: 'Delete my account', intent: 'danger' },
  'old-address': { title: 'Change your email address?', confirm: 'Change email address', intent: 'primary' },
  'new-address': { title: 'Use this email address?', confirm: 'Use this address', intent: 'primary' },
} as const

interface QuestionProps {
  link: Link
  token: string
  onUsed: (used: UsedAccountLink) => void
  onInvalid: () => void
}

function Question({ link, token, onUsed, onInvalid }: QuestionProps) {
  const { api, navigate, notify, session } = useShell()
  const [working, setWorking] = useState(false)
  const { title, confirm, intent } = QUESTIONS[link.purpose]

  const use = async () => {
    setWorking(true)
    try {
      const used = await api.call('POST /auth/use-account-link', { body: { token } })
      onUsed(used)
      if (session.getState().user?.email !== link.email) return
      // A scheduled deletion ended the account's sessions; a changed address needs a reload.
      if (used.outcome === 'scheduled') session.logout()
      if (used.outcome === 'changed') await session.reload().catch(() => {})
    } catch (error) {
      if (isInvalidLink(error)) return onInvalid()
      notify(errorToast(error, 'Unable to use the link'))
      setWorking(false)
    }
  }
  return (
    <div className={styles.page}>
      <Title>{title}</Title>
      {link.purpose === 'deletion' ? (
        <>
          <p>
            The account of <strong dir="auto">{link.email}</strong> will be deleted in{' '}
            {LIMITS.deletionDelayMs / 86_400_000} days. You are signed out everywhere at once. Until then, you
            can sign in and keep the account.
          </p>
          <p>
            Then your profile, AI key, collected data and narratives are deleted. Your IODs, votes and
            campaigns stay without your name.
          </p>
        </>
      ) : (
        <p>
          The email address of this account changes from <strong dir="auto">{link.email}</strong> to{' '}
          <strong dir="auto">{link.new_email}</strong>. Both addresses must confirm the change.
        </p>
      )}
      <div className={styles.actions}>
        <Button size="large" fill intent={intent} loading={working} text={confirm} onClick={use} />
        <Button
          size="large"
          fill
          disabled={working}
          text="Cancel"
          onClick={() => navigate('/dashboard', { replace: true })}
        />
      </div>
    </div>
  )
}

function Outcome({ link, used }: { link: Link; used: UsedAccountLink }) {
  const { navigate } = useShell()
  const go = (path: string) => () => navigate(path, { replace: true })
  if (used.outcome === 'scheduled')
    return (
      <div className={styles.page}>
        <Title>{`Your account will be deleted on ${formatLongDate(used.delete_at ?? '')}`}</Title>
        <p>You are signed out everywhere. To keep the account, sign in before that day.</p>
        <Button size="large" fill text="Sign in" onClick={go('/login')} />
      </div>
    )
  const isChanged = used.outcome === 'changed'
  return (
    <div className={styles.page}>
      <Title>{isChanged ? 'Your email address has changed' : 'Confirmed'}</Title>
      {isChanged ? (
        <p>
          We now send sign-in links to <strong dir="auto">{used.email}</strong>. Your sessions stay signed in.
        </p>
      ) : (
        <p>
          The other address,{' '}
          <strong dir="auto">{link.purpose === 'old-address' ? link.new_email : link.email}</strong>, must
          confirm, too. We sent a link there.
        </p>
      )}
      <Button size="large" fill text="Continue" onClick={go('/dashboard')} />
    </div>
  )
}
