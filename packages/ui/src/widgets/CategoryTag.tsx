import { Tag } from '@blueprintjs/core'
import type { Category } from '@iodine/contracts'
import { Fragment } from 'react'
import styles from './CategoryTag.module.css'

const COLORS: Record<Category, string> = {
  USERNAME: 'cyan',
  TITLE: 'blue',
  URL: 'purple',
  DOMAIN: 'gray',
  HASH: 'green',
  HASHTAGS: 'orange',
  KEYWORDS: 'yellow',
  FULL_NAME: 'pink',
  COMPANY: 'teal',
  IP_ADDRESS: 'red',
  SENTENCE: 'gray',
  NARRATIVE_TRIPLET: 'purple',
}

/** An IOD category in its colour. A narrow container breaks it after its underscore. */
export function CategoryTag({ category }: { category: Category }) {
  return (
    // A tag that is not multiline measures its text, which slows scrolling in long lists.
    <Tag minimal multiline className={`${styles.tag} ${styles[COLORS[category]]}`}>
      {category.split('_').map((word, index) => (
        <Fragment key={word}>
          {index > 0 && (
            <>
              _<wbr />
            </>
          )}
          {word}
        </Fragment>
      ))}
    </Tag>
  )
}
