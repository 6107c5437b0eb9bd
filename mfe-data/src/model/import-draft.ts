import type { Batch } from '@iodine/imports'
import type { Plan } from './import-plan'

/** A batch of a draft. */
export interface StoredBatch extends Batch {
  /** Id of the draft. */
  draft: string
}

/** A file that was read in the browser, with its records in batches. Nothing is sent until `import_id` is set. */
export interface Draft {
  id: string
  /** Id of the user. */
  owner: string
  file_name: string
  /** Bytes of the file. */
  size: number
  format: string
  file_sha256: string
  /** Time of the file, ISO 8601 in UTC. */
  file_time: string
  /** When the file was read, in milliseconds. */
  created_at: number
  plan: Plan
  total: number
  /** Records that the user has already; absent until the server was asked. */
  known?: number
  /** The server's import, once it began. */
  import_id?: string
  /** Records that the server has received. */
  sent: number
}
