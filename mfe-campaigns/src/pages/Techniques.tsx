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

  const actions = [
    { icon: <LightbulbIcon />, text: 'Propose', onClick: proposing.open },
    { icon: <EditIcon />, text: 'Choose', onClick: () => setChoosing(true) },
  ]
  return (
    <SummaryBlock
      title="Techniques"
      ref={block}
      action={
        techniques && (
          <div className={styles.actions}>
            {actions.map(action => (
              <Button
                key={action.text}
                size="small"
                variant="minimal"
                aria-label={`${action.text} techniques`}
                aria-haspopup="dialog"
                {...action}
              />
            ))}
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
                  <TechniqueTag
                    technique={technique}
                    listed={byId}
                    onReplace={replace}
                    onRemoveObsolete={remove}
                    onRemove={removeFocused}
                  />
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
  listed: ReadonlyMap<string, ListedTechnique>
  onReplace: CampaignTechniques['replace']
  onRemoveObsolete: CampaignTechniques['remove']
  onRemove: (tid: string, name: string) => void
}

function TechniqueTag(props: TechniqueTagProps) {
  const { technique, listed, onReplace, onRemoveObsolete, onRemove } = props
  const { id, by_username } = technique
  const found = listed.get(id)
  if (found?.until)
    return (
      <ObsoleteTag
        listed={found}
        nameOf={id => listed.get(id)?.name ?? ''}
        onReplace={onReplace}
        onRemove={onRemoveObsolete}
      />
    )
  // Undefined if the list does not contain the technique.
  const name = found?.name
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
