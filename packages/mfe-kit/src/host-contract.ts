import type { BrowserConfig, Profile } from '@iodine/contracts'
import type { ToastMessage as Toast } from '@iodine/ui/overlays'
import type { Location, NavigateOptions, NavigationType, To } from '@iodine/ui/router'
import type { LifeCycles } from 'single-spa'
import type { ApiClient } from './api-client'

/**
 * Version 'major.minor' of the interface between host and remotes. A change that breaks remotes raises the major
 * version, a new prop the minor one.
 */
export const HOST_CONTRACT_VERSION = '1.0'

export type { Toast }

/** The signed-in user. A parcel is mounted only for a signed-in user. */
export interface HostSession {
  user: Profile
  /** Refetches the profile, without a loading state. */
  refresh: () => Promise<void>
}

/** The props that the shell passes to a remote. Objects keep their identity until their content changes. */
export interface HostProps {
  /** The section's path, without a trailing slash: '/dashboard/iods'. */
  basePath: string
  /** The browser's location with its full path; `defineParcel` passes it to the section's router. */
  location: Location
  navigationType: NavigationType
  /** Navigates to a full path of the app, or by a number of history entries. */
  navigate: (to: To | number, options?: NavigateOptions) => void
  session: HostSession
  api: ApiClient
  notify: (toast: Toast) => void
  config: BrowserConfig
  /** Called by `defineParcel` when rendering the section throws. The host then shows its error card. */
  onCrash: (error: Error) => void
}

/** The export `parcel` of a remote's `./parcel` module. */
export type RemoteParcel = LifeCycles<HostProps & { domElement: HTMLElement }> & { hostContract: string }
