export { ApiError, hasStatus, isApiError, isUnauthorized, type Page } from '@iodine/contracts'
export { type Quote, useAddQuote } from './add-quote'
export type { ApiClient } from './api-client'
export { errorDetail, errorHint } from './api-error'
export { defineParcel, useHost } from './define-parcel'
export { errorToast, useErrorToast } from './error-toast'
export {
  HOST_CONTRACT_VERSION,
  type HostProps,
  type HostSession,
  type RemoteParcel,
  type Toast,
} from './host-contract'
export { type QuoteOffer, useIodErrorToast } from './iod-error-toast'
export { createQueryClient } from './query-client'
export type { Input, Output, Route } from './routes'
export { SectionLink, type SectionLinkProps, useSectionPath } from './section-link'
export { type Sections, useSections } from './sections'
