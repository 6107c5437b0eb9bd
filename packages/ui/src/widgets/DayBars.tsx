import { HTMLTable } from '@blueprintjs/core'
import type { CSSProperties } from 'react'
import { formatCount } from '../format'
import styles from './DayBars.module.css'

export interface DayBarsProps {
  /** The accessible name: the counted items. */
  label: string
  /** Names of the series. The second is a subset of the first and is drawn in front of it. */
  series: readonly [whole: string] | readonly [whole: string, part: string]
  /** In display order, with one number per series. */
  days: readonly { day: string; values: readonly number[] }[]
}

/** A bar chart of numbers over time, with a table of the same numbers. `day` is shown unchanged. */
export function DayBars({ label, series, days }: DayBarsProps) {
  const most = Math.max(1, ...days.flatMap(({ values }) => values))
  const height = (value = 0) => ({ '--height': value / most }) as CSSProperties
  const text = (values: readonly number[]) =>
    values.map((value, index) => `${formatCount(value)} ${series[index]}`).join(', ')
  return (
    <figure className={styles.figure}>
      <div className={styles.plot}>
        <span className={styles.most}>{formatCount(most)}</span>
        <div className={styles.bars} role="img" aria-label={label}>
          {days.map(({ day, values }) => (
            <div key={day} className={styles.day} title={`${day}: ${text(values)}`}>
              <div className={styles.whole} style={height(values[0])} />
              {series.length > 1 && <div className={styles.part} style={height(values[1])} />}
            </div>
          ))}
        </div>
      </div>
      <div className={styles.axis}>
        <span>{days[0]?.day}</span>
        <ul className={styles.legend}>
          {series.map((name, index) => (
            <li key={name} className={index === 0 ? styles.ofWhole : styles.ofPart}>
              {name}
            </li>
          ))}
        </ul>
        <span>{days.length > 1 && days.at(-1)?.day}</span>
      </div>
      <details className={styles.details}>
        <summary>Show as table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too */}
        <section className={styles.scroll} aria-label={label} tabIndex={0}>
          <HTMLTable compact striped className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {series.map(name => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map(({ day, values }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {series.map((name, index) => (
                    <td key={name}>{formatCount(values[index] ?? 0)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </HTMLTable>
        </section>
      </details>
    </figure>
  )
}
