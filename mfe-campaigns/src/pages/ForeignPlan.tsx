import type { CampaignImport } from '@iodine/contracts'
import { Callout, formatCount, ProgressBar, Switch } from '@iodine/ui'
import styles from './ForeignPlan.module.css'
import { TlpTag } from './TlpTag'

/** Formats whose objects are kept, as their exports are called. */
const TOOLS = { stix: 'STIX', misp: 'MISP', json: null, csv: null } as const
const NOUNS = { STIX: 'indicator', MISP: 'attribute' } as const

export interface ForeignPlanProps {
  plan: CampaignImport
  makesIods: boolean
  onMakesIods: (makesIods: boolean) => void
}

/** What an import of another tool's file does, before it does it; then how far it is. */
export function ForeignPlan({ plan, makesIods, onMakesIods }: ForeignPlanProps) {
  const { format, state, objects, iods, known_iods, refused, tlp, done, problem } = plan
  const tool = TOOLS[format]
  const isWorking = state === 'applying'
  const made = makesIods ? iods : 0
  return (
    <div className={styles.plan}>
      <p className={styles.counts} role="status">
        {formatCount(made)} IOD(s)
        {tool && `, ${formatCount(objects - made)} object(s) kept as they are`}
        {tlp && (
          <>
            , <TlpTag tlp={tlp} />
          </>
        )}
      </p>
      <ul className={styles.notes}>
        {tool && <li>Every object goes out again byte for byte when this campaign is exported as {tool}.</li>}
        {made > 0 && known_iods > 0 && (
          <li>
            {formatCount(known_iods)} of the IODs known already: they are added to the campaign, and their
            votes stay.
          </li>
        )}
        {refused > 0 && (
          <li>
            {tool
              ? `${formatCount(refused)} ${NOUNS[tool]}(s) whose value can’t be an IOD are kept as they are.`
              : `${formatCount(refused)} of the entries can’t be IODs and are left out.`}
          </li>
        )}
        {tlp && <li>From now on this campaign’s files are marked at least as strictly.</li>}
      </ul>
      {tool && iods > 0 && (
        <Switch
          label={`Create IODs of ${NOUNS[tool]}s with a single value`}
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
