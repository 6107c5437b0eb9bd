import type { Source } from '@iodine/contracts'

/** The labels of record sources, as in My Data. */
export const SOURCE_LABELS: Record<Source, string> = {
  tiktok: 'Short videos',
  telegram: 'Messaging channels',
  blog: 'Blogs',
  post: 'Other posts',
}
