/** Setup file: `vi.waitFor` and `vi.waitUntil` wait as long as `expect.poll`: a busy machine exceeds their default, a second. */
import { vi } from 'vitest'

const TIMEOUT_MS = 30_000

for (const name of ['waitFor', 'waitUntil']) {
  const wait = vi[name]
  // Files of a worker share this module's `vi`.
  if (wait.isLimited) continue
  const withLimit = options => (typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options })
  vi[name] = Object.assign((check, options) => wait(check, withLimit(options)), { isLimited: true })
}
