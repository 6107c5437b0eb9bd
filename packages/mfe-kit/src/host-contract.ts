import type { BrowserConfig, Profile } from '@iodine/contracts'
import type { ToastMessage as Toast } from '@iodine/ui/overlays'
import type { Location, NavigateOptions, NavigationType, To } from '@iodine/ui/router'
import type { LifeCycles } from 'single-spa'
import type { ApiClient } from './api-client'

/**
 * Version of the interface between host and remotes. It is raised when a remote built against the older version would
 * break. Adding an optional prop doesn't raise it.
 */
export const HOST_CONTRACT_VERSION = 1

export type { Toast }

/** The signed-in user; a parcel is only ever mounted with one. */
export interface HostSession {
  user: Profile
  /** Reads the profile again, without a loading state. */
  refresh: () => Promise<void>
}

/** The props that a remote gets from the shell. Objects keep their identity until their content changes. */
export interface HostProps {
  /** The section's path, without a trailing slash: '/dashboard/iods'. */
  basePath: string
  /** The browser's location with its full path; `defineParcel` passes it to the section's router. */
  location: Location
  navigationType: NavigationType
  /** Goes to a full path of the app, or a number of steps through history. */
  navigate: (to: To | number, options?: NavigateOptions) => void
  session: HostSession
  api: ApiClient
  notify: (toast: Toast) => void
  config: BrowserConfig
  /** Called by `defineParcel` when the section throws while rendering; the host then shows its error card. */
  onCrash: (error: Error) => void
}

/** What a remote's `./parcel` module exports as `parcel`. */
export type RemoteParcel = LifeCycles<HostProps & { domElement: HTMLElement }> & { hostContract: number }
