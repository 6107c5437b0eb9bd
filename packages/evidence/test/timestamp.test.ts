import { expect, it } from 'vitest'
import { checkTimestamp } from '../src/timestamp.js'

/** Created by OpenSSL 3: `openssl ts -query -data TEXT -sha256 -cert`, `openssl ts -reply … -token_out`. */
const TEXT = 'the log of 3'
const TOKEN = Uint8Array.from(
  Buffer.from(
    'MIIF6AYJKoZIhvcNAQcCoIIF2TCCBdUCAQMxDzANBglghkgBZQMEAgEFADCBjgYLKoZIhvcNAQkQAQSgfwR9MHsCAQEGBCoDBAEw' +
      'MTANBglghkgBZQMEAgEFAAQgKsCdY7AydJiqgGENPjEpNj4/dtGvcSBh7MOfwJTb26ECAQMYDzIwMjYxMTIzMTIzNTI5WjADAgEB' +
      'AggwU3kfRK7nzaAapBgwFjEUMBIGA1UEAwwLRXhhbXBsZSBUU0GgggMpMIIDJTCCAg2gAwIBAgIUTkmPvNmONW6GQdg7Unr0PYlF' +
      'x1EwDQYJKoZIhvcNAQELBQAwFTETMBEGA1UEAwwKRXhhbXBsZSBDQTAgFw0yNjExMjMxMjM1MjlaGA8yMTI2MTAzMDEyMzUyOVow' +
      'FjEUMBIGA1UEAwwLRXhhbXBsZSBUU0EwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQCluJyWmXcOb46TtaWfm8kvDlq1' +
      'ZRrAkh3JBPyHNZa9ai0mCU+kPJ6MsptbsxoR/f9aTWO8A7LnJATFlTA9apRyeEYmgkwUIQdCaieHnemT2xJGEHqkLwgWTVp3FYq0' +
      'molMBbCQI27em6q2A/hzAVhgt0t3RoLm41tNmNZ/ZaKkmDWEQ2VXfbMAvCjtmwKfsL5K883vOlCPoGQren2iVVDI4iWJ7u0wzLXr' +
      'RxGDQP8WGIdyqW9tnzAc4mSN39LOyfdo14BK0OvlX1r2/BJC+28iKWR/zxXswgf9PMY3D6lx6bglejZO/eOUhbxKGQ5SQkjA2oib' +
      '8bO9rPCgUTsVDiqjAgMBAAGjajBoMBYGA1UdJQEB/wQMMAoGCCsGAQUFBwMIMA4GA1UdDwEB/wQEAwIHgDAdBgNVHQ4EFgQUzwYx' +
      'PvM5kHMdURk9NbMhq0CxCX8wHwYDVR0jBBgwFoAU9R3/lACBOpgZE2O3Eg8VrQybEwkwDQYJKoZIhvcNAQELBQADggEBAFEchxdQ' +
      'BKkq/2gWO0nx+iHYDEDH14WDoEbcRYHldzf0qxHTCoDBMw9wkf8H8QEyG0FR/SmNqEzadGzOnaHtYtlLg6wVCcpbj8d7VFf9x+Dx' +
      'w8TX/hoUb8f9aSt3c1401QEp18JCn5GgsatTRcAYR6FD0OW0DIkUY8nVwqCuKi52sM7dunzWW29YpbgdjYfncMRFc/BrKQXo+1ko' +
      '6JhOfUPikc/hG/UbRPHPFaWPdAeR4ffcYUzNNqB2UfbN6ZqdR5UWx620dcj1altdwQLOjSAz2c+sj7fVBr9rIAQdGjq7J3tBJkJg' +
      'N5qg/r4ZPZ0gxBoLdY9Sx+KC0tfxijulVRwxggH/MIIB+wIBATAtMBUxEzARBgNVBAMMCkV4YW1wbGUgQ0ECFE5Jj7zZjjVuhkHY' +
      'O1J69D2JRcdRMA0GCWCGSAFlAwQCAQUAoIGkMBoGCSqGSIb3DQEJAzENBgsqhkiG9w0BCRABBDAcBgkqhkiG9w0BCQUxDxcNMjYx' +
      'MTIzMTIzNTI5WjAvBgkqhkiG9w0BCQQxIgQg31C6efQo6IKPwWlKj7ZT6sQsKnVN0qtYNUTWBM9K1twwNwYLKoZIhvcNAQkQAi8x' +
      'KDAmMCQwIgQgYZsEt3Ry5P1G/wKA8mexHJswoNcLArmVTZOyZB9TxqEwDQYJKoZIhvcNAQEBBQAEggEARJSlsRgV6Ril5xcNQ3Hd' +
      '3IX7gXZEmDOoEz9fvE6hHKwQK4qz0/Latn0QxwhG1BYNRL47Tl7y9bkVWBU9PDSlKG+WtXFuVHGRUUB+5P8L5XAqF4VON7zdtfyX' +
      'Djz2kt2R6bRypGg7n39ZMDVKhMrPcnxPTp3n0apqSSeQhP7k6SSZjh0f7Xa99vZJlOAOoZRpwR4a/GHuUEqQMOIBOHEHvMw4Dsmy' +
      '0xEL3f+LS3ZmngKwFsIzYEYXIAeT+4El+aPyaCSO7lFfVKMJu9E8mZYTVj5I51oq5eGZeO27UQqjNrHgIclBteO9CHz8JuCA/aJz' +
      'jFPaINNqRLHHhmJXvMQVfg==',
    'base64',
  ),
)
const CA = `-----BEGIN CERTIFICATE-----
MIIDDTCCAfWgAwIBAgIUWqm4rHgsdUwLwG5vfkA348N+8ZIwDQYJKoZIhvcNAQEL
BQAwFTETMBEGA1UEAwwKRXhhbXBsZSBDQTAgFw0yNjExMjMxMjM1MjhaGA8yMTI2
MTAzMDEyMzUyOFowFTETMBEGA1UEAwwKRXhhbXBsZSBDQTCCASIwDQYJKoZIhvcN
AQEBBQADggEPADCCAQoCggEBAJaNE5oE+iNpdhzDsI78TVW3Rjb9P7jIYiUF97UY
cnIFwBizuXEv0a5RQHfFrDKLpte1IUfPCeOQyZgqIVyKihkH+Oi/TiUv5smCgfBp
2xDkNjAaPfr2iFvj1c1a0TdzAqJ/wwFGr+5377zyXDsB4WLwOFgZUFuc8aA556zA
ZvD1uFn49/Hhm9G5drTLofppK0v84Lb0+0d1js+MjagZ4TQrAQ0bI+oDckSL72Ri
xTmSWlZVpZd0uu97QZrGMsREir42aHt/JCu5dv6d0bygNXWw9FPhl7M4peVIo+UI
UQMa90AX6rixKHz7wKSr3VTNyvE4Lco4Qbdd6UsTejS0og8CAwEAAaNTMFEwHQYD
VR0OBBYEFPUd/5QAgTqYGRNjtxIPFa0MmxMJMB8GA1UdIwQYMBaAFPUd/5QAgTqY
GRNjtxIPFa0MmxMJMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEB
AG23kx01+CR76u1YjztmbfDC725XRkDzG8fHBQ420mb9je5l1S+LFkHg+pUbZvuI
3eWLWpIbPvgmd1RlnnyFuhOQ1U8jqcbXLZN2U1Cky1FMrePWLAew4lWCzbDsRMvl
Ug3crnQC1ItNHCGrlSwaLOo95+9uX6fAXxvCknV2GJlmwXgC9wDtlXnJiT32+p5Q
b8pPNPKU8YkIsl+UxQr++KyhzpN48qQtO7wiNfjPPMLFpXC4Q/77QvWEpbp9ioaU
JUM1mC/Az/2pTMVVxDu9yvpZdWJNlkRR2KOv0DPtzSd0dDuorA2Lv9qiNWDW16Bi
96eOXZRjIjnIEBNbEL+Cn5g=
-----END CERTIFICATE-----
`

it('verifies a time-stamp of OpenSSL', async () => {
  expect(await checkTimestamp(TOKEN, TEXT, [CA])).toEqual({ at: expect.any(Date), authority: 'Example TSA' })
  expect(await checkTimestamp(TOKEN, TEXT)).toMatchObject({ authority: 'Example TSA' })
})

it('rejects a time-stamp of another text', async () => {
  await expect(checkTimestamp(TOKEN, `${TEXT} `, [CA])).rejects.toThrow('is for other data')
})

it('rejects a time-stamp with a changed signed bit', { tags: 'long' }, async () => {
  const { at } = await checkTimestamp(TOKEN, TEXT, [CA])
  let refused = 0
  for (let bit = 0; bit < TOKEN.length * 8; bit += 37) {
    const changed = TOKEN.slice()
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const read = await checkTimestamp(changed, TEXT, [CA]).catch(() => null)
    if (!read) refused += 1
    // Some bytes around the signature are not signed: they do not affect the result.
    else expect(read).toEqual({ at, authority: 'Example TSA' })
  }
  expect(refused).toBeGreaterThan((TOKEN.length * 8) / 37 / 2)
})
