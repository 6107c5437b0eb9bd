import type { CampaignImport } from '@iodine/contracts'
import { Callout, formatAmount, formatCount, HTMLTable, ProgressText, Switch } from '@iodine/ui'
import { storesObjects } from '../model/imports'
import styles from './ImportPlan.module.css'
import { TlpTag } from './TlpTag'

const NOUNS = { stix: 'indicator', misp: 'attribute', json: 'entry', csv: 'entry' } as const
const TOOLS = { stix: 'STIX', misp: 'MISP', json: '', csv: '' } as const

export interface ImportPlanProps {
  plan: CampaignImport
  makesIods: boolean
  onMakesIods: (makesIods: boolean) => void
}

/** A preview of an import, and its progress once it is applied. */
export function ImportPlan({ plan, makesIods, onMakesIods }: ImportPlanProps) {
  const {
    format,
    state,
    objects,
    iods,
    known_iods,
    member_iods,
    refused,
    skipped = 0,
    tlp,
    done,
    problem,
  } = plan
  const keeps = storesObjects(plan)
  const noun = NOUNS[format]
  const isWorking = state === 'applying'
  const made = makesIods ? iods : 0
  return (
    <div className={styles.plan}>
      <p className={styles.counts} role="status">
        {keeps
          ? `${formatAmount(made, 'IOD')}, ${formatAmount(objects - made, 'other object')}`
          : `${formatAmount(iods, 'IOD')}, ${formatCount(refused)} rejected`}
        {tlp && (
          <>
            , <TlpTag tlp={tlp} />
          </>
        )}
      </p>
      <ul className={styles.notes}>
        {keeps && (
          <li>
            All objects are stored. A {TOOLS[format]} export of this campaign contains each of them unchanged.
          </li>
        )}
        {made > 0 && (
          <li>
            {formatCount(iods - known_iods)} new, {formatCount(known_iods)} existing (
            {formatCount(member_iods)} already in this campaign). Existing IODs keep their votes.
          </li>
        )}
        {refused > 0 && (
          <li>
            {keeps
              ? `No IOD will be created from ${formatAmount(refused, `invalid ${noun}`)}.`
              : `${formatAmount(refused, 'invalid entry', 'invalid entries')} will be left out.`}
          </li>
        )}
        {skipped > 0 && (
          <li>{formatAmount(skipped, 'part')} of the file cannot be read and will be left out.</li>
        )}
        {makesIods && <RelatedData plan={plan} />}
        {tlp && <li>Exports of this campaign will have at least this sharing level.</li>}
      </ul>
      <RejectedEntries plan={plan} />
      {keeps && iods > 0 && (
        <Switch
          label={`Create IODs from ${noun}s with a single value`}
          checked={makesIods}
          disabled={isWorking || state === 'failed'}
          onChange={event => onMakesIods(event.currentTarget.checked)}
        />
      )}
      {problem && (
        <Callout role="alert" intent="warning" compact>
          {problem}. {formatCount(done)} of {formatCount(objects)} objects are imported. Press Continue to
          import the others.
        </Callout>
      )}
      {isWorking && (
        <div role="status">
          <ProgressText value={objects > 0 ? done / objects : 1} label="Objects imported">
            {formatCount(done)} of {formatCount(objects)} imported
          </ProgressText>
        </div>
      )}
    </div>
  )
}

/** The techniques, evidence and comments of an import. */
function RelatedData({
  plan: { techniques, unknown_techniques: unknown = [], quotes, refused_quotes, comments, refused_comments },
}: Pick<ImportPlanProps, 'plan'>) {
  return (
    <>
      {techniques > 0 && <li>{formatAmount(techniques, 'DISARM technique')} will be added.</li>}
      {unknown.length > 0 && (
        <li>
          {formatAmount(unknown.length, 'technique')} not in the DISARM list will be left out:{' '}
          {unknown.join(', ')}
        </li>
      )}
      {quotes + refused_quotes > 0 && (
        <li>
          {formatAmount(quotes, 'quote')} of evidence will be added as not verified, because the seals belong
          to another system.
          {refused_quotes > 0 && ` ${formatAmount(refused_quotes, 'quote')} cannot be read.`}
        </li>
      )}
      {comments + refused_comments > 0 && (
        <li>
          {formatAmount(comments, 'comment')} will be added with the names in the file.
          {refused_comments > 0 && ` ${formatAmount(refused_comments, 'comment')} cannot be read.`}
        </li>
      )}
    </>
  )
}

/** The first entries that can't be read or can't be IODs, with the reasons; renders nothing if there are none. */
function RejectedEntries({ plan: { invalid, refused, skipped = 0 } }: Pick<ImportPlanProps, 'plan'>) {
  const more = refused + skipped - invalid.length
  if (invalid.length === 0) return null
  return (
    <div>
      <div className={styles.frame}>
        <HTMLTable compact className={styles.table} aria-label="Rejected">
          <thead>
            <tr>
              <th scope="col">Position</th>
              <th scope="col">Value</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {invalid.map(({ place, value, reason }) => (
              <tr key={`${place} ${value} ${reason}`}>
                <td>{place}</td>
                <td>
                  <span className={styles.value} dir="auto">
                    {value}
                  </span>
                </td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </HTMLTable>
      </div>
      {more > 0 && <p className={styles.progress}>and {formatCount(more)} more</p>}
    </div>
  )
}
