import type { Tlp } from '@iodine/contracts'
import type { FileComments } from '../comments.js'
import type { Quotes } from '../evidence.js'
import type { Skipped, Span } from '../json/scanner.js'
import type { EventPlace } from '../misp/slices.js'
import type { ForeignObject } from '../stix/read.js'

/** A file divided into pieces. Each is stored unchanged, or parsed as an entry, independently of the others. */
export interface OpenedFile {
  /** Bytes that contain the pieces: the file followed by embedded content, or the parsed entries in JSON. */
  bytes: Uint8Array
  spans: Span[]
  /** Unreadable pieces, which are left out. */
  skipped: Skipped[]
  /** Place of each piece; set for MISP files and for STIX files with embedded events. */
  places?: (PiecePosition | undefined)[]
  /** TLP levels of the markings that the file defines, by id. */
  markings: ReadonlyMap<string, Tlp | null>
  /** TLP level of the whole file. */
  tlp: Tlp | null
  /**
   * Whether it is a STIX bundle that contains only objects of Iodine, so that its IODs, evidence, comments and
   * techniques suffice.
   */
  isOwn?: boolean
  /** DISARM technique ids of the whole file. */
  techniques: string[]
}

/** Position of a piece, if its bytes do not contain it. */
export type PiecePosition =
  | { format: 'stix'; isPacked?: boolean }
  | ({
      format: 'misp'
      /** Its embedded content has separate pieces: it is not stored. */
      isPacked?: boolean
    } & EventPlace)

/** Parsed properties of a piece. */
export interface ParsedPiece extends ForeignObject {
  /** DISARM technique ids that it contains. */
  techniques: string[]
  evidence?: Quotes
  comments?: FileComments
  /** For an entry: the name of its position in the file, and its value if it is no IOD. */
  place?: string
  value?: string
}
