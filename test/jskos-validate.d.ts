/** What the tests use of a package that comes without types. */
declare module 'jskos-validate' {
  export const validate: ((record: unknown, options?: { unknownFields?: boolean }) => boolean) & {
    errorMessages?: string[]
  }
}
