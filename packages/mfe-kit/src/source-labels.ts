import type { Source } from '@iodine/contracts'

/** The names of the sources of records, as My Data has them. */
export const SOURCE_LABELS: Record<Source, string> = {
  tiktok: 'Short videos',
  telegram: 'Messaging channels',
  blog: 'Blogs',
}
