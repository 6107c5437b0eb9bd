import { foldValue, hasStatus, type Iod, matchKey } from '@iodine/contracts'
import { useCallback } from 'react'
import { useHost } from './define-parcel'
import { errorToast } from './error-toast'
import type { Toast } from './host-contract'
import { useSectionPath } from './section-link'

const CONFLICT = 409

/**
 * Returns a function that makes the toast of an IOD that could not be created, as `errorToast` does. If the IOD
 * exists already, the toast offers to open it.
 * @param open opens an IOD by its id; by default its side panel in the section of IODs
 */
export function useIodErrorToast(open?: (id: string) => void) {
  const { api, navigate, notify } = useHost()
  const pathOf = useSectionPath()
  return useCallback(
    (
      error: unknown,
      iod: Pick<Iod, 'value' | 'category'>,
      fallback: string,
      change?: Partial<Toast>,
    ): Toast => {
      const toast = errorToast(error, fallback, change)
      if (!hasStatus(error, CONFLICT)) return toast
      const openIt = async () => {
        const found = await api.call('POST /iods/lookup', { body: { values: [foldValue(iod.value)] } })
        const existing = found.find(each => matchKey(each) === matchKey(iod))
        if (!existing) throw new Error('The look-up does not find the IOD')
        if (open) open(existing.id)
        else navigate(pathOf(`iods/${existing.id}`))
      }
      const onClick = () => {
        openIt().catch(cause => notify(errorToast(cause, 'The IOD could not be opened')))
      }
      return { ...toast, action: { text: 'Open it', onClick } }
    },
    [api, navigate, notify, pathOf, open],
  )
}
