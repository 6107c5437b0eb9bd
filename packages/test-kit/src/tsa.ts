import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Integer, Null, OctetString } from 'asn1js'
import {
  AlgorithmIdentifier,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  MessageImprint,
  PKIStatusInfo,
  SignedData,
  SignerInfo,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'
import { certify, isAuthority, isFor, newKeys, pemOf, TLS_SERVERS } from './certificates.js'

const SHA_256 = '2.16.840.1.101.3.4.2.1'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'

/** Faults of the authority's answers. */
export interface TsaBehaviour {
  status?: number
  /** Answers with another hash, nonce, purpose of the certificate, or signature. */
  lie?: 'imprint' | 'nonce' | 'purpose' | 'signature'
  http?: 'error' | 'large' | 'redirect' | 'hang' | 'garbage'
}

/** Starts a time-stamping authority (RFC 3161) over HTTP, with scripted faults. */
export const startTsa = async () => {
  const [ca, signer] = await Promise.all([newKeys(), newKeys()])
  const issuer = { name: 'Test CA', key: ca.privateKey }
  const root = await certify('Test CA', ca.publicKey, issuer, [isAuthority()])
  const certificate = await certify('Test TSA', signer.publicKey, issuer, [isFor(TIME_STAMPING)])
  const ofServers = await certify('Test TSA', signer.publicKey, issuer, [isFor(TLS_SERVERS)])
  let behaviour: TsaBehaviour = {}
  let serial = 0

  const stamp = async (query: Uint8Array<ArrayBuffer>): Promise<Buffer> => {
    const { messageImprint, nonce } = TimeStampReq.fromBER(query)
    const { status = 0, lie } = behaviour
    const granted = new PKIStatusInfo({ status })
    if (status > 1) return Buffer.from(new TimeStampResp({ status: granted }).toSchema().toBER())
    const info = new TSTInfo({
      version: 1,
      policy: '1.2.3.4.1',
      messageImprint:
        lie === 'imprint'
          ? new MessageImprint({
              hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA_256, algorithmParams: new Null() }),
              hashedMessage: new OctetString({ valueHex: new Uint8Array(32) }),
            })
          : messageImprint,
      serialNumber: new Integer({ value: ++serial }),
      genTime: new Date(),
      ...(nonce && { nonce: lie === 'nonce' ? new Integer({ value: 7 }) : nonce }),
    })
    const used = lie === 'purpose' ? ofServers : certificate
    const signed = new SignedData({
      version: 3,
      encapContentInfo: new EncapsulatedContentInfo({
        eContentType: TST_INFO,
        eContent: new OctetString({ valueHex: info.toSchema().toBER() }),
      }),
      signerInfos: [
        new SignerInfo({
          version: 1,
          sid: new IssuerAndSerialNumber({ issuer: used.issuer, serialNumber: used.serialNumber }),
        }),
      ],
      certificates: [used],
    })
    await signed.sign(signer.privateKey as never, 0, 'SHA-256')
    const [signature] = signed.signerInfos
    if (lie === 'signature' && signature) {
      const bytes = new Uint8Array(signature.signature.getValue())
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      signature.signature = new OctetString({ valueHex: bytes })
    }
    const token = new ContentInfo({ contentType: '1.2.840.113549.1.7.2', content: signed.toSchema(true) })
    return Buffer.from(new TimeStampResp({ status: granted, timeStampToken: token }).toSchema().toBER())
  }

  const server = createServer(async (request, response) => {
    const query = new Uint8Array(await buffer(request))
    const { http } = behaviour
    if (http === 'hang') return
    if (http === 'error') response.writeHead(500).end()
    else if (http === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end()
    else if (http === 'large') response.end(Buffer.alloc(10 * 2 ** 20))
    else if (http === 'garbage') response.end('<html>not a time-stamp</html>')
    else response.setHeader('content-type', 'application/timestamp-reply').end(await stamp(query))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/tsr`,
    /** Certificate of the authority's issuer, in PEM. */
    ca: pemOf(root),
    behave: (changed: TsaBehaviour) => {
      behaviour = changed
    },
    stop: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
export type Tsa = Awaited<ReturnType<typeof startTsa>>
