import { createContext, use } from 'react'
import type { HostProps } from './host-contract'

export const HostContext = createContext<HostProps | null>(null)

/** Returns the host's props, for components of a section. */
export function useHost(): HostProps {
  const host = use(HostContext)
  if (!host) throw new Error('useHost() works only below defineParcel()')
  return host
}
