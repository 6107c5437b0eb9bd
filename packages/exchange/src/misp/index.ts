// Kept events of MISP as files: an entry of its own, for the service.
export {
  type Additions,
  additionsOf,
  type EventPiece,
  type KeptEvent,
  overlayEvent,
  timestampOf,
  writeEvent,
} from './overlay.js'
export type { EventPlace } from './slices.js'
