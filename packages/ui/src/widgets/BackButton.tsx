import { Button } from '../blueprint'
import { ArrowLeftIcon } from '../icons'
import styles from './BackButton.module.css'

/** A button that leads from a detail page to its list. */
export const BackButton = ({ text, onClick }: { text: string; onClick: () => void }) => (
  <Button className={styles.back} variant="minimal" icon={<ArrowLeftIcon />} text={text} onClick={onClick} />
)
