import { LIMITS, type TechniqueProposals } from '@iodine/contracts'
import { findTechnique } from '@iodine/exchange/disarm'
import { Button, Callout, Card, Loading, Tag } from '@iodine/ui'
import type { ProposalTexts } from '../model/proposal-texts'
import { errorText, type ProposalDraft } from '../model/proposals'
import { useDecision } from '../queries/proposals'
import { useGloss } from '../queries/quotes'
import styles from './ProposalsDialog.module.css'

export interface ProposalRunProps {
  campaignId: string
  texts: ProposalTexts
  proposals: TechniqueProposals
  kind: ProposalDraft['kind']
}

/** The state of a run: waiting, failed, or its proposals. */
export function ProposalRun({ campaignId, texts, proposals, kind }: ProposalRunProps) {
  const { id, state, mode, model, list, failure, items, dropped, sentences, omitted } = proposals
  const decision = useDecision(campaignId, id, error => errorText(texts, error))
  if (state === 'waiting') return <Loading label={texts.waiting[mode]} />
  if (state === 'failed')
    return (
      <Callout intent="danger" title={texts.failed}>
        {failure ? texts.failures[failure] : texts.errors.other}
      </Callout>
    )
  return (
    <div className={styles.form}>
      <p className={styles.note} role="status">
        {[
          texts.found(items.length),
          mode === 'ai' ? texts.by.ai(model ?? '?') : texts.by.offline,
          texts.list(list),
          texts.read(sentences),
        ].join(' · ')}
        {omitted > 0 && <> · {texts.omitted(omitted, LIMITS.proposalSentences)}</>}
        {dropped > 0 && <> · {texts.dropped(dropped)}</>}
      </p>
      {items.length === 0 ? (
        <p>{texts.none}</p>
      ) : (
        <Callout intent={kind === 'narrative' ? 'warning' : 'none'} compact>
          {texts.visible[kind]}
        </Callout>
      )}
      <ul className={styles.items}>
        {items.map(item => (
          <li key={item.tid}>
            <Item
              item={item}
              texts={texts}
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
  texts: ProposalTexts
  isBusy: boolean
  onDecide: (isAccepted: boolean) => void
}

function Item({ item: { tid, exact, decision }, texts, isBusy, onDecide }: ItemProps) {
  const gloss = useGloss(tid)
  const name = `${tid} ${findTechnique(tid)?.name ?? ''}`
  return (
    <Card className={styles.item} role="article" aria-label={name}>
      <h3 className={styles.name} lang="en">
        {name}
      </h3>
      {gloss.data && (
        <p className={styles.note} lang="en">
          {gloss.data}
        </p>
      )}
      <blockquote className={styles.quote} dir="auto">
        {exact}
      </blockquote>
      <div className={styles.decision}>
        {decision && (
          <Tag minimal intent={decision === 'accepted' ? 'success' : 'none'}>
            {texts[decision]}
          </Tag>
        )}
        {decision !== 'accepted' && (
          <Button
            size="small"
            intent="primary"
            text={texts.accept}
            disabled={isBusy}
            onClick={() => onDecide(true)}
          />
        )}
        {decision === null && (
          <Button size="small" text={texts.reject} disabled={isBusy} onClick={() => onDecide(false)} />
        )}
      </div>
    </Card>
  )
}
