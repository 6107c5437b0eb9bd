import { isApiError } from '@iodine/contracts'

/** Returns the server's detail as one line (a list joined by ', '), or `fallback`. */
export function errorDetail(error: unknown, fallback: string): string {
  const detail = isApiError(error) ? error.detail : null
  return (Array.isArray(detail) ? detail.join(', ') : detail) || fallback
}

/** Returns the server's detail, or advice for the user on a failed load. */
export const errorHint = (error: unknown): string =>
  errorDetail(
    error,
    navigator.onLine
      ? 'Check your connection, then try again.'
      : 'You are offline. Check your connection, then try again.',
  )
