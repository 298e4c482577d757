/** The part of an untyped package that the tests use. */
declare module 'jskos-validate' {
  export const validate: ((record: unknown, options?: { unknownFields?: boolean }) => boolean) & {
    errorMessages?: string[]
  }
}
