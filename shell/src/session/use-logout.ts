import { forgetDrafts } from '@iodine/ui'
import { useCallback } from 'react'
import { useShell } from '../app/HostProvider'

/** Returns a function that ends the session here and on the server, and opens the login page. */
export function useLogout(): () => void {
  const { api, navigate, session } = useShell()
  return useCallback(() => {
    // Sent before the token is removed, and not awaited.
    api.call('POST /auth/logout').catch(() => {})
    forgetDrafts()
    session.logout()
    navigate('/login')
  }, [api, navigate, session])
}
