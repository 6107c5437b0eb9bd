declare module 'addons-linter' {
  interface Linted {
    errors: object[]
    warnings: object[]
    notices: object[]
  }
  const linter: {
    createInstance(options: { config: object; runAsBinary: boolean }): { run(): Promise<Linted> }
  }
  export default linter
}
