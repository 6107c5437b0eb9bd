import { Button } from '@iodine/ui'
import { DownloadIcon, ShareIcon, TrashIcon } from '@iodine/ui/icons'
import { ConfirmDialog } from '@iodine/ui/overlays'
import { useState } from 'react'
import styles from './evidence.module.css'
import { useEvidenceActions } from './queries'

/** A button that downloads a capture with its seal and evidence. */
export function WaczButton({ captureId }: { captureId: string }) {
  const { saveWacz } = useEvidenceActions()
  const [isWorking, setWorking] = useState(false)
  const save = async () => {
    setWorking(true)
    await saveWacz(captureId)
    setWorking(false)
  }
  return (
    <Button
      size="small"
      icon={<DownloadIcon size={14} />}
      text="Download WACZ"
      loading={isWorking}
      onClick={() => void save()}
    />
  )
}

/** The owner's button that shares a capture's content, after a word about what others see then, or ends that. */
export function ShareButton({ captureId, isShared }: { captureId: string; isShared: boolean }) {
  const { share } = useEvidenceActions()
  const [isAsking, setAsking] = useState(false)
  const [isWorking, setWorking] = useState(false)
  const unshare = async () => {
    setWorking(true)
    await share(captureId, false)
    setWorking(false)
  }
  return (
    <>
      <Button
        size="small"
        icon={<ShareIcon size={14} />}
        text={isShared ? 'Stop sharing' : 'Share'}
        loading={isWorking}
        onClick={() => (isShared ? void unshare() : setAsking(true))}
      />
      <ConfirmDialog
        isOpen={isAsking}
        title="Share this capture"
        confirmLabel="Share"
        intent="primary"
        onConfirm={() => share(captureId, true)}
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
  const { erase } = useEvidenceActions()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button size="small" icon={<TrashIcon size={14} />} text={text} onClick={() => setAsking(true)} />
      <ConfirmDialog
        isOpen={isAsking}
        title="Delete this capture"
        confirmLabel="Delete"
        onConfirm={() => erase(captureId)}
        onClose={() => setAsking(false)}
      >
        Its content is erased for good, and nobody can verify it any more. Words that evidence quotes from it
        stay with the IODs, and the seal’s entry stays in the log as a number that says nothing.
      </ConfirmDialog>
    </>
  )
}
