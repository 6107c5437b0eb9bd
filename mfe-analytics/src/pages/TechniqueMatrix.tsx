import type { CampaignAnalysis } from '@iodine/contracts'
import { SectionLink } from '@iodine/mfe-kit'
import { formatAmount, formatCount } from '@iodine/ui'
import type { Controls } from '../model/controls'
import { techniqueColumns } from '../model/techniques'
import styles from './TechniqueMatrix.module.css'

export interface TechniqueMatrixProps {
  data: CampaignAnalysis
  controls: Controls
}

/** DISARM's tactics with the techniques that campaigns use. A cell opens the campaigns that it counts. */
export default function TechniqueMatrix({ data, controls }: TechniqueMatrixProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too
    <section className={styles.matrix} aria-label="Tactics" tabIndex={0}>
      {techniqueColumns(data, controls).map(({ tactic, marks }) => (
        <div key={tactic} className={styles.column}>
          <h3 className={styles.tactic}>{tactic}</h3>
          <ul className={styles.cells}>
            {marks.map(({ key, name, n, level, to }) => (
              <li key={key}>
                <SectionLink className={styles.cell} data-level={level} to={to}>
                  <span>
                    {key} {name}
                  </span>
                  <b aria-hidden>{formatCount(n)}</b>
                  <span className="visually-hidden">: {formatAmount(n, 'campaign')}</span>
                </SectionLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
