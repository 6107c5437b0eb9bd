import { useEffect, useId, useRef } from 'react'
import styles from './Chart.module.css'
import { inkOf, inkPatterns } from './inks'

/** The names of a chart's series beside their patterns. */
export function Legend({ series }: { series: readonly string[] }) {
  const prefix = `legend${useId().replace(/[^a-zA-Z0-9]/g, '')}`
  const patterns = useRef<SVGSVGElement>(null)
  useEffect(() => patterns.current?.replaceChildren(inkPatterns(prefix)), [prefix])
  return (
    <>
      <svg ref={patterns} className="visually-hidden" aria-hidden="true" />
      <ul className={styles.legend} aria-label="Series">
        {series.map((name, n) => (
          <li key={name}>
            <svg width={16} height={12} aria-hidden="true">
              <rect width={16} height={12} fill={inkOf(prefix, n)} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </>
  )
}
