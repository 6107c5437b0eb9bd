import { Button, SearchInput } from '@iodine/ui'
import { type FormEvent, useMemo, useState } from 'react'
import { findNodes, type Network } from '../model/network'
import styles from './GraphView.module.css'

const FOUND_MAX = 8

/** A search for nodes by their label. */
export function NodeSearch({ network, onFound }: { network: Network; onFound: (node: number) => void }) {
  const [term, setTerm] = useState('')
  const found = useMemo(() => findNodes(network, term, FOUND_MAX), [network, term])
  const pick = (node: number | undefined) => {
    if (node === undefined) return
    onFound(node)
    setTerm('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    pick(found[0])
  }
  return (
    <form className={styles.search} onSubmit={submit}>
      <SearchInput value={term} onChange={setTerm} placeholder="Find a node..." />
      {term.trim() !== '' && (
        <ul className={styles.found} aria-label="Nodes found">
          {found.map(node => (
            <li key={node}>
              <Button
                fill
                alignText="start"
                variant="minimal"
                ellipsizeText
                text={network.labels[node]}
                onClick={() => pick(node)}
              />
            </li>
          ))}
          {found.length === 0 && <li className={styles.none}>No node with this label</li>}
        </ul>
      )}
    </form>
  )
}
