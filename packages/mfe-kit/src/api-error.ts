import type { ApiError } from '@iodine/contracts'

/** True for an `ApiError` of any bundle: the host's class is not the remote's own. */
export const isApiError = (error: unknown): error is ApiError =>
  error instanceof Error && error.name === 'ApiError'

/** Whether `error` is an answer of the API with this status. */
export const hasStatus = (error: unknown, status: number): boolean =>
  isApiError(error) && error.status === status

/** The server's detail as one line (a list joined by ', '), or `fallback`. */
export function errorDetail(error: unknown, fallback: string): string {
  const detail = isApiError(error) ? error.detail : null
  return (Array.isArray(detail) ? detail.join(', ') : detail) || fallback
}
