import type { CampaignImport } from '@iodine/contracts'
import { Callout, formatCount, HTMLTable, ProgressBar, Switch } from '@iodine/ui'
import { isKept } from '../model/imports'
import styles from './ImportPlan.module.css'
import { TlpTag } from './TlpTag'

const NOUNS = { stix: 'indicator', misp: 'attribute', json: 'entry', csv: 'entry' } as const
const TOOLS = { stix: 'STIX', misp: 'MISP', json: '', csv: '' } as const

export interface ImportPlanProps {
  plan: CampaignImport
  makesIods: boolean
  onMakesIods: (makesIods: boolean) => void
}

/** What an import does, before it does it; then how far it is. */
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
  const keeps = isKept(plan)
  const noun = NOUNS[format]
  const isWorking = state === 'applying'
  const made = makesIods ? iods : 0
  return (
    <div className={styles.plan}>
      <p className={styles.counts} role="status">
        {keeps
          ? `${formatCount(made)} IOD(s), ${formatCount(objects - made)} object(s) kept as they are`
          : `${formatCount(iods)} IOD(s), ${formatCount(refused)} refused`}
        {tlp && (
          <>
            , <TlpTag tlp={tlp} />
          </>
        )}
      </p>
      <ul className={styles.notes}>
        {keeps && (
          <li>
            Every object goes out again byte for byte when this campaign is exported as {TOOLS[format]}.
          </li>
        )}
        {made > 0 && (
          <li>
            {formatCount(iods - known_iods)} new, {formatCount(known_iods)} known ({formatCount(member_iods)}{' '}
            already in this campaign). Those known keep their votes.
          </li>
        )}
        {refused > 0 && (
          <li>
            {keeps
              ? `${formatCount(refused)} ${noun}(s) whose value can’t be an IOD are kept as they are.`
              : `${formatCount(refused)} of the entries can’t be IODs and are left out.`}
          </li>
        )}
        {skipped > 0 && <li>{formatCount(skipped)} part(s) of the file can’t be read and are left out.</li>}
        {makesIods && <Brought plan={plan} />}
        {tlp && <li>From now on this campaign’s files are marked at least as strictly.</li>}
      </ul>
      <Invalid plan={plan} />
      {keeps && iods > 0 && (
        <Switch
          label={`Create IODs of ${noun}s with a single value`}
          checked={makesIods}
          disabled={isWorking || state === 'failed'}
          onChange={event => onMakesIods(event.currentTarget.checked)}
        />
      )}
      {problem && (
        <div role="alert">
          <Callout intent="warning" compact>
            {problem}. {formatCount(done)} of {formatCount(objects)} objects are imported; nothing is lost.
          </Callout>
        </div>
      )}
      {isWorking && (
        <div role="status">
          <ProgressBar
            value={objects > 0 ? done / objects : 1}
            intent="primary"
            stripes={false}
            aria-label="Objects imported"
          />
          <p className={styles.progress}>
            {formatCount(done)} of {formatCount(objects)} imported
          </p>
        </div>
      )}
    </div>
  )
}

/** What comes along with the IODs: techniques and evidence. */
function Brought({
  plan: { techniques, unknown_techniques: unknown = [], quotes, refused_quotes },
}: Pick<ImportPlanProps, 'plan'>) {
  return (
    <>
      {techniques > 0 && <li>{formatCount(techniques)} technique(s) of DISARM are named.</li>}
      {unknown.length > 0 && (
        <li>
          {formatCount(unknown.length)} technique(s) are not in the list of DISARM and are not added to the
          campaign: {unknown.join(', ')}
        </li>
      )}
      {quotes + refused_quotes > 0 && (
        <li>
          {formatCount(quotes)} quote(s) of evidence, which are added as not verified: their seals belong to
          the system that they come from.
          {refused_quotes > 0 && ` ${formatCount(refused_quotes)} can’t be read.`}
        </li>
      )}
    </>
  )
}

/** The first of what can't be read or can't be an IOD, with the reasons; nothing if there is none. */
function Invalid({ plan: { invalid, refused, skipped = 0 } }: Pick<ImportPlanProps, 'plan'>) {
  const more = refused + skipped - invalid.length
  if (invalid.length === 0) return null
  return (
    <div>
      <div className={styles.frame}>
        <HTMLTable compact className={styles.table} aria-label="Refused">
          <thead>
            <tr>
              <th scope="col">Place</th>
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
