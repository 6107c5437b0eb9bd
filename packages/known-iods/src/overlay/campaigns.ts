import { framed, readId, unframed, writeId } from './frame.js'

/** 'IODC' and the version of the format. */
const HEAD = Uint8Array.of(0x49, 0x4f, 0x44, 0x43, 1)

export interface OverlayCampaign {
  id: string
  name: string
  iod_ids: readonly string[]
}

/** Encodes campaigns: head; for each campaign the id, the name and the ids of its IODs; SHA-256. */
export const encodeCampaigns = async (
  campaigns: Iterable<OverlayCampaign> | AsyncIterable<OverlayCampaign>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Uint8Array[] = [HEAD]
  for await (const { id, name, iod_ids } of campaigns) {
    const text = new TextEncoder().encode(name)
    const part = new Uint8Array(20 + text.length + 12 * iod_ids.length)
    const view = new DataView(part.buffer)
    writeId(part, 0, id)
    view.setUint32(12, text.length, true)
    view.setUint32(16, iod_ids.length, true)
    part.set(text, 20)
    for (const [n, iod] of iod_ids.entries()) writeId(part, 20 + text.length + 12 * n, iod)
    parts.push(part)
  }
  return framed(parts)
}

/**
 * Decodes campaigns.
 * @throws RangeError if the bytes are damaged, truncated or of another version
 */
export const decodeCampaigns = async (bytes: Uint8Array<ArrayBuffer>): Promise<OverlayCampaign[]> => {
  const content = await unframed(bytes)
  if (!HEAD.every((byte, n) => content[n] === byte)) throw new RangeError('no campaigns of this version')
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  const campaigns: OverlayCampaign[] = []
  for (let at = HEAD.length; at < content.length; ) {
    const id = readId(content, at)
    const length = view.getUint32(at + 12, true)
    const count = view.getUint32(at + 16, true)
    at += 20
    const name = new TextDecoder().decode(content.subarray(at, at + length))
    at += length
    const iod_ids = Array.from({ length: count }, (_, n) => readId(content, at + 12 * n))
    at += 12 * count
    campaigns.push({ id, name, iod_ids })
  }
  return campaigns
}
