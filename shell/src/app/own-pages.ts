/** The shell's lazily loaded pages, by section. */
export const OWN_PAGES: Record<string, () => Promise<unknown>> & {
  profile: () => Promise<typeof import('../pages/Profile')>
  admin: () => Promise<typeof import('../pages/admin/Admin')>
} = {
  profile: () => import('../pages/Profile'),
  admin: () => import('../pages/admin/Admin'),
}
