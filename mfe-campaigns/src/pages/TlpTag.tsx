import type { Tlp } from '@iodine/contracts'
import { Tag } from '@iodine/ui'
import styles from './TlpTag.module.css'

/** A level as it is written: TLP:AMBER+STRICT. */
export const tlpName = (tlp: Tlp): string => `TLP:${tlp.toUpperCase()}`

/** A level of the Traffic Light Protocol, in the colours that its standard asks for. */
export function TlpTag({ tlp }: { tlp: Tlp }) {
  return <Tag className={`${styles.tlp} ${styles[tlp.split('+')[0] as string]}`}>{tlpName(tlp)}</Tag>
}
