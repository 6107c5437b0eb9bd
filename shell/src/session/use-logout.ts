import { forgetDrafts } from '@iodine/ui'
import { useCallback } from 'react'
import { useShell } from '../app/HostProvider'

/** Signs the user out here and on the server, and opens the login page. */
export function useLogout(): () => void {
  const { api, navigate, session } = useShell()
  return useCallback(() => {
    // Sent before the token is removed. The response is not awaited.
    api.call('POST /auth/logout').catch(() => {})
    forgetDrafts()
    session.logout()
    navigate('/login')
  }, [api, navigate, session])
}
