import { Button, saveFile } from '@iodine/ui'
import { DownloadIcon, ShareIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { useAction } from '../action'
import { errorToast } from '../error-toast'
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
    failed: 'Unable to download the WACZ file',
  })
  return (
    <Button
      size="small"
      icon={<DownloadIcon size={14} />}
      text="Download WACZ"
      title="Saves the captured page with its seal as a web archive, which can be verified without this server"
      loading={save.isPending}
      onClick={() => void save.run()}
    />
  )
}

/** The owner's button that shares a capture's content after a confirmation, or stops sharing it. */
export function ShareButton({ captureId, isShared }: { captureId: string; isShared: boolean }) {
  const { api } = useHost()
  const share = useAction({
    mutationFn: (shared: boolean) =>
      api.call('PATCH /captures/:id', { params: { id: captureId }, body: { shared } }),
    onSettled: useRefresh(),
    done: (_, shared) => (shared ? 'Capture shared' : 'Sharing stopped'),
    failed: (error, shared) => errorToast(error, shared ? 'Unable to share' : 'Unable to stop sharing'),
  })
  return (
    <ConfirmButton
      button={{
        size: 'small',
        icon: <ShareIcon size={14} />,
        text: isShared ? 'Stop sharing' : 'Share',
        loading: share.isPending && isShared,
      }}
      isConfirmed={isShared}
      title="Share this capture"
      confirmLabel="Share"
      intent="primary"
      onConfirm={() => share.run(!isShared)}
    >
      <div className={styles.paragraphs}>
        <p>
          Other members now see only the quote with a few words around it, the URL, the times and the seal. If
          you share the capture, every signed-in user can also read the whole captured text, see the pictures,
          and download the page with its collected record.
        </p>
        <p>You can stop sharing at any time, but copies that others have downloaded remain.</p>
      </div>
    </ConfirmButton>
  )
}

/** The owner's button that erases a capture's content. */
export function EraseButton({ captureId, text }: { captureId: string; text: string }) {
  const { api } = useHost()
  const erase = useAction({
    mutationFn: () => api.call('DELETE /captures/:id', { params: { id: captureId } }),
    onSettled: useRefresh(),
    done: 'Capture deleted',
    failed: 'Unable to delete the capture',
  })
  return (
    <ConfirmButton
      button={{ size: 'small', icon: <TrashIcon size={14} />, text }}
      title="Delete this capture"
      confirmLabel="Delete"
      onConfirm={erase.run}
    >
      The content is permanently deleted and can no longer be verified. Quotes from it remain as evidence of
      IODs. The log keeps only a hash, which reveals nothing about the content.
    </ConfirmButton>
  )
}
