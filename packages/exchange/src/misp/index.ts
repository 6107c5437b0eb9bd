// Imported MISP events as files: a separate entry point, for the service.
export {
  type Additions,
  additionsOf,
  type EventPiece,
  type ImportedEvent,
  overlayEvent,
  timestampOf,
  writeEvent,
} from './overlay.js'
export type { EventPlace } from './slices.js'
