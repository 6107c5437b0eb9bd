import { recordImportsApi } from '@iodine/contracts'
import { type StoreService, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CollectorStore } from '../../store.js'
import { createRecordImport } from '../commands/create-record-import.js'
import { presentRecordImport } from '../presenters/record-import.js'
import { findRecordImport } from '../queries/find-record-import.js'

export const addRecordImportRoutes = (service: StoreService, store: CollectorStore): void => {
  const { imports } = store
  service.route(recordImportsApi.createRecordImport, async ({ body, user }) =>
    presentRecordImport(await createRecordImport(store, new Types.ObjectId(user.id), body)),
  )
  service.route(recordImportsApi.listRecordImports, ({ query: { limit, cursor }, user, reply }) =>
    sendList(reply, {
      model: imports,
      filter: { user_id: new Types.ObjectId(user.id) },
      limit,
      cursor,
      present: docs => docs.map(presentRecordImport),
    }),
  )
  service.route(recordImportsApi.getRecordImport, async ({ params, user }) =>
    presentRecordImport(await findRecordImport(imports, new Types.ObjectId(user.id), params.id)),
  )
}
