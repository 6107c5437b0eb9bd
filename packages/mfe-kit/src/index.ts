export {
  ApiError,
  type AppPath,
  hasStatus,
  isApiError,
  isUnauthorized,
  type Page,
  paths,
} from '@iodine/contracts'
export { errorDetail, errorHint } from '@iodine/ui'
export { type Action, useAction } from './action'
export type { Quote } from './add-quote'
export type { ApiClient } from './api-client'
export { CampaignFields, type CampaignFieldsProps } from './campaign-fields'
export { defineParcel, type SectionPages } from './define-parcel'
export { errorToast, useErrorToast } from './error-toast'
export { cameFromList, FROM_LIST } from './from-list'
export {
  HOST_CONTRACT_VERSION,
  type HostProps,
  type HostSession,
  type RemoteParcel,
  type Toast,
} from './host-contract'
export { FORM_CATEGORIES, IodForm } from './iod-form'
export type { Input, Output, Route } from './routes'
export { isSelecting, SectionLink, type SectionLinkProps } from './section-link'
export { type Sections, useSections } from './sections'
export { SideDrawer, type SideDrawerProps, useKeptFocus } from './side-drawer'
export { SOURCE_LABELS } from './source-labels'
export { startWorker } from './start-worker'
export { exactTime, formatSpan, fromUtcInput, toUtcInput } from './time'
export { useHost } from './use-host'
export { withData } from './with-data'
