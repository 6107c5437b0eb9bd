/**
 * Calls `first` before the next call of a method, for what another process does in between. The call's result is a promise:
 * no query that is built further.
 */
export const beforeNext = (object: object, method: string, first: () => unknown): void => {
  const target = object as Record<string, (...args: unknown[]) => unknown>
  const call = target[method]
  if (!call) throw new Error(`no method ${method}`)
  target[method] = async (...args) => {
    target[method] = call
    await first()
    return call.apply(object, args)
  }
}
