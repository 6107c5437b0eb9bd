import { type FeedTlp, PRODUCT_NAME, rankOfTlp } from '@iodine/contracts'
import { Feed } from 'feed'
import type { NotificationDoc } from '../../notifications/models/notification.js'
import { pageOf, sentenceOf } from '../policies/summary.js'

/** Returns a text as HTML: the library declares titles as such. */
const asHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/**
 * Returns the Atom feed of notifications, latest first (RFC 4287). Titles above the level are omitted. A counted
 * notification is the same entry, with a later time.
 * @param origin of the web app, such as `https://iodine.example.org`
 */
export const presentFeed = (docs: readonly NotificationDoc[], origin: string, tlp: FeedTlp): string => {
  const feed = new Feed({
    id: `${origin}/atom/notifications`,
    title: `${PRODUCT_NAME}: notifications`,
    link: `${origin}/`,
    feedLinks: { atom: `${origin}/atom/notifications` },
    updated: docs[0]?.created_at ?? new Date(0),
    copyright: '',
  })
  for (const doc of docs) {
    const title = doc.tlp <= rankOfTlp(tlp) ? doc.title : ''
    feed.addItem({
      id: `urn:iodine:notification:${doc._id.toHexString()}`,
      title: asHtml(title ? `${sentenceOf(doc)}: ${title}` : sentenceOf(doc)),
      link: origin + pageOf(doc),
      date: doc.created_at,
      published: doc.first_at,
    })
  }
  return feed.atom1()
}
