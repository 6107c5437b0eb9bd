import type { Routes } from '@iodine/mfe-kit/testing'

/** What the page of a campaign reads beside its IODs. */
export const ASIDE: Routes = {
  'GET /campaigns/:id/sharing': [200, { tlp: 'green', least: 'clear', published: false, feed: null }],
  'GET /campaigns/:id/kept': [200, { objects: 0, bytes: 0, withheld: 0, types: [], imports: [] }],
  'GET /campaigns/:id/techniques': [200, []],
}
