import { formatDate } from '@iodine/ui'
import styles from './Sparkline.module.css'

const [WIDTH, HEIGHT, GAP] = [120, 28, 1]

/** Formats a date as 'Oct 12'. */
const shortDay = (iso: string) => formatDate(iso).replace(/,.*/, '')

export interface SparklineProps {
  values: readonly number[]
  /** Start and end of the time span, in ISO 8601. */
  from: string
  to: string
}

/**
 * Numbers in equal time spans, as small bars above the first and last day. The text beside them has the same numbers.
 */
export function Sparkline({ values, from, to }: SparklineProps) {
  const most = Math.max(1, ...values)
  const width = WIDTH / Math.max(1, values.length)
  return (
    <div className={styles.figure} aria-hidden="true">
      <svg className={styles.sparkline} aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className={styles.base} />
        {values.map((value, index) => {
          const height = value === 0 ? 0 : Math.max(2, (value / most) * (HEIGHT - 2))
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: spans have no name but their place
              key={index}
              x={index * width}
              y={HEIGHT - 1 - height}
              width={Math.max(1, width - GAP)}
              height={height}
            />
          )
        })}
      </svg>
      <span className={styles.ends}>
        <span>{shortDay(from)}</span>
        <span>{shortDay(to)}</span>
      </span>
    </div>
  )
}
