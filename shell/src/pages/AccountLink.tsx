import { LIMITS, type AccountLink as Link, paths, type UsedAccountLink } from '@iodine/contracts'
import { errorToast, isApiError } from '@iodine/mfe-kit'
import { Button, formatLongDate, LoadingPanel } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { useState } from 'react'
import { useShell } from '../app/HostProvider'
import { useBusy } from '../app/use-busy'
import { useLoaded } from '../app/use-loaded'
import { EntryAction } from './EntryAction'
import { EntryLayout } from './EntryLayout'

/**
 * The target of mailed links that change an account's email address or delete the account. Mail scanners open links, so
 * only a button uses the link.
 */
export function AccountLink() {
  const { api } = useShell()
  const [search] = useSearchParams()
  const [token] = useState(() => search.get('token') ?? '')
  const query = useLoaded(signal => api.call('POST /auth/read-account-link', { body: { token }, signal }))
  const [isInvalid, setInvalid] = useState(false)
  const [used, setUsed] = useState<UsedAccountLink>()
  return (
    <EntryLayout>
      {isInvalid || isInvalidLink(query.error) ? (
        <InvalidLink />
      ) : (
        <LoadingPanel query={query} errorTitle="Unable to read the link">
          {link =>
            used ? (
              <Outcome link={link} used={used} />
            ) : (
              <Question link={link} token={token} onUsed={setUsed} onInvalid={() => setInvalid(true)} />
            )
          }
        </LoadingPanel>
      )}
    </EntryLayout>
  )
}

/** Returns whether a link is unknown, expired or used. */
const isInvalidLink = (error: unknown): boolean =>
  isApiError(error) && (error.status === 400 || error.status === 422)

function InvalidLink() {
  const { navigate } = useShell()
  return (
    <EntryAction
      title="This link is invalid or has expired"
      actions={
        <Button
          size="large"
          fill
          text="Go to My Profile"
          onClick={() => navigate(paths.profile(), { replace: true })}
        />
      }
    >
      <p>It may have been used, or replaced by a newer link. You can request another link on My Profile.</p>
    </EntryAction>
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
  const { title, confirm, intent } = QUESTIONS[link.purpose]
  const { isBusy, run } = useBusy(error =>
    isInvalidLink(error) ? onInvalid() : notify(errorToast(error, 'Unable to use the link')),
  )
  const use = async () => {
    const used = await api.call('POST /auth/use-account-link', { body: { token } })
    onUsed(used)
    if (session.getState().user?.email !== link.email) return
    // A scheduled deletion ended the account's sessions; a changed address needs a reload.
    if (used.outcome === 'scheduled') session.logout()
    if (used.outcome === 'changed') await session.reload().catch(() => {})
  }
  return (
    <EntryAction
      title={title}
      actions={
        <>
          <Button
            size="large"
            fill
            intent={intent}
            loading={isBusy}
            text={confirm}
            onClick={() => void run(use)}
          />
          <Button
            size="large"
            fill
            disabled={isBusy}
            text="Cancel"
            onClick={() => navigate('/dashboard', { replace: true })}
          />
        </>
      }
    >
      {link.purpose === 'deletion' ? (
        <>
          <p>
            The account of <strong dir="auto">{link.email}</strong> will be deleted in{' '}
            {LIMITS.deletionDelayMs / 86_400_000} days. You are signed out everywhere at once. Until then, you
            can sign in and keep the account.
          </p>
          <p>
            Then your profile, AI key, collected data and narratives are deleted. Your IODs, votes and
            campaigns stay without your name, and your comments unless you chose to delete them.
          </p>
        </>
      ) : (
        <p>
          The email address of this account changes from <strong dir="auto">{link.email}</strong> to{' '}
          <strong dir="auto">{link.new_email}</strong>. Both addresses must confirm the change.
        </p>
      )}
    </EntryAction>
  )
}

function Outcome({ link, used }: { link: Link; used: UsedAccountLink }) {
  const { navigate } = useShell()
  const button = (text: string, path: string) => (
    <Button size="large" fill text={text} onClick={() => navigate(path, { replace: true })} />
  )
  if (used.outcome === 'scheduled')
    return (
      <EntryAction
        title={`Your account will be deleted on ${formatLongDate(used.delete_at ?? '')}`}
        actions={button('Sign in', '/login')}
      >
        <p>You are signed out everywhere. To keep the account, sign in before that day.</p>
      </EntryAction>
    )
  const isChanged = used.outcome === 'changed'
  return (
    <EntryAction
      title={isChanged ? 'Your email address has changed' : 'Confirmed'}
      actions={button('Continue', '/dashboard')}
    >
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
    </EntryAction>
  )
}
