import type { Session } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { usePagedQuery } from '@iodine/mfe-kit/query'
import { Button, DateTime, formatRelative, LoadingPanel, LoadMore, Tag } from '@iodine/ui'
import { DesktopIcon, IntersectionIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { ItemRow, ItemRows } from './ItemRow'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

const QUERY_KEY = ['sessions']
const PAGE_SIZE = '20'
const ENDING = { failed: 'Unable to end the session', invalidates: [QUERY_KEY] }

/** The user's sessions: ends one, or all but this one. */
export function SessionsCard() {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: QUERY_KEY,
    readPage: (page, signal) =>
      api.page('GET /profile/sessions', { query: { limit: PAGE_SIZE, ...page }, signal }),
  })
  return (
    <ProfileCard
      title="Sessions"
      about={
        <>
          Browsers and extensions that are signed in to your account. A browser is signed out after 14 days
          without use, an extension after 30 days.
        </>
      }
    >
      <LoadingPanel query={query} errorTitle="Unable to load sessions" compact>
        {sessions => (
          <>
            <ItemRows>
              {sessions.map(session => (
                <Row key={session.id} session={session} />
              ))}
            </ItemRows>
            <div className={styles.row}>
              <LoadMore query={query.more} inline text="Show more" />
              {sessions.some(({ current }) => !current) && <EndOthers />}
            </div>
          </>
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}

/** Returns the displayed name of a session: 'Firefox on Linux'. */
const nameOf = ({ browser, system, kind }: Session): string => {
  const device = [browser, system].filter(Boolean).join(' on ') || 'Unknown browser'
  return kind === 'extension' ? `Extension in ${device}` : device
}

function Row({ session }: { session: Session }) {
  const name = nameOf(session)
  const { api } = useHost()
  const end = useAction({
    mutationFn: () => api.call('DELETE /profile/sessions/:id', { params: { id: session.id } }),
    done: { title: 'Session ended', duration: 3000 },
    ...ENDING,
  })
  return (
    <ItemRow
      icon={session.kind === 'extension' ? <IntersectionIcon /> : <DesktopIcon />}
      name={name}
      tag={
        session.current && (
          <Tag minimal intent="success">
            This session
          </Tag>
        )
      }
      about={
        <>
          Signed in <DateTime value={session.created_at} /> · last seen{' '}
          {session.current ? 'now' : <DateTime value={session.last_seen_at} format={formatRelative} />}
        </>
      }
      actions={
        !session.current && (
          <Button
            variant="outlined"
            text="End"
            aria-label={`End session: ${name}`}
            loading={end.isPending}
            onClick={() => void end.run()}
          />
        )
      }
    />
  )
}

function EndOthers() {
  const { api } = useHost()
  const end = useAction({
    mutationFn: () => api.call('POST /profile/sessions/end-others'),
    done: { title: 'All other sessions ended', duration: 3000 },
    ...ENDING,
  })
  return (
    <ConfirmButton
      button={{ intent: 'danger', variant: 'outlined', text: 'End all other sessions' }}
      title="End all other sessions"
      confirmLabel="End sessions"
      onConfirm={end.run}
    >
      Every other browser and extension is signed out of your account at once. Are you sure?
    </ConfirmButton>
  )
}
