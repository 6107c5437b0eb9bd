export { type ApiClientOptions, createApiClient } from '../api-client'
export { type MountedParcel, mountParcel } from './mount-parcel'
export { createRemotes, type Remotes } from './remotes'
