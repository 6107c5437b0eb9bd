import { Button } from '../blueprint'
import { ArrowLeftIcon } from '../icons'
import styles from './BackButton.module.css'

/** Leads to the list that a page of one thing belongs to. */
export const BackButton = ({ text, onClick }: { text: string; onClick: () => void }) => (
  <Button className={styles.back} variant="minimal" icon={<ArrowLeftIcon />} text={text} onClick={onClick} />
)
