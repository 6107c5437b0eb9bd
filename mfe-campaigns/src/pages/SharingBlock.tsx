import { type CampaignDetail, rankOfTlp, TLP_LEVELS, TLP_MEANINGS, type Tlp } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Button, formatCount, HTMLSelect, LoadingPanel } from '@iodine/ui'
import { useState } from 'react'
import { useImportedObjects, useSharing } from '../queries/import'
import { FeedBlock } from './FeedBlock'
import { ImportedObjectsDialog } from './ImportedObjectsDialog'
import styles from './SharingBlock.module.css'
import { TlpTag, tlpName } from './TlpTag'

/** The campaign's sharing level, its publication in feeds, and its imports. */
export function SharingBlock({ campaign: { id, created_by_id } }: { campaign: CampaignDetail }) {
  const { session } = useHost()
  const { query, share } = useSharing(id)
  const imported = useImportedObjects(id)
  const { data: sharing } = query
  const { data: kept } = imported
  const [isOpen, setOpen] = useState(false)
  const failures = (
    <>
      {query.error && <LoadingPanel query={query} errorTitle="Failed to load the sharing level" />}
      {imported.error && <LoadingPanel query={imported} errorTitle="Failed to load the imports" />}
    </>
  )
  if (!sharing) return failures
  const isOwner = created_by_id === session.user.id
  const levels = TLP_LEVELS.slice(rankOfTlp(sharing.least))
  return (
    <>
      {failures}
      <div className={styles.level}>
        <TlpTag tlp={sharing.tlp} />
        {isOwner && (
          <HTMLSelect
            aria-label="Sharing level"
            value={sharing.tlp}
            onChange={event => void share({ tlp: event.currentTarget.value as Tlp })}
            options={levels.map(value => ({ value, label: tlpName(value) }))}
          />
        )}
      </div>
      <p className={styles.note}>
        {TLP_MEANINGS[sharing.tlp]} Exports state the level; JSON omits TLP:GREEN.
      </p>
      <FeedBlock sharing={sharing} isOwner={isOwner} onPublish={published => share({ published })} />
      {kept && kept.imports.length > 0 && (
        <>
          <Button
            className={styles.kept}
            text={kept.objects > 0 ? `Imported objects (${formatCount(kept.objects)})` : 'Imports'}
            onClick={() => setOpen(true)}
          />
          <ImportedObjectsDialog campaignId={id} kept={kept} isOpen={isOpen} onClose={() => setOpen(false)} />
        </>
      )}
    </>
  )
}
