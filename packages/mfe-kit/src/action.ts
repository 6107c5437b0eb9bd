import { isUnauthorized } from '@iodine/contracts'
import { MutationCache, type QueryKey, type UseMutationOptions, useMutation } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { errorToast } from './error-toast'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

type Told = string | Partial<Toast>

type Meta<D, V> = {
  /** The toast of a success: its title, or its fields; or a function that returns them, or null for no toast. */
  done?: Told | ((result: D, input: V) => Told | null)
  /**
   * The toast of a failure: the description where the server gives no detail, or its fields; or a function that returns
   * the whole toast, or null for none. A 401 shows none: the host signs the user out.
   */
  failed: Told | ((error: Error, input: V) => Toast | null | Promise<Toast>)
  /** Queries that are read again after a success and after a failure. The action is pending until they are. */
  invalidates?: readonly QueryKey[]
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: Meta<never, never> & { notify: (toast: Toast) => void }
  }
}

export type ActionOptions<D, V, C> = Omit<UseMutationOptions<D, Error, V, C>, 'meta'> & Meta<D, V>

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
  const meta = { notify, done, failed, invalidates } as Meta<never, never> & { notify: typeof notify }
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

const fieldsOf = (told: Told, textIs: 'title' | 'description'): Partial<Toast> =>
  typeof told === 'string' ? { [textIs]: told } : told

/** Shows the toasts of mutations and invalidates queries, by their `meta`. */
export const createMutationCache = (): MutationCache =>
  new MutationCache({
    onSuccess: (result, input, _context, { meta }) => {
      const done = typeof meta?.done === 'function' ? meta.done(result as never, input as never) : meta?.done
      if (done) meta?.notify({ title: '', status: 'success', ...fieldsOf(done, 'title') })
    },
    onError: async (error, input, _context, { meta }) => {
      if (!meta || isUnauthorized(error)) return
      const { failed, notify } = meta
      if (typeof failed === 'function') {
        const toast = await failed(error as never, input as never)
        if (toast) notify(toast)
      } else {
        const { description = '', ...change } = fieldsOf(failed, 'description')
        notify(errorToast(error, description, change))
      }
    },
    onSettled: (_result, _error, _input, _context, { meta }, { client }) =>
      Promise.all((meta?.invalidates ?? []).map(queryKey => client.invalidateQueries({ queryKey }))),
  })
