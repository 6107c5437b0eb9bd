import { personalDataInternal, type ServiceName, servicesWith } from '@iodine/contracts'
import { type Peers, unavailable } from '@iodine/service-kit'

/** Services that store personal data. */
export const EXPORTED = servicesWith(personalDataInternal.exportUser)

/**
 * Streams what a service stores about a user: a JSON list. Throws 503 while the service is down, also if it breaks off.
 * @param ms how long it may take
 */
export async function* readPart(
  peers: Peers,
  service: ServiceName,
  id: string,
  ms: number,
): AsyncGenerator<Uint8Array> {
  try {
    yield* await peers.stream(service, personalDataInternal.exportUser, { params: { id }, ms })
  } catch (error) {
    throw unavailable(undefined, error)
  }
}

/**
 * Writes an export of a user's data: one JSON object with a list a service.
 * @param read a service's list as text
 */
export async function* writeExport(
  { id, at, services }: { id: string; at: Date; services: readonly ServiceName[] },
  read: (service: ServiceName) => AsyncIterable<string | Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  yield `{"exported_at":${JSON.stringify(at.toISOString())},"user_id":${JSON.stringify(id)}`
  for (const service of services) {
    yield `,\n"${service}":`
    yield* read(service)
  }
  yield '}\n'
}
