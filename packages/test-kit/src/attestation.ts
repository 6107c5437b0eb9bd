import type { webcrypto } from 'node:crypto'
import { Enumerated, Integer, OctetString, Sequence } from 'asn1js'
import { CRLDistributionPoints, DistributionPoint, Extension, GeneralName } from 'pkijs'
import { certify, isAuthority, newKeys } from './certificates.js'

const KEY_DESCRIPTION = '1.3.6.1.4.1.11129.2.1.17'
const CRL_DISTRIBUTION_POINTS = '2.5.29.31'

/** Returns the extension with the URL of the list of revoked certificates (RFC 5280, 4.2.1.13). */
const revokedAt = (url: string) => {
  const points = new CRLDistributionPoints({
    distributionPoints: [
      new DistributionPoint({ distributionPoint: [new GeneralName({ type: 6, value: url })] }),
    ],
  })
  return new Extension({ extnID: CRL_DISTRIBUTION_POINTS, extnValue: points.toSchema().toBER() })
}

/** Returns the extension by which Android describes a key (key attestation, version 1). */
const keyDescription = (challenge: Uint8Array<ArrayBuffer>) => {
  const description = new Sequence({
    value: [
      new Integer({ value: 1 }),
      new Enumerated({ value: 1 }),
      new Integer({ value: 1 }),
      new Enumerated({ value: 1 }),
      new OctetString({ valueHex: challenge }),
      new OctetString({ valueHex: new Uint8Array() }),
      new Sequence({ value: [] }),
      new Sequence({ value: [] }),
    ],
  })
  return new Extension({ extnID: KEY_DESCRIPTION, extnValue: description.toBER() })
}

/**
 * Creates the certificates of an attestation of the format `android-key` (Web Authentication Level 3, 8.4), with an
 * untrusted root.
 * @param challenge hash of the client data
 * @param crl URL of the list of revoked certificates that the first one names
 */
export const androidKeyChain = async (
  publicKey: webcrypto.CryptoKey,
  { challenge, crl }: { challenge: Uint8Array<ArrayBuffer>; crl: string },
): Promise<Uint8Array[]> => {
  const ca = await newKeys()
  const issuer = { name: 'Test CA', key: ca.privateKey }
  const leaf = await certify('Test key', publicKey, issuer, [keyDescription(challenge), revokedAt(crl)])
  const root = await certify('Test CA', ca.publicKey, issuer, [isAuthority()])
  return [leaf, root].map(certificate => new Uint8Array(certificate.toSchema(true).toBER()))
}
