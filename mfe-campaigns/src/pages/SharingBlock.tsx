import { type CampaignDetail, rankOfTlp, TLP_LEVELS, type Tlp } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Button, formatCount, HTMLSelect, LoadingPanel } from '@iodine/ui'
import { useState } from 'react'
import { useKept, useSharing } from '../queries/import'
import { FeedBlock } from './FeedBlock'
import { KeptObjectsDialog } from './KeptObjectsDialog'
import styles from './SharingBlock.module.css'
import { TlpTag, tlpName } from './TlpTag'

/** How far the campaign may be passed on, which its creator sets, and what it keeps of other tools' files. */
export function SharingBlock({ campaign: { id, created_by_id } }: { campaign: CampaignDetail }) {
  const { session } = useHost()
  const { query, share } = useSharing(id)
  const keeping = useKept(id)
  const { data: sharing } = query
  const { data: kept } = keeping
  const [isOpen, setOpen] = useState(false)
  const failures = (
    <>
      {query.error && <LoadingPanel query={query} errorTitle="Failed to load the sharing level" />}
      {keeping.error && <LoadingPanel query={keeping} errorTitle="Failed to load the imports" />}
    </>
  )
  if (!sharing) return failures
  const mine = created_by_id === session.user.id
  const levels = TLP_LEVELS.slice(rankOfTlp(sharing.least))
  return (
    <>
      {failures}
      <div className={styles.level}>
        <TlpTag tlp={sharing.tlp} />
        {mine && (
          <HTMLSelect
            aria-label="Sharing level"
            value={sharing.tlp}
            onChange={event => void share({ tlp: event.currentTarget.value as Tlp })}
            options={levels.map(value => ({ value, label: tlpName(value) }))}
          />
        )}
      </div>
      <p className={styles.note}>
        How far files of this campaign may be passed on. STIX, MISP and CSV state it; JSON does unless it is
        green.
      </p>
      <FeedBlock sharing={sharing} mine={mine} onPublish={published => share({ published })} />
      {kept && kept.imports.length > 0 && (
        <>
          <Button
            className={styles.kept}
            text={kept.objects > 0 ? `Kept objects (${formatCount(kept.objects)})` : 'Imports'}
            onClick={() => setOpen(true)}
          />
          <KeptObjectsDialog campaignId={id} kept={kept} isOpen={isOpen} onClose={() => setOpen(false)} />
        </>
      )}
    </>
  )
}
