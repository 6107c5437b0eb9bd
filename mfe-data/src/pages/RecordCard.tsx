import { type CaptureSummary, SHARED_AS, type SharedAs, type Source, type Stored } from '@iodine/contracts'
import { paths, useSections } from '@iodine/mfe-kit'
import { SealedMark } from '@iodine/mfe-kit/evidence'
import { Button, Card, Checkbox, DateTime, formatDateTime, HTMLTable, ShortId, Tag } from '@iodine/ui'
import {
  ChevronDownIcon,
  ChevronRightIcon,
  EyeOffIcon,
  EyeOpenIcon,
  MoreIcon,
  ShareIcon,
  TimelineEventsIcon,
  TrashIcon,
} from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { memo, use, useId, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import type { Attachment, Field, ImageHash } from '../model/record-fields'
import { presentRecord, type RecordView, type TextSelection } from '../model/record-view'
import { SHARING_TEXTS } from '../model/sharing-texts'
import { useKnownIods } from '../queries/iods'
import { useShare, useSharedRecords } from '../queries/sharing'
import { FieldRow, ValueWithActions } from './FieldRow'
import styles from './RecordCard.module.css'
import { RecordContext, SelectedRecords } from './record-context'
import { SelectionBubble } from './SelectionBubble'
import { readSelection, useFieldSelection } from './use-field-selection'

const IMPORTED_HELP = 'From a file that you imported, which states its times and hashes'

const isEmpty = ({ values }: Field) => values.length === 0

export interface RecordCardProps {
  source: Source
  record: Stored
  /** Position in the whole list, from 1, and the length of the list. */
  position: number
  total: number
  /** The record's sealed captures, newest first. */
  captures: readonly CaptureSummary[]
  onStartIod: (view: RecordView, picked: TextSelection) => void
  onDelete: (view: RecordView) => void
}

/** A card with all fields of a collected record. */
export const RecordCard = memo(function RecordCard(props: RecordCardProps) {
  const { source, record, position, total, captures, onStartIod, onDelete } = props
  const view = useMemo(() => presentRecord(source, record), [source, record])
  const known = useKnownIods(view)
  const context = useMemo(
    () => ({ known, startIod: (picked: TextSelection) => onStartIod(view, picked) }),
    [known, onStartIod, view],
  )
  const article = useRef<HTMLElement>(null)
  const selection = useFieldSelection(article)
  const chosen = use(SelectedRecords)
  const shared = useSharedRecords(source).data?.get(record.id) ?? null
  const titleId = useId()
  return (
    <RecordContext value={context}>
      <article
        ref={article}
        className={styles.article}
        aria-labelledby={titleId}
        aria-posinset={position}
        aria-setsize={total}
      >
        <Card className={styles.card}>
          <header className={styles.header}>
            {chosen && (
              <Checkbox
                className={styles.choose ?? ''}
                checked={chosen.ids.has(record.id)}
                aria-label={`Select ${view.title}`}
                onChange={() => chosen.toggle(record.id)}
              />
            )}
            <h2 className={styles.title} id={titleId} dir="auto">
              {view.title}
            </h2>
            <SealedMark captures={captures} about={view.title} />
            {view.isImported && (
              <Tag className={styles.mark} minimal title={IMPORTED_HELP}>
                Imported
              </Tag>
            )}
            {shared && (
              <Tag className={styles.mark} minimal intent="success">
                {SHARED_LABELS[shared]}
              </Tag>
            )}
            <CardMenu view={view} shared={shared} onDelete={onDelete} />
          </header>
          <RecordFields view={view} />
          <footer className={styles.footer}>
            <span>
              {view.isImported ? 'Collected, as the file states,' : 'Collected'}{' '}
              <DateTime value={view.collectedAt} format={formatDateTime} />
            </span>
            <span className={styles.from}>Source: {view.collectedFrom}</span>
            <span>
              ID: <ShortId id={view.id} of="record" />
            </span>
          </footer>
        </Card>
        {selection &&
          createPortal(
            <SelectionBubble
              selection={selection}
              onCreate={() => {
                // `selectionchange` is dispatched asynchronously, so the state may be outdated.
                const { path, value, range } =
                  (article.current && readSelection(article.current)) ?? selection
                context.startIod({ path, value, range })
              }}
            />,
            selection.slot,
          )}
      </article>
    </RecordContext>
  )
})

/** The notes and the fields of a record. Empty fields are shown on request. */
function RecordFields({ view }: { view: RecordView }) {
  const [showsEmpty, setShowsEmpty] = useState(false)
  const empty = view.groups.flatMap(({ fields }) => fields.filter(isEmpty)).length
  return (
    <>
      {(view.names || view.removedAt) && (
        <p className={styles.notes}>
          {view.names && (
            <Tag minimal multiline intent="warning">
              The page names <bdi>{view.names}</bdi> as its original
            </Tag>
          )}
          {view.removedAt && (
            <Tag minimal multiline intent="danger">
              First seen removed on <DateTime value={view.removedAt} />
            </Tag>
          )}
        </p>
      )}
      {view.groups.map(({ title, fields }) => (
        <section key={title} className={styles.group}>
          <h3 className={styles.groupTitle}>{title}</h3>
          <dl className={styles.fields}>
            {fields.map(
              field =>
                (showsEmpty || !isEmpty(field)) && <FieldRow key={field.path} field={field} group={title} />,
            )}
          </dl>
        </section>
      ))}
      {view.attachments.length > 0 && <Attachments attachments={view.attachments} />}
      {view.imageHashes.length > 0 && <ImageHashes hashes={view.imageHashes} />}
      {empty > 0 && (
        <Button
          className={styles.empty}
          variant="minimal"
          size="small"
          icon={showsEmpty ? <ChevronDownIcon /> : <ChevronRightIcon />}
          text={`${empty} empty ${empty === 1 ? 'field' : 'fields'}`}
          aria-expanded={showsEmpty}
          onClick={() => setShowsEmpty(!showsEmpty)}
        />
      )}
    </>
  )
}

const SHARED_LABELS: Record<SharedAs, string> = {
  username: 'Shared with username',
  anonymous: 'Shared anonymously',
}

interface CardMenuProps extends Pick<RecordCardProps, 'onDelete'> {
  view: RecordView
  shared: SharedAs | null
}

function CardMenu({ view, shared, onDelete }: CardMenuProps) {
  const sections = useSections()
  const share = useShare(view.source)
  return (
    <Popover
      placement="bottom-end"
      content={
        <Menu>
          {view.originalUrl && (
            <MenuItem
              icon={<ShareIcon />}
              text="View Original"
              href={view.originalUrl}
              target="_blank"
              rel="noopener noreferrer"
            />
          )}
          <MenuItem
            icon={<TimelineEventsIcon />}
            text="Find first appearance"
            onClick={() => sections.open(paths.origins({ record: view.id }))}
          />
          {SHARED_AS.filter(as => as !== shared).map(as => (
            <MenuItem
              key={as}
              icon={<EyeOpenIcon />}
              text={SHARING_TEXTS[as].text}
              htmlTitle={SHARING_TEXTS[as].help}
              onClick={() => void share.run({ ids: [view.id], as })}
            />
          ))}
          {shared && (
            <MenuItem
              icon={<EyeOffIcon />}
              text="Stop sharing"
              onClick={() => void share.run({ ids: [view.id], as: null })}
            />
          )}
          <MenuItem icon={<TrashIcon />} intent="danger" text="Delete" onClick={() => onDelete(view)} />
        </Menu>
      }
    >
      <Button variant="minimal" icon={<MoreIcon />} aria-label="More actions" />
    </Popover>
  )
}

function Attachments({ attachments }: { attachments: Attachment[] }) {
  return (
    <section className={styles.group}>
      <h3 className={styles.groupTitle}>Attachments</h3>
      <HTMLTable compact className={styles.attachments}>
        <thead>
          <tr>
            <th className={styles.type}>Type</th>
            <th>URL</th>
            <th>SHA-256</th>
          </tr>
        </thead>
        <tbody>
          {attachments.map(({ type, url, sha256 }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: attachments may be equal, and their order never changes
            <tr key={index}>
              <td>
                <Tag minimal multiline>
                  {type}
                </Tag>
              </td>
              {[url, sha256].map(({ path, label, kind, values: [value] }) => (
                <td key={path}>
                  {value ? (
                    <div className={styles.cell}>
                      <ValueWithActions
                        path={path}
                        label={`Attachment ${index + 1} ${label}`}
                        value={value}
                        isUrl={kind === 'url'}
                      />
                    </div>
                  ) : (
                    '—'
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </HTMLTable>
    </section>
  )
}

function ImageHashes({ hashes }: { hashes: ImageHash[] }) {
  const titleId = useId()
  return (
    <section className={styles.group} aria-labelledby={titleId}>
      <h3 className={styles.groupTitle} id={titleId}>
        Image hashes
      </h3>
      <ul className={styles.hashes}>
        {hashes.map(({ url, hash }, index) => (
          <li key={url.values[0]?.text} className={styles.hash}>
            {[url, hash].map(
              ({ path, label, kind, values: [value] }) =>
                value && (
                  <div key={path} className={styles.cell}>
                    <ValueWithActions
                      path={path}
                      label={`${label} ${index + 1}`}
                      value={value}
                      isUrl={kind === 'url'}
                    />
                  </div>
                ),
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
