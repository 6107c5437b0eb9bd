/** A promise that the test settles itself. */
export interface Deferred<T> {
  promise: Promise<T>
  /** Later calls of either have no effect. */
  resolve(value: T | PromiseLike<T>): void
  reject(reason?: unknown): void
}

/** Creates a promise with `resolve` and `reject`: to hold an answer until the test resumes, or to signal a step. */
export const deferred = <T = void>(): Deferred<T> => {
  let resolve!: Deferred<T>['resolve']
  let reject!: Deferred<T>['reject']
  const promise = new Promise<T>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}
