import styles from './Legend.module.css'

export type LegendItem = readonly [label: string, look: 'dot' | 'line', color: string | undefined]

/** Colours of nodes and links, and a hint on pointer actions. */
export const Legend = ({ items, hint }: { items: readonly LegendItem[]; hint: string }) => (
  <div className={styles.legend} data-toasts-above>
    <ul className={styles.items} aria-label="Legend">
      {items.map(([label, look, color]) => (
        <li key={label}>
          <span className={`${styles[look]} ${color}`} /> {label}
        </li>
      ))}
    </ul>
    <p className={styles.hint}>{hint}</p>
  </div>
)

/** The colours of the graph of triplets, and a hint on pointer actions. */
export const TripletLegend = () => (
  <Legend
    items={[
      ['Entity', 'dot', styles.entity],
      ['Verb', 'dot', styles.verb],
      ['Subject → verb', 'line', styles.subjectLink],
      ['Verb → object', 'line', styles.objectLink],
      ['Selected node', 'dot', styles.selected],
    ]}
    hint="Click to select, drag to move, scroll to zoom"
  />
)
