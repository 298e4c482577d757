/** The part of an untyped package that the service uses. */
declare module 'jskos-validate' {
  interface ValidateOptions {
    unknownFields?: boolean
    knownSchemes?: readonly object[]
    rememberSchemes?: object[]
  }
  /** Data Validation Error Format. */
  interface ValidationError {
    message: string
    position?: { jsonpointer?: string }
  }
  interface Validate {
    (record: unknown, options?: ValidateOptions): boolean
    /** The errors of the last call. */
    errors?: (ValidationError | string)[]
    errorMessages?: string[]
  }
  export const validate: Validate & Record<string, Validate>
}
