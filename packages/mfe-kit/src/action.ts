import { isUnauthorized } from '@iodine/contracts'
import { type QueryKey, type UseMutationOptions, useMutation, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { errorToast } from './error-toast'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

type ToastFields = string | Partial<Toast>

export interface ActionOptions<D, V, C> extends Omit<UseMutationOptions<D, Error, V, C>, 'meta'> {
  /** The toast of a success: its title or its fields, or a function that returns the fields, or null for no toast. */
  done?: ToastFields | ((result: D, input: V) => ToastFields | null)
  /**
   * The toast of a failure: a description, used if the server returns no detail, or its fields. A function returns the
   * whole toast, or null for none. A 401 shows none: the host signs the user out.
   */
  failed: ToastFields | ((error: Error, input: V) => Toast | null | Promise<Toast>)
  /** Queries to refetch after a success or a failure. The action is pending until they are refetched. */
  invalidates?: readonly QueryKey[]
}

export interface Action<V> {
  /** Resolves to whether the action succeeded. Its identity is stable; it works after the component is unmounted. */
  run: (input: V) => Promise<boolean>
  /** State of the latest run. */
  isPending: boolean
  isSuccess: boolean
}

/** Runs a user's action: a mutation with its toasts and invalidations. */
export function useAction<D, V = void, C = unknown>(options: ActionOptions<D, V, C>): Action<V> {
  const { done, failed, invalidates = [], ...mutation } = options
  const { notify } = useHost()
  const client = useQueryClient()
  const { mutateAsync, isPending, isSuccess } = useMutation({
    ...mutation,
    onSuccess: (result, input, ...rest) => {
      const toast = typeof done === 'function' ? done(result, input) : done
      if (toast) notify({ title: '', status: 'success', ...fieldsOf(toast, 'title') })
      return mutation.onSuccess?.(result, input, ...rest)
    },
    onError: async (error, input, ...rest) => {
      if (!isUnauthorized(error)) {
        const toast = typeof failed === 'function' ? await failed(error, input) : failureToast(error, failed)
        if (toast) notify(toast)
      }
      await mutation.onError?.(error, input, ...rest)
    },
    onSettled: async (...settled) => {
      await Promise.all(invalidates.map(queryKey => client.invalidateQueries({ queryKey })))
      await mutation.onSettled?.(...settled)
    },
  })
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

const fieldsOf = (fields: ToastFields, textIs: 'title' | 'description'): Partial<Toast> =>
  typeof fields === 'string' ? { [textIs]: fields } : fields

const failureToast = (error: Error, failed: ToastFields): Toast => {
  const { description = '', ...change } = fieldsOf(failed, 'description')
  return errorToast(error, description, change)
}
