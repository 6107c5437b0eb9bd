export { type ApiClientOptions, createApiClient } from '../api-client'
export { HostContext } from '../use-host'
export { type MountedParcel, mountParcel } from './mount-parcel'
export { createRemotes, type Remotes } from './remotes'
