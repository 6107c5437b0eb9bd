import { type ActionMeta, type UseMutationOptions, useMutation } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { useHost } from './use-host'

export type ActionOptions<D, V, C> = Omit<UseMutationOptions<D, Error, V, C>, 'meta'> & ActionMeta<D, V>

export interface Action<V> {
  /** Resolves to whether the action succeeded. Keeps its identity, and works after the component has gone. */
  run: (input: V) => Promise<boolean>
  /** State of the latest run. */
  isPending: boolean
  isSuccess: boolean
}

/** An action of the user: a mutation with its toasts and invalidations. */
export function useAction<D, V = void, C = unknown>(options: ActionOptions<D, V, C>): Action<V> {
  const { done, failed, invalidates, ...mutation } = options
  const { notify } = useHost()
  const meta = { notify, done, failed, invalidates } as ActionMeta<never, never> & { notify: typeof notify }
  const { mutateAsync, isPending, isSuccess } = useMutation({ ...mutation, meta })
  const run = useCallback(
    (input: V) =>
      mutateAsync(input).then(
        () => true,
        () => false,
      ),
    [mutateAsync],
  )
  return { run, isPending, isSuccess }
}
