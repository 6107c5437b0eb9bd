import { paths, useHost, useSections } from '@iodine/mfe-kit'
import { BackButton, FileDrop, formatAmount, Page, PageHeader } from '@iodine/ui'
import { useReloadImports } from '../../queries/record-imports'
import { useImportSession } from '../../queries/use-import-session'
import { ImportFile } from './ImportFile'
import { ImportList } from './ImportList'
import styles from './ImportPage.module.css'

/** 'Import': reads files of other tools in the browser, sends their records, and lists the imports so far. */
export function ImportPage() {
  const { notify } = useHost()
  const sections = useSections()
  const reload = useReloadImports()
  const { session, entries } = useImportSession({
    onChanged: () => void reload(),
    onDone: ({ file_name, total }) =>
      notify({
        title: 'Imported',
        description: `${formatAmount(total, 'record')} of ${file_name}`,
        status: 'success',
        actions: [{ text: 'View', onClick: () => sections.open(paths.data()) }],
      }),
  })
  return (
    <Page>
      <BackButton text="My Data" onClick={() => sections.open(paths.data())} />
      <PageHeader
        title="Import"
        subtitle="Brings posts that you collected with other tools into My Data. You see what a file contains before anything is sent."
      />
      <FileDrop
        multiple
        text="Choose files"
        label="Files to import"
        hint="or drop them here. They are read in this browser, and only the posts that you import leave it."
        onFiles={files => session.add(files)}
      />
      <p className={styles.formats}>
        Zeeschuimer and 4CAT, Telegram exports, TikTok’s Research API, X, CrowdTangle, Meta Content Library,
        YouTube Data Tools, Bluesky, Mastodon, feeds, lists of URLs, and any table as CSV.
      </p>
      {entries.length > 0 && (
        <ul className={styles.files} aria-label="Chosen files">
          {entries.map(entry => (
            <li key={entry.id}>
              <ImportFile entry={entry} session={session} />
            </li>
          ))}
        </ul>
      )}
      <ImportList onUndone={id => session.forget(id)} />
    </Page>
  )
}
