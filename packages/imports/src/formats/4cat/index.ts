import type { Cells, Header } from '../../tables/cells.js'
import type { RowContext, RowResult, TableFormat } from '../../tables/table.js'
import { postSourceOf, readPost } from './posts.js'
import { readTelegram } from './telegram.js'
import { readTiktok, readTiktokComment } from './tiktok.js'
import { readX } from './x.js'

type Read = (cells: Cells, context: RowContext) => RowResult

/** Data sources with a reader of their own, by columns that only they have. */
const READERS: readonly (readonly [columns: readonly string[], read: Read])[] = [
  [['tiktok_url', 'music_id', 'plays'], readTiktok],
  [['comment_url', 'post_url', 'is_comment_on_comment'], readTiktokComment],
  [['chat', 'author_forwarded_from_name', 'attachment_type'], readTelegram],
  [['link', 'is_quote_tweet', 'retweet_count'], readX],
  [['is_quote_tweet', 'is_retweet', 'replied_user'], readX],
]

const readerOf = (header: Header): Read | undefined => {
  const [, read] = READERS.find(([columns]) => columns.every(column => header.has(column))) ?? []
  if (read) return read
  const source = postSourceOf(header)
  return source && ((cells, context) => readPost(source, cells, context))
}

const readers = new WeakMap<Header, Read>()
const read: Read = (cells, context) => {
  const known = readers.get(cells.header) ?? readerOf(cells.header)
  if (!known) return { skipped: 'unknown-platform' }
  readers.set(cells.header, known)
  return known(cells, context)
}

/** CSV of 4CAT. Its last column names columns that contain a default instead of a value. */
export const fourCat: TableFormat = {
  by: '4cat',
  hasHeader: header => readerOf(header) !== undefined,
  defaultsIn: 'missing_fields',
  read,
}

/** CSV of Zeeschuimer: 4CAT's columns, but rows keep the order of their own shape. */
export const zeeschuimerCsv: TableFormat = {
  by: 'zeeschuimer',
  hasHeader: fourCat.hasHeader,
  isStrict: true,
  read(cells, context) {
    const address = cells.get('tiktok_url', 'url', 'link', 'post_url', 'comment_url')
    if (address !== undefined && !/^https?:\/\//.test(address)) return { skipped: 'wrong-columns' }
    return read(cells, context)
  },
}
