import type { BrowserConfig, Profile } from '@iodine/contracts'
import type { RemoteParcel, Toast } from '../src/index'
import { type Routes } from './api-server'
export declare const user: Profile
export declare const config: BrowserConfig
/** Moves the test's page to an address. */
export declare const setAddress: (url: string) => void
/**
 * Mounts the section's parcel as the shell does, at `path`, against a server that answers as `routes` say.
 * `change` are fields of the signed-in user that differ; unless it gives an id, the user and its query cache are new.
 */
export declare function openSection(
  parcel: RemoteParcel,
  basePath: string,
  path: string,
  routes: Routes,
  change?: Partial<Profile>,
): Promise<{
  calls: import('./api-server').Call[]
  toasts: Toast[]
  search: () => string
  path: () => string
  navigate: (
    to: import('react-router-dom').To | number,
    options?: import('react-router-dom').NavigateOptions,
  ) => void
  close: () => Promise<void>
}>
