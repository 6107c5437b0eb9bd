import { personalDataInternal, type ServiceName, servicesWith } from '@iodine/contracts'
import { type Peers, unavailable } from '@iodine/service-kit'

/** Services that store personal data. */
export const EXPORT_SERVICES = servicesWith(personalDataInternal.exportUser)

/**
 * Streams the JSON list of a service's data about a user. Throws 503 if the service is down or the stream breaks off.
 * @param ms timeout
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
 * Streams an export of a user's data: one JSON object with a list for each service.
 * @param read returns a service's list as text
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
