/**
 * Calls `first` before the next call of a method, to simulate another process. That call returns a promise, not a query
 * that can be built further.
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
