/** A promise that the test settles itself. */
export interface Deferred<T> {
  promise: Promise<T>
  /** Later calls of either have no effect. */
  resolve(value: T | PromiseLike<T>): void
  reject(reason?: unknown): void
}

/**
 * A promise with its own `resolve` and `reject`, callable from the start: holds an answer until the test goes on, or
 * tells that a step was reached.
 */
export const deferred = <T = void>(): Deferred<T> => {
  let resolve!: Deferred<T>['resolve']
  let reject!: Deferred<T>['reject']
  const promise = new Promise<T>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}
