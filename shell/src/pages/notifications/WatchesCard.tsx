import { LIMITS, WATCH_CHANNELS, type Watch, type WatchKind } from '@iodine/contracts'
import { SectionLink, useAction, useHost } from '@iodine/mfe-kit'
import { useWatchActions, useWatches, WATCHES_KEY } from '@iodine/mfe-kit/watches'
import { Button, DateTime, formatAmount, LoadingPanel, Tag } from '@iodine/ui'
import { CitationIcon, FlagIcon, FontIcon, LinkIcon, SearchIcon, TagIcon, UserIcon } from '@iodine/ui/icons'
import { DialogButton } from '@iodine/ui/overlays'
import { type ReactElement, useState } from 'react'
import { watchPath } from '../../notifications/texts'
import { ItemRow, ItemRows } from '../ItemRow'
import styles from '../Profile.module.css'
import { ProfileCard } from '../ProfileCard'
import { WatchForm } from './WatchForm'

const SHOWN = 20

const KINDS: Record<WatchKind, { icon: ReactElement; label: string }> = {
  iod: { icon: <TagIcon />, label: 'IOD' },
  campaign: { icon: <FlagIcon />, label: 'Campaign' },
  person: { icon: <UserIcon />, label: 'Member' },
  search: { icon: <SearchIcon />, label: 'Search of IODs' },
  term: { icon: <FontIcon />, label: 'Term in records' },
  url: { icon: <LinkIcon />, label: 'URL in records' },
  text: { icon: <CitationIcon />, label: 'Text in records, also in other words' },
}

/** The user's watches: opens, changes and deletes them. */
export function WatchesCard() {
  const query = useWatches()
  const { remove } = useWatchActions()
  const [isWhole, setWhole] = useState(false)
  const count = query.data?.length ?? 0
  return (
    <ProfileCard
      title="Watches"
      tag={count > 0 && <Tag minimal>{`${count} of ${LIMITS.watchesMax}`}</Tag>}
      about="The bell shows what is new. Press “Watch” at an IOD, a campaign, a member, a search of IODs or a search in Origins."
    >
      <LoadingPanel query={query} errorTitle="Unable to load watches" compact>
        {watches => (
          <>
            <ItemRows>
              {(isWhole ? watches : watches.slice(0, SHOWN)).map(watch => (
                <Row key={watch.id} watch={watch} onDelete={() => void remove.run(watch)} />
              ))}
            </ItemRows>
            {count > SHOWN && !isWhole && (
              <div className={styles.row}>
                <Button
                  text={`Show all ${formatAmount(count, 'watch', 'watches')}`}
                  onClick={() => setWhole(true)}
                />
              </div>
            )}
          </>
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}

function Row({ watch, onDelete }: { watch: Watch; onDelete: () => void }) {
  const { api } = useHost()
  const { kind, name, channels, paused, created_at } = watch
  const save = useAction({
    mutationFn: (body: Pick<Watch, 'name' | 'channels' | 'paused'>) =>
      api.call('PATCH /watches/:id', { params: { id: watch.id }, body }),
    failed: 'Unable to change the watch',
    invalidates: [WATCHES_KEY],
  })
  const omitted = WATCH_CHANNELS.filter(channel => !channels.includes(channel))
  return (
    <ItemRow
      icon={KINDS[kind].icon}
      name={<SectionLink to={watchPath(watch)}>{name}</SectionLink>}
      tag={paused && <Tag minimal>Paused</Tag>}
      about={
        <>
          {KINDS[kind].label} · since <DateTime value={created_at} />
          {omitted.length > 0 && ` · not by ${omitted.join(', ')}`}
        </>
      }
      actions={
        <>
          <DialogButton
            button={{ variant: 'minimal', text: 'Edit', 'aria-label': `Edit watch: ${name}` }}
            title="Edit the watch"
          >
            {close => <WatchForm watch={watch} onSave={save.run} onClose={close} />}
          </DialogButton>
          <Button
            variant="outlined"
            intent="danger"
            text="Delete"
            aria-label={`Delete watch: ${name}`}
            onClick={onDelete}
          />
        </>
      }
    />
  )
}
