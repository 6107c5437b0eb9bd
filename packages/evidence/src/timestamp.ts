import { Integer, Null, OctetString } from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  ContentInfo,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'
import { fromHex, sha256Hex, toHex } from './hash.js'

const SHA_256 = '2.16.840.1.101.3.4.2.1'
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const TST_INFO = '1.2.840.113549.1.9.16.1.4'
const EXTENDED_KEY_USAGE = '2.5.29.37'
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8'
const COMMON_NAME = '2.5.4.3'
/** Statuses of a response with a token (RFC 3161, 2.4.2): granted, or granted with modifications. */
const GRANTED = [0, 1]

/** Contents of a verified token. */
export interface Timestamp {
  /** Time at which the authority stamped the text. */
  at: Date
  /** Common name of the signing certificate. */
  authority: string
}

/**
 * Returns a time-stamp request for a text's SHA-256 (RFC 3161, 2.4.1) in DER, with a nonce. Requests the certificate.
 */
export const timestampRequest = async (text: string, nonce: bigint): Promise<Uint8Array<ArrayBuffer>> => {
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: SHA_256, algorithmParams: new Null() }),
      hashedMessage: new OctetString({ valueHex: fromHex(await sha256Hex(text)) }),
    }),
    certReq: true,
    nonce: Integer.fromBigInt(nonce),
  })
  return new Uint8Array(request.toSchema().toBER())
}

const fail = (why: string): never => {
  throw new TypeError(`the time-stamp ${why}`)
}

interface Token {
  signed: SignedData
  info: TSTInfo
}

const readToken = (token: Uint8Array<ArrayBuffer>): Token => {
  const content = ContentInfo.fromBER(token)
  if (content.contentType !== SIGNED_DATA) fail('is not signed')
  const signed = new SignedData({ schema: content.content })
  const { eContent, eContentType } = signed.encapContentInfo
  if (eContentType !== TST_INFO || !eContent) return fail('is not a token of RFC 3161')
  return { signed, info: TSTInfo.fromBER(eContent.getValue()) }
}

const certificatesIn = (pem: string): Certificate[] =>
  Array.from(
    pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g),
    ([, body = '']) =>
      Certificate.fromBER(Uint8Array.from(atob(body.replace(/\s/g, '')), unit => unit.charCodeAt(0))),
  )

/** Returns whether a certificate is for time-stamping only (RFC 3161, 2.3). */
const isForTimestamps = ({ extensions = [] }: Certificate): boolean => {
  const usage = extensions.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE)
  const purposes = usage?.parsedValue instanceof ExtKeyUsage ? usage.parsedValue.keyPurposes : []
  return Boolean(usage?.critical) && purposes.length === 1 && purposes[0] === TIME_STAMPING
}

/**
 * Verifies a token (RFC 3161, 2.4.2) over a text: its imprint, its signature by the certificate in it, and the purpose
 * of that certificate.
 * @param authorities certificates in PEM, one of which must have issued the signer's, as of the token's time; without
 *   any, every signer is accepted
 * @throws TypeError whose message names the failed check
 */
export const checkTimestamp = async (
  token: Uint8Array<ArrayBuffer>,
  text: string,
  authorities: readonly string[] = [],
): Promise<Timestamp> => {
  const { signed, info } = readToken(token)
  const { hashAlgorithm, hashedMessage } = info.messageImprint
  const imprint = toHex(new Uint8Array(hashedMessage.getValue()))
  if (hashAlgorithm.algorithmId !== SHA_256) fail('uses another hash than SHA-256')
  if (imprint !== (await sha256Hex(text))) fail('is for other data')
  const trustedCerts = authorities.flatMap(certificatesIn)
  if (authorities.length > 0 && trustedCerts.length === 0) fail('can’t be checked: no certificate was given')
  const verified = (chain: object) =>
    signed
      .verify({
        signer: 0,
        data: new TextEncoder().encode(text).buffer,
        extendedMode: true,
        ...chain,
      })
      // `verify` rejects if a check fails.
      .catch(() => null)
  const result = await verified({})
  const certificate = result?.signatureVerified ? result.signerCertificate : null
  if (!certificate) return fail('is not signed by the certificate that it contains')
  const chain = { checkChain: true, trustedCerts, checkDate: info.genTime }
  if (trustedCerts.length > 0 && !(await verified(chain))?.signerCertificateVerified)
    fail('is not from the given authority')
  if (!isForTimestamps(certificate)) fail('is signed with a certificate for other purposes')
  const name = certificate.subject.typesAndValues.find(({ type }) => type === COMMON_NAME)
  return { at: info.genTime, authority: String(name?.value.valueBlock.value ?? 'an authority without name') }
}

/**
 * Parses and verifies an authority's response to `timestampRequest` (RFC 3161, 2.4.2).
 * @throws TypeError for a rejection, and for a token with another text or nonce or an invalid signature
 */
export const readTimestamp = async (
  answer: Uint8Array<ArrayBuffer>,
  text: string,
  nonce: bigint,
): Promise<Timestamp & { token: Uint8Array<ArrayBuffer> }> => {
  const { status, timeStampToken } = TimeStampResp.fromBER(answer)
  if (!GRANTED.includes(status.status) || !timeStampToken)
    return fail(`was not granted: status ${status.status}`)
  const token = new Uint8Array(timeStampToken.toSchema().toBER())
  if (readToken(token).info.nonce?.toBigInt() !== nonce) fail('answers another request')
  return { token, ...(await checkTimestamp(token, text)) }
}
