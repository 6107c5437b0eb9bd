import type { Capture, ManifestBlob } from '@iodine/contracts'
import { useQuery } from '@iodine/mfe-kit/query'
import { Button, LoadingPanel } from '@iodine/ui'
import { MediaIcon } from '@iodine/ui/icons'
import { useEffect, useState } from 'react'
import { useHost } from '../use-host'
import styles from './evidence.module.css'

/** Image types that contain only pixels. An SVG is a document and is not among them. */
const IMAGE_TYPES = /^image\/(png|jpeg|webp|gif|avif)$/

const isShown = ({ role, type, absent }: ManifestBlob) =>
  (role === 'screenshot' || role === 'media') && IMAGE_TYPES.test(type) && !absent

/** The pictures of a capture. Each is loaded on request. */
export function Pictures({ capture: { id, manifest } }: { capture: Capture }) {
  const pictures = manifest.blobs.filter(isShown)
  const [shown, setShown] = useState<readonly string[]>([])
  return pictures.map((blob, n) => {
    const name = blob.role === 'screenshot' ? 'Screenshot' : `Picture ${n + 1}`
    return shown.includes(blob.sha256) ? (
      <Picture key={blob.sha256} captureId={id} blob={blob} name={name} />
    ) : (
      <Button
        key={blob.sha256}
        size="small"
        icon={<MediaIcon size={14} />}
        text={`Show ${name.toLowerCase()}`}
        onClick={() => setShown(all => [...all, blob.sha256])}
      />
    )
  })
}

function Picture({ captureId, blob, name }: { captureId: string; blob: ManifestBlob; name: string }) {
  const { api } = useHost()
  const { sha256, type } = blob
  const query = useQuery({
    queryKey: ['capture-picture', captureId, sha256],
    queryFn: async ({ signal }) => {
      const params = { id: captureId, sha256 }
      const bytes = await api.download('GET /captures/:id/blobs/:sha256', { params, signal })
      return new Blob([bytes], { type })
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <LoadingPanel query={query} errorTitle="Unable to load the picture">
      {bytes => <Drawn bytes={bytes} name={name} />}
    </LoadingPanel>
  )
}

function Drawn({ bytes, name }: { bytes: Blob; name: string }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(bytes)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  return address && <img className={styles.picture} src={address} alt={`${name} of the captured page`} />
}
