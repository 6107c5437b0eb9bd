import('@iodine/mfe-kit/standalone').then(async ({ runStandalone }) => {
  const { parcel } = await import('./parcel')
  await runStandalone(parcel)
})
