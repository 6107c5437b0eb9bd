import { isUnauthorized } from '@iodine/contracts'
import { errorDetail } from '@iodine/ui'
import { useEffect } from 'react'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

/**
 * Returns the toast of a failed call: the server's English detail, or `fallback`. If the browser is offline, the title
 * states that.
 */
export const errorToast = (error: unknown, fallback: string, change: Partial<Toast> = {}): Toast => ({
  title: navigator.onLine ? 'Error' : 'You are offline',
  description: errorDetail(error, fallback),
  status: 'error',
  ...change,
  ...(change.lang && errorDetail(error, '') && { descriptionLang: 'en' }),
})

/**
 * Shows `description` as a toast on each new failure of a query. A 401 shows none: the host signs the user
 * out. `duration` is in milliseconds.
 */
export function useErrorToast(error: unknown, description: string, duration?: number): void {
  const { notify } = useHost()
  useEffect(() => {
    if (!error || isUnauthorized(error)) return
    notify({ title: 'Error', description, status: 'error', ...(duration !== undefined && { duration }) })
  }, [error, description, duration, notify])
}
