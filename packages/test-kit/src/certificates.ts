import { webcrypto } from 'node:crypto'
import { Integer, PrintableString } from 'asn1js'
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
} from 'pkijs'

export const TLS_SERVERS = '1.3.6.1.5.5.7.3.1'
const DAY_MS = 86_400_000
const P256 = { name: 'ECDSA', namedCurve: 'P-256' } as const

export const newKeys = () => webcrypto.subtle.generateKey(P256, true, ['sign', 'verify'])

const nameOf = (value: string) =>
  new AttributeTypeAndValue({ type: '2.5.4.3', value: new PrintableString({ value }) })

const critical = (extnID: string, parsedValue: BasicConstraints | ExtKeyUsage | GeneralNames) =>
  new Extension({ extnID, critical: true, extnValue: parsedValue.toSchema().toBER(), parsedValue })
export const isAuthority = () => critical('2.5.29.19', new BasicConstraints({ cA: true }))
export const isFor = (purpose: string) => critical('2.5.29.37', new ExtKeyUsage({ keyPurposes: [purpose] }))

/** Creates a certificate, signed by its issuer and valid for a day. */
export const certify = async (
  subject: string,
  subjectKey: webcrypto.CryptoKey,
  issuer: { name: string; key: webcrypto.CryptoKey },
  extensions: Extension[],
): Promise<Certificate> => {
  const certificate = new Certificate()
  certificate.version = 2
  certificate.serialNumber = new Integer({ value: Math.floor(Math.random() * 1e6) + 1 })
  certificate.subject.typesAndValues.push(nameOf(subject))
  certificate.issuer.typesAndValues.push(nameOf(issuer.name))
  certificate.notBefore.value = new Date(Date.now() - DAY_MS)
  certificate.notAfter.value = new Date(Date.now() + DAY_MS)
  certificate.extensions = extensions
  await certificate.subjectPublicKeyInfo.importKey(subjectKey as never)
  await certificate.sign(issuer.key as never, 'SHA-256')
  return certificate
}

export const pemOf = (certificate: Certificate): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(certificate.toSchema(true).toBER()).toString('base64')}\n-----END CERTIFICATE-----\n`

/** Returns the extension with the names of a server (RFC 5280, 4.2.1.6: dNSName). */
const isNamed = (names: readonly string[]) =>
  critical('2.5.29.17', new GeneralNames({ names: names.map(value => new GeneralName({ type: 2, value })) }))

/** Creates key and certificate of an HTTPS server for some host names, and the issuer's certificate; all in PEM. */
export const certifyServer = async (names: readonly string[]) => {
  const [ca, server] = await Promise.all([newKeys(), newKeys()])
  const issuer = { name: 'Test CA', key: ca.privateKey }
  const root = await certify('Test CA', ca.publicKey, issuer, [isAuthority()])
  const certificate = await certify(names[0] ?? '', server.publicKey, issuer, [
    isFor(TLS_SERVERS),
    isNamed(names),
  ])
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', server.privateKey)).toString('base64')
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
    cert: pemOf(certificate),
    ca: pemOf(root),
  }
}
