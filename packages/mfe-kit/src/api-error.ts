import type { ApiError } from '@iodine/contracts'

/** True for an `ApiError` of any bundle: host and remotes have separate classes, so `instanceof` fails. */
export const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && error.name === 'ApiError'

/** Whether `error` is an API response with this status. */
export const hasStatus = (error: unknown, status: number): boolean =>
  isApiError(error) && error.status === status

/** The server's detail as one line (a list joined by ', '), or `fallback`. */
export function errorDetail(error: unknown, fallback: string): string {
  const detail = isApiError(error) ? error.detail : null
  return (Array.isArray(detail) ? detail.join(', ') : detail) || fallback
}

/** Whether the session has ended. The host handles this. */
export const isUnauthorized = (error: unknown): boolean => hasStatus(error, 401)

/** The server's detail, or advice for the user on a failed load. */
export const errorHint = (error: unknown): string =>
  errorDetail(error, 'Check your connection, then try again.')
