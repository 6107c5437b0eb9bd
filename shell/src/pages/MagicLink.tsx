import { Button, Loading } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useEffect, useState } from 'react'
import { useSession, useShell } from '../app/HostProvider'
import { useBusy } from '../app/use-busy'
import { EntryAction } from './EntryAction'
import { EntryLayout } from './EntryLayout'

/**
 * The target of mailed links. Exchanges the link's token for a session once the page is visible. If another account is
 * signed in, it requires a confirmation: a link from another person would otherwise switch the account unnoticed.
 */
export function MagicLink() {
  const { user, loading } = useSession()
  const [search] = useSearchParams()
  const [token] = useState(() => search.get('token') ?? '')
  // The address signed in when the page was opened. A sign-in changes the session's address.
  const [opener, setOpener] = useState<string | null>()
  /** The link's address, once a confirmation is required. */
  const [linkEmail, setLinkEmail] = useState<string>()
  if (!loading && opener === undefined) setOpener(user?.email ?? null)

  useEffect(() => {
    document.title = 'Connexion'
  }, [])

  return (
    <EntryLayout>
      {opener && linkEmail !== undefined ? (
        <SwitchAccounts token={token} from={opener} to={linkEmail} />
      ) : (
        <div lang="fr">
          <h1 className="visually-hidden">Connexion</h1>
          <Loading label="Connexion en cours..." delay={0} />
          {opener !== undefined && <SignIn token={token} opener={opener} onAsk={setLinkEmail} />}
        </div>
      )}
    </EntryLayout>
  )
}

interface SignInProps {
  token: string
  /** The signed-in address; null if there is no session. */
  opener: string | null
  /** Called with the link's address if it differs from the opener's. */
  onAsk: (email: string) => void
}

/** Signs in without a confirmation, unless another address is signed in. */
function SignIn({ token, opener, onAsk }: SignInProps) {
  const { api, navigate } = useShell()
  const { exchange, refuse } = useExchange(token)

  useEffect(() => {
    const page = new AbortController()
    const { signal } = page
    const start = async () => {
      if (!token) return navigate('/login', { replace: true })
      try {
        // Mail scanners open links in hidden pages: they must not consume the token.
        await untilVisible(signal)
        if (opener !== null) {
          const { email } = await api.call('POST /auth/read-magic-link', { body: { token }, signal })
          if (email !== opener) return onAsk(email)
        }
        await exchange()
      } catch (error) {
        if (!signal.aborted) refuse(error)
      }
    }
    void start()
    return () => page.abort()
  }, [api, navigate, token, opener, onAsk, exchange, refuse])

  return null
}

/** Asks whether to switch from the signed-in account to the link's. */
function SwitchAccounts({ token, from, to }: { token: string; from: string; to: string }) {
  const { api, navigate } = useShell()
  const { exchange, refuse } = useExchange(token)
  const { isBusy, run } = useBusy(refuse)
  // Ends the old session with its token, before the new token replaces it. If this request fails, the switch
  // continues: the old session's owner can end it in the list of sessions.
  const swap = () => exchange(() => api.call('POST /auth/logout').catch(() => {}))
  return (
    <EntryAction
      title="Switch accounts?"
      actions={
        <>
          <Button
            size="large"
            intent="primary"
            fill
            loading={isBusy}
            text={`Continue as ${to}`}
            onClick={() => void run(swap)}
          />
          <Button
            size="large"
            fill
            autoFocus
            disabled={isBusy}
            text="Stay"
            onClick={() => navigate('/dashboard', { replace: true })}
          />
        </>
      }
    >
      <p>
        You are signed in as <strong dir="auto">{from}</strong>. This link signs in{' '}
        <strong dir="auto">{to}</strong> instead.
      </p>
    </EntryAction>
  )
}

/** Exchanges the link's token for a session and opens the first page. */
function useExchange(token: string) {
  const { api, session, navigate } = useShell()
  const exchange = useCallback(
    /** @param before runs between the exchange and the use of the new session */
    async (before?: () => Promise<unknown>) => {
      const answer = await api.call('POST /auth/verify-magic-link', { body: { token } })
      await before?.()
      await session.login(answer.access_token)
      navigate(answer.has_username ? '/dashboard' : '/setup-username', { replace: true })
    },
    [api, session, navigate, token],
  )
  const refuse = useCallback(
    (error: unknown) => {
      // biome-ignore lint/suspicious/noConsole: this failure is logged and not shown
      console.warn('Sign-in link not accepted', error)
      navigate('/login', { replace: true })
    },
    [navigate],
  )
  return { exchange, refuse }
}

/** Resolves once the page is visible; rejects if `signal` aborts first. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => document.visibilityState === 'visible' && resolve()
    document.addEventListener('visibilitychange', check, { signal })
    signal.addEventListener('abort', () => reject(signal.reason))
    check()
  })
}
