import type { Tlp } from '@iodine/contracts'
import type { Quotes } from '../evidence.js'
import type { Skipped, Span } from '../json/scanner.js'
import type { EventPlace } from '../misp/slices.js'
import type { ForeignObject } from '../stix/read.js'

/** A file that is taken in as pieces: each is kept byte for byte, or read as an entry, by itself. */
export interface OpenedFile {
  /** What the pieces stand in: the file, and what it holds packed. */
  bytes: Uint8Array
  spans: Span[]
  /** What can't be read, and is left out. */
  skipped: Skipped[]
  /** Of each piece, in files of MISP. */
  places?: (Place | undefined)[]
  /** Levels of the markings that the file defines, by their ids. */
  markings: ReadonlyMap<string, Tlp | null>
  /** Level of all that the file says. */
  tlp: Tlp | null
  /** Whether it is a STIX bundle that says nothing but Iodine's own, which IODs, evidence and techniques say whole. */
  isOwn?: boolean
  /** Ids of techniques of DISARM that the file as a whole names. */
  techniques: string[]
}

/** Position of a piece, if its bytes do not contain it. */
export type Place =
  | { format: 'stix'; isPacked?: boolean }
  | ({
      format: 'misp'
      /** What it holds packed are pieces of their own: it is not kept. */
      isPacked?: boolean
    } & EventPlace)

/** What is known of a piece, beside its bytes. */
export interface KnownPiece extends ForeignObject {
  /** Ids of techniques of DISARM that it names. */
  techniques: string[]
  evidence?: Quotes
  /** Of an entry: where it stands in its file, and its value if it is no IOD. */
  place?: string
  value?: string
}
