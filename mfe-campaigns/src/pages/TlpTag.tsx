import type { Tlp } from '@iodine/contracts'
import { Tag } from '@iodine/ui'
import styles from './TlpTag.module.css'

/** Returns a level in the standard's notation: TLP:AMBER+STRICT. */
export const tlpName = (tlp: Tlp): string => `TLP:${tlp.toUpperCase()}`

/** A level of the Traffic Light Protocol, in the standard's colours. */
export function TlpTag({ tlp }: { tlp: Tlp }) {
  return <Tag className={`${styles.tlp} ${styles[tlp.split('+')[0] as string]}`}>{tlpName(tlp)}</Tag>
}
