import type { Evidence } from '@iodine/contracts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { defineParcel } from '../src'
import {
  EvidenceMark,
  SealedMark,
  useEvidenceCounts,
  useIodEvidence,
  useSealedCaptures,
} from '../src/evidence'
import { pagesInView } from '../src/paged-values'
import { openSection, type Routes, user } from '../testing'
import { IOD, quoting, sealedCapture } from './sealed'

const TEXT = 'Varnel Watch\nGiant mirrors heat the lake and the fish are dying.\nShare this.'
const RECORD = { metadata: { 'a/b': 'They heat the lake' } }

function Page() {
  const evidence = useIodEvidence(IOD, 1)
  return (
    <>
      <h1>Page</h1>
      {evidence.button}
      {evidence.drawer}
    </>
  )
}
const parcel = defineParcel({ '/': Page })
const open = async (pieces: Evidence[], routes: Routes = {}) => {
  const section = await openSection(parcel, '/dashboard/iods', '/dashboard/iods', {
    'GET /iods/:id/evidence': () => [200, pieces, { 'X-Total-Count': String(pieces.length) }],
    ...routes,
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Evidence (1)' }))
  return section
}
const drawerOf = async () => within(await screen.findByRole('dialog', { name: 'Evidence' }))
const pieceOf = async (n = 1) => within(await screen.findByRole('article', { name: `Evidence ${n}` }))
type Scope = Awaited<ReturnType<typeof pieceOf>>
const press = (scope: Scope, name: string) => fireEvent.click(scope.getByRole('button', { name }))
const verified = async (piece: Scope) => {
  press(piece, 'Verify')
  const report = await piece.findByRole('region', { name: 'Verification' })
  await within(report).findByText(/^The seal (holds|does not hold)$/)
  return report
}
const failed = (report: HTMLElement) =>
  within(report)
    .queryAllByTitle('Fails:')
    .map(icon => icon.closest('li')?.textContent?.replace('Fails:', ''))

describe('the drawer of an IOD’s evidence', () => {
  it('shows a quote with its context, URL, times and author', async () => {
    const { seal } = await sealedCapture(TEXT, RECORD)
    const author = { created_by_id: 'd'.repeat(24), created_by_username: 'bo' }
    await open([quoting(TEXT, 'heat the lake', { seal, ...author, open: false, capture_id: null })])
    const piece = await pieceOf()
    expect(piece.getByText('heat the lake').tagName).toBe('MARK')
    expect(document.querySelector('blockquote')?.textContent).toBe(TEXT)
    const link = piece.getByRole('link', { name: 'https://varnelwatch.example/mirrors' })
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
    expect(piece.getByRole('link', { name: 'bo' }).getAttribute('href')).toBe(
      `/dashboard/community/profile/${'d'.repeat(24)}`,
    )
    expect(piece.getByText('No. 3')).toBeTruthy()
    expect(piece.getByText(seal.manifest_hash)).toBeTruthy()
    // A closed capture has no content to show, save or share; its evidence belongs to another user.
    expect(piece.getAllByRole('button').map(button => button.textContent || button.title)).toEqual(
      expect.not.arrayContaining(['Show in capture', 'Download WACZ', 'Share', 'Delete']),
    )
    expect((await drawerOf()).getByText('heat the lake', { selector: 'p' })).toBeTruthy()
  })

  it('renders hostile quotes as text, and links only http(s) URLs', async () => {
    const hostile = 'a\u202e<img src=x onerror=alert(1)>\u2066'
    await open([
      quoting(`${hostile}x${hostile}`, 'x', {
        url: 'javascript:alert(1)',
        kind: 'imported',
        capture_id: null,
      }),
    ])
    const piece = await pieceOf()
    const quote = document.querySelector('blockquote')
    expect(quote?.textContent).toBe(`${hostile}x${hostile}`)
    expect(quote?.getAttribute('dir')).toBe('auto')
    expect(document.querySelector('img, script')).toBeNull()
    expect(piece.queryByRole('link')).toBeNull()
    expect(piece.getByText('Imported from another system. This server has not checked it.')).toBeTruthy()
    expect(piece.queryByRole('button', { name: 'Verify' })).toBeNull()
  })

  it.each([
    ['record', 'Collected record'],
    ['narrative', 'Analyzed text'],
    ['capture', 'Deleted capture'],
  ] as const)('explains the evidential value of a piece without a seal: %s', async (kind, tag) => {
    await open([quoting(TEXT, 'heat the lake', { kind, open: false, capture_id: null })])
    const piece = await pieceOf()
    expect(piece.getByText(tag)).toBeTruthy()
    expect(piece.queryByRole('button', { name: 'Verify' })).toBeNull()
  })

  it('shows an empty state, and an error if loading fails', async () => {
    await open([])
    expect(await (await drawerOf()).findByText('No evidence yet')).toBeTruthy()
    let fails = true
    await open([], {
      'GET /iods/:id/evidence': () =>
        fails ? [403, { detail: 'Not now' }] : [200, [quoting(TEXT, 'heat')], { 'X-Total-Count': '1' }],
      'GET /captures/:id': [404, { detail: 'Not found' }],
    })
    const drawer = await drawerOf()
    expect((await drawer.findByRole('alert')).textContent).toContain('Unable to load the evidenceNot now')
    fails = false
    press(drawer, 'Retry')
    await pieceOf()
  })

  it('closes on Escape', async () => {
    await open([quoting(TEXT, 'heat the lake', { open: false })])
    await pieceOf()
    fireEvent.keyDown(screen.getByRole('dialog', { name: 'Evidence' }), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('deletes the user’s own piece after a confirmation, and keeps the focus', async () => {
    const pieces: Evidence[] = []
    const { calls, toasts } = await open(pieces, {
      'GET /iods/:id/evidence': () => {
        if (!calls.some(({ route }) => route.startsWith('DELETE')))
          pieces.splice(0, 1, quoting(TEXT, 'heat the lake', { open: false, created_by_id: user.id }))
        return [200, pieces]
      },
      'DELETE /iods/:id/evidence/:evidence_id': ({ params }) => {
        pieces.length = 0
        return [200, { id: params.evidence_id }]
      },
    })
    press(await pieceOf(), 'Delete')
    press(within(await screen.findByRole('dialog', { name: 'Delete evidence' })), 'Delete')
    expect(await screen.findByText('No evidence yet')).toBeTruthy()
    expect(toasts).toMatchObject([{ title: 'Evidence deleted', status: 'success' }])
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('dialog', { name: 'Evidence' })))
  })
})

describe('Verify', () => {
  it('checks seal, log, signature and content, and explains what the result proves', async () => {
    const { seal, routes } = await sealedCapture(TEXT, RECORD)
    const { calls } = await open([quoting(TEXT, 'heat the lake', { seal })], routes)
    const report = await verified(await pieceOf())
    expect(within(report).getByText('The seal holds')).toBeTruthy()
    expect(within(report).getAllByTitle('Holds:')).toHaveLength(4)
    const [caveat, proof] = report.querySelectorAll('.bp6-callout')
    expect(caveat?.className).toContain('intent-warning')
    expect(caveat?.textContent).toContain('Not proved: that the site served it')
    expect(proof?.className).toContain('intent-success')
    expect(proof?.textContent).not.toContain('Not proved')
    expect(proof?.querySelector('details')?.open).toBe(false)
    expect(proof?.querySelector('details')?.textContent).toContain(
      'fingerprint, time of receipt and salt match entry 3',
    )
    // The proof must refer to the log state whose signature was checked.
    expect(calls.find(({ route }) => route === 'GET /seals/:seq/proof')?.search.get('size')).toBe('5')
  })

  it('checks a quote of the record by its pointer', async () => {
    const { seal, routes } = await sealedCapture(TEXT, RECORD)
    const place = { role: 'record', pointer: '/metadata/a~1b', prefix: '', suffix: '' } as const
    await open([quoting('They heat the lake', 'heat the lake', { seal, ...place })], routes)
    const report = await verified(await pieceOf())
    expect(report.textContent).toContain(
      'The capture’s record is unchanged since it was sealed and contains the quote.',
    )
  })

  it('skips the content check if the capture is closed', async () => {
    const { seal, routes } = await sealedCapture(TEXT, RECORD)
    const { calls } = await open([quoting(TEXT, 'heat the lake', { seal, open: false })], routes)
    const report = await verified(await pieceOf())
    expect(within(report).getAllByTitle('Holds:')).toHaveLength(3)
    expect(calls.filter(({ route }) => route.includes('/captures'))).toEqual([])
  })

  const changed = (hash: string) => (hash.startsWith('0') ? '1' : '0') + hash.slice(1)
  it.each([
    ['another time of receipt', 'seal', /do not match entry 3/],
    ['another proof', 'log', /does not contain the entry/],
    ['another root', 'root', /does not contain the entry|signature of the log/],
    ['a signature of another key', 'signature', /signature of the log’s state is not valid/],
    ['a key that is not published', 'key', /server does not publish/],
    ['another text', 'text', /text has changed since it was sealed/],
    ['another list of contents', 'manifest', /list of contents has changed since it was sealed/],
    ['words that are not there', 'words', /does not contain the quote at its position/],
  ])('fails on %s', async (_, what, says) => {
    const { seal, routes, proof, checkpoint, keys, capture, bytesOf } = await sealedCapture(TEXT, RECORD)
    let piece = quoting(TEXT, 'heat the lake', { seal })
    if (what === 'seal') piece = { ...piece, seal: { ...seal, received_at: '2026-11-19T10:00:00.000Z' } }
    if (what === 'log') proof.path[0] = changed(proof.path[0] as string)
    if (what === 'root') checkpoint.root = changed(checkpoint.root)
    if (what === 'signature') {
      const other = await sealedCapture(TEXT, RECORD)
      ;(keys[0] as { public_key: string }).public_key = other.keys[0]?.public_key ?? ''
    }
    if (what === 'key') keys.length = 0
    if (what === 'text')
      bytesOf.set(
        capture.manifest.blobs[0]?.sha256 ?? '',
        new TextEncoder().encode(TEXT.replace('fish', 'dogs')),
      )
    if (what === 'manifest') capture.manifest.captured_at = '2026-11-19T10:00:00.000Z'
    if (what === 'words') piece = { ...piece, start: piece.start + 1, end: piece.end + 1 }
    await open([piece], routes)
    const report = await verified(await pieceOf())
    expect(within(report).getByText('The seal does not hold')).toBeTruthy()
    expect(failed(report).join(' ')).toMatch(says)
  })

  it('shows an error without a verdict if the check fails, and retries it', async () => {
    const { seal, routes, keys } = await sealedCapture(TEXT, RECORD)
    let isDown = true
    await open([quoting(TEXT, 'heat the lake', { seal })], {
      ...routes,
      'GET /seals/keys': () => (isDown ? [404, { detail: 'Not found' }] : [200, keys]),
    })
    const piece = await pieceOf()
    press(piece, 'Verify')
    expect((await piece.findByRole('alert')).textContent).toContain('Unable to check the seal')
    expect(piece.queryByText(/^The seal (holds|does not hold)$/)).toBeNull()
    isDown = false
    press(piece, 'Retry')
    expect(await piece.findByText('The seal holds')).toBeTruthy()
  })
})

describe('an open capture', () => {
  it('shows its text with the quote marked, as plain text', async () => {
    const text = `${'before '.repeat(10_000)}<b>heat the lake</b>${' after'.repeat(10_000)}`
    const { seal, routes } = await sealedCapture(text, RECORD)
    await open([quoting(text, '<b>heat the lake</b>', { seal })], routes)
    const piece = await pieceOf()
    press(piece, 'Show in capture')
    const page = await piece.findByRole('region', { name: 'Captured text' })
    expect(page.querySelector('mark')?.textContent).toBe('<b>heat the lake</b>')
    expect(page.querySelector('b')).toBeNull()
    expect(page.textContent?.length).toBeLessThan(50_000)
    fireEvent.click(piece.getByRole('button', { name: /^Show [\d,]+ more characters$/ }))
    expect(page.textContent).toBe(text)
  })

  it('loads a picture only on request, and never an SVG', async () => {
    const { seal, routes } = await sealedCapture(TEXT, RECORD)
    const { calls } = await open([quoting(TEXT, 'heat the lake', { seal })], routes)
    const piece = await pieceOf()
    press(piece, 'Show in capture')
    const button = await piece.findByRole('button', { name: 'Show screenshot' })
    expect(piece.queryByRole('button', { name: /Show picture/ })).toBeNull()
    const pictures = () => calls.filter(({ route }) => route.includes('/blobs/')).length
    expect(pictures()).toBe(0)
    fireEvent.click(button)
    const picture = await piece.findByRole('img', { name: 'Screenshot of the captured page' })
    expect(picture.getAttribute('src')).toMatch(/^blob:/)
    expect(pictures()).toBe(1)
  })

  it('is shared by its owner after a warning, and unshared', async () => {
    const { seal, routes, capture } = await sealedCapture(TEXT, RECORD)
    const piece = quoting(TEXT, 'heat the lake', { seal })
    const { calls } = await open([piece], {
      ...routes,
      'PATCH /captures/:id': ({ body }) => {
        const { shared } = body as { shared: boolean }
        capture.shared = piece.shared = shared
        return [200, capture]
      },
    })
    press(await pieceOf(), 'Share')
    const dialog = within(await screen.findByRole('dialog', { name: 'Share this capture' }))
    expect(dialog.getByText(/every signed-in user can also read the whole captured text/)).toBeTruthy()
    press(dialog, 'Share')
    fireEvent.click(await (await pieceOf()).findByRole('button', { name: 'Stop sharing' }))
    await (await pieceOf()).findByRole('button', { name: 'Share' })
    const shared = calls.filter(({ route }) => route === 'PATCH /captures/:id').map(({ body }) => body)
    expect(shared).toEqual([{ shared: true }, { shared: false }])
  })

  it('offers no sharing to users who do not own it', async () => {
    const { seal, routes, capture } = await sealedCapture(TEXT, RECORD)
    capture.own = false
    const { calls } = await open([quoting(TEXT, 'heat the lake', { seal, shared: true })], routes)
    await waitFor(() => expect(calls.some(({ route }) => route === 'GET /captures/:id')).toBe(true))
    const piece = await pieceOf()
    expect(piece.getByRole('button', { name: 'Download WACZ' })).toBeTruthy()
    expect(piece.queryByRole('button', { name: /shar/i })).toBeNull()
  })

  it('shows why a WACZ could not be downloaded', async () => {
    const { seal, routes } = await sealedCapture(TEXT, RECORD)
    const { toasts } = await open([quoting(TEXT, 'heat the lake', { seal })], {
      ...routes,
      'GET /captures/:id/wacz': [404, { detail: 'Not found' }],
    })
    press(await pieceOf(), 'Download WACZ')
    await waitFor(() => expect(toasts).toMatchObject([{ description: 'Not found', status: 'error' }]))
  })
})

describe('evidence counts', () => {
  it('are requested once per page while the list scrolls', () => {
    const ids = Array.from({ length: 120 }, (_, n) => `${n}`)
    expect(pagesInView(ids, 50, 0, 20)).toEqual([ids.slice(0, 50)])
    expect(pagesInView(ids, 50, 30, 50)).toEqual([ids.slice(0, 50)])
    expect(pagesInView(ids, 50, 49, 51)).toEqual([ids.slice(0, 50), ids.slice(50, 100)])
    expect(pagesInView(ids, 50, 110, 130)).toEqual([ids.slice(100)])
    expect(pagesInView([], 50, 0, 0)).toEqual([])
  })

  it('are requested for all rows at once; a row without evidence shows none', async () => {
    const { calls } = await openSection(defineParcel({ '/': Rows }), '/dashboard/iods', '/dashboard/iods', {
      'POST /iods/evidence/counts': [200, { [IDS[1] as string]: 1_234 }],
    })
    expect(await screen.findByRole('button', { name: 'Evidence: 1,234 quotes' })).toBeTruthy()
    expect(screen.getAllByRole('button')).toHaveLength(1)
    expect(calls.map(({ body }) => body)).toEqual([{ ids: IDS }])
  })
})

const IDS = ['1', '2', '3'].map(n => n.repeat(24))
function Rows() {
  const counts = useEvidenceCounts(IDS, 0, IDS.length)
  return IDS.map(id => <EvidenceMark key={id} iod={{ id, value: id }} count={counts[id] ?? 0} />)
}

/** A card with the sealed captures of its record. */
function RecordCard() {
  const captures = useSealedCaptures(IDS, 0, IDS.length)
  return <SealedMark captures={captures.get(IDS[0] as string) ?? []} about="Varnel Watch" />
}

describe('the captures of a record', () => {
  it('open from the record’s button, with times, seal, Verify and Delete', async () => {
    const { capture, routes } = await sealedCapture(TEXT, RECORD)
    const { own: _, manifest: __, manifest_hash, seal: ___, ...summary } = capture
    let listed = [{ ...summary, record_id: IDS[0] as string }]
    const { calls, toasts } = await openSection(
      defineParcel({ '/': RecordCard }),
      '/dashboard/data',
      '/dashboard/data',
      {
        ...routes,
        'GET /captures': () => [200, listed],
        'DELETE /captures/:id': ({ params }) => {
          listed = []
          return [200, { id: params.id }]
        },
      },
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Sealed' }))
    const details = within(await screen.findByRole('article', { name: 'Capture 1' }))
    expect(await details.findByText(manifest_hash)).toBeTruthy()
    expect(details.getByText('No. 3')).toBeTruthy()
    fireEvent.click(details.getByRole('button', { name: 'Verify' }))
    expect(await details.findByText('The seal holds')).toBeTruthy()
    fireEvent.click(details.getByRole('button', { name: 'Delete' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete this capture' }))
    fireEvent.click(dialog.getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('This record no longer has captures')).toBeTruthy()
    expect(toasts).toMatchObject([{ title: 'Capture deleted' }])
    expect(calls.filter(({ route }) => route === 'DELETE /captures/:id')).toHaveLength(1)
    expect(screen.queryByRole('button', { name: 'Sealed' })).toBeNull()
  })
})
