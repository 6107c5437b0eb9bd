import { createQueryClient, QueryClientProvider } from '@iodine/mfe-kit/query'
import { useDialog } from '@iodine/ui'
import { lazy, Suspense, useState } from 'react'
import { BellButton } from './BellButton'
import { useUnread } from './queries'
import { unreadText } from './texts'

const NotificationsDrawer = lazy(() =>
  import('./NotificationsDrawer').then(module => ({ default: module.NotificationsDrawer })),
)

/** The bell with its drawer, whose code is loaded on first use. */
export function Bell() {
  const [client] = useState(createQueryClient)
  return (
    <QueryClientProvider client={client}>
      <Notifications />
    </QueryClientProvider>
  )
}

function Notifications() {
  const { data } = useUnread()
  const drawer = useDialog()
  return (
    <>
      <BellButton unread={data?.unread ?? 0} onOpen={drawer.open} />
      <span className="visually-hidden" role="status">
        {useNews(data?.unread)}
      </span>
      {drawer.key > 0 && (
        <Suspense fallback={null}>
          {/* The key changes with each opening, so that the drawer is in front of the panel of an IOD. */}
          <NotificationsDrawer key={drawer.key} isOpen={drawer.isOpen} onClose={drawer.close} />
        </Suspense>
      )}
    </>
  )
}

/** Returns the text that screen readers announce once the number of unread notifications has grown. */
function useNews(unread: number | undefined): string {
  const [known, setKnown] = useState({ unread, news: '' })
  if (unread === known.unread) return known.news
  const isMore = known.unread !== undefined && unread !== undefined && unread > known.unread
  const next = { unread, news: isMore ? `${unreadText(unread)} unread notifications` : '' }
  setKnown(next)
  return next.news
}
