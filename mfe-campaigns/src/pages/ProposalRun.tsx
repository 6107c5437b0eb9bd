import { LIMITS, type TechniqueProposals } from '@iodine/contracts'
import { findTechnique } from '@iodine/exchange/disarm'
import { Button, Callout, Card, Loading, Tag } from '@iodine/ui'
import { TEXTS } from '../model/proposal-texts'
import { errorText, type ProposalDraft } from '../model/proposals'
import { useDecision } from '../queries/proposals'
import { useGloss } from '../queries/quotes'
import styles from './ProposalsDialog.module.css'

export interface ProposalRunProps {
  campaignId: string
  proposals: TechniqueProposals
  kind: ProposalDraft['kind']
}

/** The state of a run: waiting, failed, or its proposals. */
export function ProposalRun({ campaignId, proposals, kind }: ProposalRunProps) {
  const { id, state, mode, model, list, failure, items, dropped, sentences, omitted } = proposals
  const decision = useDecision(campaignId, id, error => errorText(error))
  if (state === 'waiting') return <Loading label={TEXTS.waiting[mode]} />
  if (state === 'failed')
    return (
      <Callout intent="danger" title={TEXTS.failed}>
        {failure ? TEXTS.failures[failure] : TEXTS.errors.other}
      </Callout>
    )
  return (
    <div className={styles.form}>
      <p className={styles.note} role="status">
        {[
          TEXTS.found(items.length),
          mode === 'ai' ? TEXTS.by.ai(model ?? '?') : TEXTS.by.offline,
          TEXTS.list(list),
          TEXTS.read(sentences),
        ].join(' · ')}
        {omitted > 0 && <> · {TEXTS.omitted(omitted, LIMITS.proposalSentences)}</>}
        {dropped > 0 && <> · {TEXTS.dropped(dropped)}</>}
      </p>
      {items.length === 0 ? (
        <p>{TEXTS.none}</p>
      ) : (
        <Callout intent={kind === 'narrative' ? 'warning' : 'none'} compact>
          {TEXTS.visible[kind]}
        </Callout>
      )}
      <ul className={styles.items}>
        {items.map(item => (
          <li key={item.tid}>
            <Item
              item={item}
              isBusy={decision.isPending}
              onDecide={isAccepted => void decision.run({ tid: item.tid, isAccepted })}
            />
          </li>
        ))}
      </ul>
    </div>
  )
}

interface ItemProps {
  item: TechniqueProposals['items'][number]
  isBusy: boolean
  onDecide: (isAccepted: boolean) => void
}

function Item({ item: { tid, exact, decision }, isBusy, onDecide }: ItemProps) {
  const gloss = useGloss(tid)
  const name = `${tid} ${findTechnique(tid)?.name ?? ''}`
  return (
    <Card className={styles.item} role="article" aria-label={name}>
      <h3 className={styles.name}>{name}</h3>
      {gloss.data && <p className={styles.note}>{gloss.data}</p>}
      <blockquote className={styles.quote} dir="auto">
        {exact}
      </blockquote>
      <div className={styles.decision}>
        {decision && (
          <Tag minimal intent={decision === 'accepted' ? 'success' : 'none'}>
            {TEXTS[decision]}
          </Tag>
        )}
        {decision !== 'accepted' && (
          <Button
            size="small"
            intent="primary"
            text={TEXTS.accept}
            disabled={isBusy}
            onClick={() => onDecide(true)}
          />
        )}
        {decision === null && (
          <Button size="small" text={TEXTS.reject} disabled={isBusy} onClick={() => onDecide(false)} />
        )}
      </div>
    </Card>
  )
}
