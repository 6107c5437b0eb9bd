import { execFile } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { promisify } from 'node:util'
import {
  accountsInternal,
  type Campaign,
  campaignsApi,
  iodsApi,
  MISP_MANIFEST_CONTEXT,
  profileApi,
} from '@iodine/contracts'
import { iodInput, OpenctiPuller, type SignedInUser, type TaxiiAddress, TaxiiReader } from '@iodine/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

let app: TestApp
let ana: SignedInUser
let campaign: Campaign
let key: string

beforeAll(async () => {
  app = await startTestApp()
  ana = await app.signUp()
  campaign = await ana.api.call(campaignsApi.createCampaign, { body: { name: 'Lake' } })
  key = (await ana.api.call(profileApi.createFeedKey, { body: { label: 'OpenCTI', tlp: 'green' } })).key
})
afterAll(() => app?.stop())

const add = async () => {
  const { id } = await ana.api.call(iodsApi.createIod, { body: iodInput() })
  await ana.api.call(campaignsApi.addIod, { params: { id: campaign.id }, body: { iod_id: id } })
}
const feed = async () => (await ana.api.call(campaignsApi.getSharing, { params: { id: campaign.id } })).feed
const share = (published: boolean) =>
  ana.api.call(campaignsApi.updateSharing, { params: { id: campaign.id }, body: { published } })
const address = (): TaxiiAddress => ({
  root: `${app.url}/taxii2/iodine/`,
  authorization: `Basic ${Buffer.from(`opencti:${key}`).toString('base64')}`,
})
/** Waits until the workers have rebuilt the feed. */
const until = (what: () => Promise<unknown>) => expect.poll(what, { timeout: 30_000, interval: 200 })

it('serves published objects at each pull until they are withdrawn', async () => {
  for (let n = 0; n < 3; n++) await add()
  await share(true)
  await until(async () => (await feed())?.state).toBe('published')
  const collection = (await feed())?.collection ?? ''
  const [reader, opencti] = [
    new TaxiiReader(address(), collection, 4),
    new OpenctiPuller(address(), collection),
  ]
  const first = await reader.pull()
  expect(first.filter(({ type }) => type === 'indicator')).toHaveLength(3)
  expect(await opencti.settle()).toBe(first.length)
  expect([await reader.pull(), await opencti.settle()]).toEqual([[], 0])

  await add()
  const indicators = (puller: TaxiiReader | OpenctiPuller) =>
    [...puller.objects.values()].filter(({ type, revoked }) => type === 'indicator' && !revoked).length
  for (const puller of [reader, opencti])
    await until(async () => {
      await (puller instanceof TaxiiReader ? puller.pull() : puller.settle())
      return indicators(puller)
    }).toBe(4)

  await share(false)
  for (const puller of [reader, opencti])
    await until(async () => {
      await (puller instanceof TaxiiReader ? puller.pull() : puller.settle())
      return indicators(puller)
    }).toBe(0)
  expect([...reader.objects.values()].find(({ type }) => type === 'campaign')?.revoked).toBe(true)
})

const TAXII_CLIENT = process.env.TAXII_CLIENT
const SCRIPT = `
import json, sys
from taxii2client.v21 import Server, as_pages
url, key = sys.argv[1], sys.argv[2]
server = Server(url, user="any", password=key)
root = server.default
reads = []
for collection in root.collections:
    ids, last = [], None
    for page in as_pages(collection.get_objects, per_request=5):
        ids += [o["id"] for o in page.get("objects", [])]
    manifest = [o["id"] for p in as_pages(collection.get_manifest, per_request=5) for o in p.get("objects", [])]
    dates = [o["date_added"] for p in as_pages(collection.get_manifest, per_request=5) for o in p.get("objects", [])]
    again = collection.get_objects(added_after=max(dates)) if dates else {}
    reads.append({"title": collection.title, "ids": ids, "manifest": manifest, "again": len(again.get("objects", []))})
print(json.dumps(reads))
`

it.skipIf(!TAXII_CLIENT)('is read completely by a standard TAXII client library', async () => {
  await share(true)
  await until(async () => (await feed())?.state).toBe('published')
  const python = process.env.PYTHON ?? 'python3'
  const { stdout } = await promisify(execFile)(python, ['-c', SCRIPT, `${app.url}/taxii2/`, key], {
    env: { ...process.env, PYTHONPATH: TAXII_CLIENT },
  })
  const reads = JSON.parse(stdout) as { title: string; ids: string[]; manifest: string[]; again: number }[]
  expect(reads).toHaveLength(2)
  for (const { title, ids, manifest, again } of reads) {
    const collection = title === 'Lake' ? campaign.id : 'all'
    const pulled = await new TaxiiReader(address(), collection).pull()
    expect(ids).toEqual(pulled.map(({ id }) => id))
    expect(manifest).toEqual(ids)
    expect(again).toBe(0)
  }
})

const misp = (name: string) =>
  fetch(`${app.url}/feeds/misp/${name}`, { headers: { authorization: `Bearer ${key}` } })

it('is a MISP feed signed with the key of the seals', async () => {
  await share(true)
  await until(async () => (await feed())?.state).toBe('published')
  const manifest = Buffer.from(await (await misp('manifest.json')).arrayBuffer())
  const signature = await misp('manifest.json.sig')
  const keys = await (await fetch(`${app.url}/api/v1/seals/keys`)).json()
  const signer = keys.find(({ key_id }: { key_id: string }) => key_id === signature.headers.get('x-key-id'))
  const signed = Buffer.concat([Buffer.from(MISP_MANIFEST_CONTEXT), manifest])
  const sig = Buffer.from((await signature.text()).trim(), 'base64')
  expect(verify(null, signed, createPublicKey(signer.public_key), sig)).toBe(true)
  expect(Object.keys(JSON.parse(manifest.toString()))).toHaveLength(1)
})

const PYMISP = process.env.PYMISP
const FEED_SCRIPT = `
import importlib.metadata, json, sys, urllib.request
importlib.metadata.version = lambda name: "2.5"
from pymisp import MISPEvent
url, key = sys.argv[1], sys.argv[2]
def get(name):
    request = urllib.request.Request(url + name, headers={"Authorization": "Bearer " + key})
    return urllib.request.urlopen(request).read().decode()
manifest, hashes = json.loads(get("manifest.json")), get("hashes.csv").split()
for uuid, entry in manifest.items():
    event = MISPEvent()
    event.from_json(get(uuid + ".json"))
    ours = event.to_feed(with_meta=True)["Event"]
    theirs = ours["_manifest"][uuid]
    print(json.dumps({
        "same": {name: str(theirs[name]) == str(entry[name]) for name in ("info", "date", "analysis", "threat_level_id", "timestamp", "Orgc")},
        "tags": [tag["name"] for tag in theirs["Tag"]] == [tag["name"] for tag in entry["Tag"]],
        "hashes": sorted(h + "," + uuid for h in ours["_hashes"]) == sorted(hashes),
        "attributes": len(event.attributes),
    }))
`

it.skipIf(!PYMISP)('is read by PyMISP, which computes the same manifest and hashes', async () => {
  const { stdout } = await promisify(execFile)(
    process.env.PYTHON ?? 'python3',
    ['-c', FEED_SCRIPT, `${app.url}/feeds/misp/`, key],
    { env: { ...process.env, PYTHONPATH: PYMISP } },
  )
  const read = JSON.parse(stdout)
  expect(Object.entries(read.same).filter(([, same]) => !same)).toEqual([])
  expect(read).toMatchObject({ tags: true, hashes: true, attributes: 4 })
})

it('rejects a key immediately after its revocation or the suspension of its account', async () => {
  const status = async (of: string) =>
    (await fetch(`${app.url}/taxii2/`, { headers: { authorization: `Bearer ${of}` } })).status
  const made = await ana.api.call(profileApi.createFeedKey, { body: { label: 'MISP', tlp: 'clear' } })
  expect(await status(made.key)).toBe(200)
  await ana.api.call(profileApi.deleteFeedKey, { params: { id: made.id } })
  expect(await status(made.key)).toBe(401)
  expect(await status(key)).toBe(200)
  const { email } = (await ana.api.send('GET', '/profile/me')).body
  await app.peers.call('auth', accountsInternal.suspendAccount, { body: { email } })
  expect(await status(key)).toBe(401)
})
