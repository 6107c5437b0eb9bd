import { Loading } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { useEffect, useState } from 'react'
import { useHost } from '../app/HostProvider'
import { EntryLayout } from './EntryLayout'

/** The target of mailed links. Exchanges the link's token for a session once the page is visible. */
export function MagicLink() {
  const { api, session, navigate } = useHost()
  const [search] = useSearchParams()
  const [token] = useState(() => search.get('token'))

  useEffect(() => {
    const page = new AbortController()
    const verify = async () => {
      if (!token) return navigate('/login', { replace: true })
      try {
        // Mail scanners open links in hidden pages: they must not consume the token.
        await untilVisible(page.signal)
        const answer = await api.call('POST /auth/verify-magic-link', { body: { token } })
        await session.login(answer.access_token)
        navigate(answer.has_username ? '/dashboard' : '/setup-username', { replace: true })
      } catch (error) {
        if (page.signal.aborted) return
        // biome-ignore lint/suspicious/noConsole: this failure is logged and not shown
        console.warn('Sign-in link not accepted', error)
        navigate('/login', { replace: true })
      }
    }
    document.title = 'Connexion'
    void verify()
    return () => page.abort()
  }, [api, session, navigate, token])

  return (
    <EntryLayout>
      <div lang="fr">
        <h1 className="visually-hidden">Connexion</h1>
        <Loading label="Connexion en cours..." delay={0} />
      </div>
    </EntryLayout>
  )
}

/** Resolves once the page is visible; rejects when `signal` aborts first. */
function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const check = () => document.visibilityState === 'visible' && resolve()
    document.addEventListener('visibilitychange', check, { signal })
    signal.addEventListener('abort', () => reject(signal.reason))
    check()
  })
}
