import type { Routes } from '@iodine/mfe-kit/testing'

/** Other requests of a campaign's page, with empty responses. */
export const SIDE_ROUTES: Routes = {
  'GET /campaigns/:id/sharing': [200, { tlp: 'green', least: 'clear', published: false, feed: null }],
  'GET /campaigns/:id/kept': [200, { objects: 0, bytes: 0, withheld: 0, types: [], imports: [] }],
  'GET /campaigns/:id/techniques': [200, []],
  'GET /campaigns/:id/comments': [200, []],
}
