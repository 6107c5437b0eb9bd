/** A call that failed: `status` 0 means that no answer came; `detail` is the server's, null when it gave none. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly detail: string | string[] | null

  constructor(status: number, detail: string | string[] | null) {
    super(`API call failed with status ${status}`)
    this.status = status
    this.detail = detail
  }
}

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
