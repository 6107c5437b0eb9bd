import type { Iod, NewIod } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'

/** Returns a function that creates an IOD. */
export function useCreateIod(): (iod: NewIod) => Promise<Iod> {
  const { api } = useHost()
  return useCallback(iod => api.call('POST /iods', { body: iod }), [api])
}
