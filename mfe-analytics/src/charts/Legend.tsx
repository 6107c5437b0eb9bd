import { useEffect, useId, useRef } from 'react'
import styles from './Chart.module.css'
import { inkOf, inkPatterns } from './inks'

/** The names of a chart's series beside their patterns, and the name of a dashed line. */
export function Legend({ series, line }: { series: readonly string[]; line: string | undefined }) {
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
        {line && (
          <li>
            <svg className={styles.line} width={16} height={12} aria-hidden="true">
              <path d="M0 6H16" strokeDasharray="4 3" />
            </svg>
            {line}
          </li>
        )}
      </ul>
    </>
  )
}
