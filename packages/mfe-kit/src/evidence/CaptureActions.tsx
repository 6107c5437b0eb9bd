import { Button, saveFile } from '@iodine/ui'
import { DownloadIcon, ShareIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useState } from 'react'
import { useAction } from '../action'
import { useHost } from '../use-host'
import styles from './evidence.module.css'
import { useRefresh } from './queries'

/** A button that downloads a capture with its seal and evidence. */
export function WaczButton({ captureId }: { captureId: string }) {
  const { api } = useHost()
  const save = useAction({
    mutationFn: async () =>
      saveFile(
        `capture-${captureId}.wacz`,
        await api.download('GET /captures/:id/wacz', { params: { id: captureId } }),
      ),
    failed: 'The WACZ could not be downloaded',
  })
  return (
    <Button
      size="small"
      icon={<DownloadIcon size={14} />}
      text="Download WACZ"
      loading={save.isPending}
      onClick={() => void save.run()}
    />
  )
}

/** The owner's button that shares a capture's content, after a word about what others see then, or ends that. */
export function ShareButton({ captureId, isShared }: { captureId: string; isShared: boolean }) {
  const { api } = useHost()
  const share = useAction({
    mutationFn: (shared: boolean) =>
      api.call('PATCH /captures/:id', { params: { id: captureId }, body: { shared } }),
    onSettled: useRefresh(),
    done: (_, shared) => (shared ? 'The capture is shared' : 'The capture is yours alone again'),
    failed: 'The capture could not be shared or unshared',
  })
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button
        size="small"
        icon={<ShareIcon size={14} />}
        text={isShared ? 'Stop sharing' : 'Share'}
        loading={share.isPending && !isAsking}
        onClick={() => (isShared ? void share.run(false) : setAsking(true))}
      />
      <ConfirmDialog
        isOpen={isAsking}
        title="Share this capture"
        confirmLabel="Share"
        intent="primary"
        onConfirm={() => share.run(true)}
        onClose={() => setAsking(false)}
      >
        <div className={styles.paragraphs}>
          <p>
            Until now others see only the quoted words with a little around them, the address, the times and
            the seal. Once it is shared, every signed-in person can also read all of the captured text, see
            its pictures, and download the page with the record that was collected from it.
          </p>
          <p>You can stop sharing at any time; what was downloaded until then stays where it is.</p>
        </div>
      </ConfirmDialog>
    </>
  )
}

/** The owner's button that erases a capture's content. */
export function EraseButton({ captureId, text }: { captureId: string; text: string }) {
  const { api } = useHost()
  const erase = useAction({
    mutationFn: () => api.call('DELETE /captures/:id', { params: { id: captureId } }),
    onSettled: useRefresh(),
    done: 'The capture is erased',
    failed: 'The capture could not be erased',
  })
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="small" icon={<TrashIcon size={14} />} text={text} onClick={() => setAsking(true)} />
      <ConfirmDialog
        isOpen={isAsking}
        title="Delete this capture"
        confirmLabel="Delete"
        onConfirm={erase.run}
        onClose={() => setAsking(false)}
      >
        Its content is erased for good, and nobody can verify it any more. Words that evidence quotes from it
        stay with the IODs, and the seal’s entry stays in the log as a number that says nothing.
      </ConfirmDialog>
    </>
  )
}
