import styles from './Sparkline.module.css'

const [WIDTH, HEIGHT, GAP] = [120, 28, 1]

/** Numbers in equal spans of time, as small bars. The text beside them says the same in words. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values)
  const width = WIDTH / Math.max(1, values.length)
  return (
    <svg className={styles.sparkline} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
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
  )
}
