import type { CampaignTechnique } from '@iodine/contracts'
import { Button, Classes, LoadingPanel, Tag, useDialog } from '@iodine/ui'
import { EditIcon, LightbulbIcon, SmallCrossIcon } from '@iodine/ui/icons'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { type CampaignTechniques, type ListedTechnique, useTechniqueList } from '../queries/techniques'
import { ObsoleteTag } from './ObsoleteTag'
import { SummaryBlock } from './SummaryBlock'
import styles from './Techniques.module.css'
import { TechniquesDialog } from './TechniquesDialog'

const ProposalsDialog = lazy(() =>
  import('./ProposalsDialog').then(module => ({ default: module.ProposalsDialog })),
)

/** The DISARM techniques of a campaign, as tags. */
export function Techniques({ campaignId, ...techniquesOf }: CampaignTechniques & { campaignId: string }) {
  const { query, add, remove, removeUndoably, replace } = techniquesOf
  const proposing = useDialog()
  const { data: techniques } = query
  const [isChoosing, setChoosing] = useState(false)
  const list = useTechniqueList(isChoosing || (techniques !== undefined && techniques.length > 0))
  const byId = useMemo(() => new Map(list.data?.map(each => [each.id, each])), [list.data])
  const block = useRef<HTMLDivElement>(null)
  const removeFocused = (tid: string, name: string) => {
    // The focused button is removed with its tag. Without a focus inside, the dialog would not receive Escape.
    block.current?.focus()
    removeUndoably(tid, name)
  }

  return (
    <SummaryBlock
      title="Techniques"
      ref={block}
      action={
        techniques && (
          <div className={styles.actions}>
            <Button
              size="small"
              variant="minimal"
              icon={<LightbulbIcon />}
              text="Propose"
              aria-label="Propose techniques"
              aria-haspopup="dialog"
              onClick={proposing.open}
            />
            <Button
              size="small"
              variant="minimal"
              icon={<EditIcon />}
              text="Choose"
              aria-label="Choose techniques"
              aria-haspopup="dialog"
              onClick={() => setChoosing(true)}
            />
          </div>
        )
      }
    >
      <LoadingPanel
        query={query}
        errorTitle="Failed to load techniques"
        empty={<p className={styles.none}>No techniques yet</p>}
      >
        {used =>
          // If the list is missing, only ids are shown. While it loads, nothing is shown, to avoid a layout shift.
          !list.isPending && (
            <ul className={styles.tags}>
              {used.map(technique => (
                <li key={technique.id}>
                  {byId.get(technique.id)?.until ? (
                    <ObsoleteTag
                      listed={byId.get(technique.id) as ListedTechnique}
                      nameOf={id => byId.get(id)?.name ?? ''}
                      onReplace={replace}
                      onRemove={remove}
                    />
                  ) : (
                    <TechniqueTag
                      technique={technique}
                      name={byId.get(technique.id)?.name}
                      onRemove={removeFocused}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </LoadingPanel>
      <TechniquesDialog
        list={list}
        used={techniques ?? []}
        isOpen={isChoosing}
        onClose={() => setChoosing(false)}
        onAdd={add}
        onRemove={remove}
      />
      {proposing.key > 0 && (
        <Suspense>
          <ProposalsDialog campaignId={campaignId} isOpen={proposing.isOpen} onClose={proposing.close} />
        </Suspense>
      )}
    </SummaryBlock>
  )
}

interface TechniqueTagProps {
  technique: CampaignTechnique
  /** Undefined if the list does not contain the technique. */
  name: string | undefined
  onRemove: (tid: string, name: string) => void
}

function TechniqueTag({ technique, name, onRemove }: TechniqueTagProps) {
  const { id, by_username } = technique
  const label = name === undefined ? id : `${id} ${name}`
  return (
    <Tag
      minimal
      multiline
      className={styles.tag}
      htmlTitle={by_username === null ? label : `${label}, added by ${by_username}`}
      endIcon={
        <button
          type="button"
          className={Classes.TAG_REMOVE}
          aria-label={`Remove ${label}`}
          title="Remove"
          onClick={() => onRemove(id, label)}
        >
          <SmallCrossIcon />
        </button>
      }
    >
      <span className={styles.id}>{id}</span> {name}
    </Tag>
  )
}
